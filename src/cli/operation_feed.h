#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "api/names.h"
#include "base/guarded.h"
#include "base/result.h"
#include "cli/context.h"
#include "cli/log_messages.h"
#include "kube/cache.h"
#include "kube/resource.h"

namespace landfall::cli {

// What is known of an operation at one moment.
struct OperationState {
  kube::Object operation;                       // the Backup or Restore
  SteadyTime changed_at;                        // when that changed, seen from here
  std::map<std::string, kube::Object> volumes;  // what moves their data, by kind and name
  std::vector<LogMessage> messages;             // the newest warnings and errors of its log
  std::string trouble;                          // why the cluster cannot be read just now
  std::string notice;                           // why nothing happens, as far as one can see from here
  std::optional<Error> failure;                 // it cannot be followed any longer: deleted, or not ours to read
  std::uint64_t changes = 0;                    // counts up with each
};

// How a feed is made richer than the operation alone.
struct FeedOptions {
  bool has_volumes = true;
  bool has_messages = true;
  bool has_notices = true;
};

// Follows an operation and what belongs to it, by watches on threads of its own, until it is destroyed. Everything is
// borrowed. Thread-safe.
class OperationFeed {
 public:
  OperationFeed(const kube::Resource& resource, const json::Json& operation, const Context& context);
  OperationFeed(const OperationFeed&) = delete;
  OperationFeed& operator=(const OperationFeed&) = delete;
  ~OperationFeed();

  // Once.
  void start(const FeedOptions& options);

  OperationState now() const { return state_.copy(); }
  // Waits until more has changed than that; false when the time was over or a stop was asked for first.
  bool wait_change(std::uint64_t seen, SteadyTime deadline, const std::stop_token& stop);

 private:
  void follow_operation(const std::stop_token& stop);
  void follow_volumes(const api::Kind& kind, const std::stop_token& stop);
  void follow_log(const std::stop_token& stop);
  void look_for_server(const std::stop_token& stop);
  template <class Change>
  void update(const Change& change);

  const kube::Resource& resource_;
  const Context& context_;
  const std::string name_;
  const std::string uid_;
  Monitor<OperationState> state_;
  std::vector<std::jthread> threads_;  // last: they use the rest
};

}  // namespace landfall::cli
