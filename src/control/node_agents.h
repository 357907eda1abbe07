#pragma once

#include <map>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/result.h"
#include "control/context.h"

namespace landfall::control {

// The node agents of the cluster, for one operation. Thread-safe.
class NodeAgents {
 public:
  explicit NodeAgents(const Context& context) : context_(context) {}

  // Whether one runs on the node: nobody else can reach the volumes there. The error says what is missing. The answer
  // may be some seconds old, so that an operation with many volumes does not ask for each.
  Status check(const std::string& node, const std::stop_token& stop);

 private:
  Status ask(const std::string& node, const std::stop_token& stop) const;

  struct Answer {
    SteadyTime at;
    Status status;
  };
  const Context& context_;
  Guarded<std::map<std::string, Answer>> answers_;  // by node
};

}  // namespace landfall::control
