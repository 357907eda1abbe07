#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "base/result.h"
#include "json/json_fwd.h"

namespace landfall::item_actions {

// Which node ports of a Service somebody chose, as opposed to those that the server gave out. It follows from what
// kubectl has noted in its annotation last-applied-configuration or, without that, from what the server has noted in
// managedFields. Both are outside texts: kInvalid when they cannot be read, with the place. An immutable value.
class ChosenPorts {
 public:
  static Result<ChosenPorts> of(const json::Json& service);

  // A port of the Service's spec.ports.
  bool has(const json::Json& port) const;

 private:
  ChosenPorts() = default;
  Status add_applied(const json::Json& port);
  Status add_managed(const json::Json& fields);

  bool is_applied_ = false;             // the annotation is there: it alone counts
  std::set<std::string> names_;         // of named ports, by the annotation
  std::set<std::int64_t> numbers_;      // node ports of ports without a name, by the annotation
  std::set<std::string> managed_keys_;  // k:{"port":80,"protocol":"TCP"}
};

// The same for spec.healthCheckNodePort. Either note will do.
Result<bool> is_health_check_port_chosen(const json::Json& service);

}  // namespace landfall::item_actions
