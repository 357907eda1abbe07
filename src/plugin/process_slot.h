#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include "base/guarded.h"
#include "base/result.h"
#include "plugin/plugin_process.h"

namespace landfall::plugin {

// The place of one program in a Session: one process at a time, started when it is needed. Thread-safe.
class ProcessSlot {
 public:
  // Init of what has a configuration, AppliesTo of what has none. A Go plugin keeps what it has made under a name in a
  // map without a lock: whatever is to be called often must have been called once by itself.
  using FirstCall = std::function<Status(PluginProcess& process, const std::stop_token& stop)>;

  explicit ProcessSlot(ProcessStart start) : start_(std::move(start)) {}

  // The process; one that has ended is started again and gets the first calls again. After ten failures in a row it
  // stays dead.
  Result<std::shared_ptr<PluginProcess>> process(const std::stop_token& stop);
  // Makes the call, and again for every process to come.
  Status prepare(FirstCall first, const std::stop_token& stop);
  // Only for those to come: it has been made already.
  void remember(FirstCall first);

 private:
  static constexpr int kMostFailures = 10;
  struct State {
    std::shared_ptr<PluginProcess> process;
    std::vector<FirstCall> first_calls;
    bool is_starting = false;
    int failures = 0;
    bool had_one = false;
  };

  Result<std::shared_ptr<PluginProcess>> start(const std::stop_token& stop);
  Result<std::shared_ptr<PluginProcess>> begin(const std::vector<FirstCall>& first_calls, bool again,
                                               const std::stop_token& stop) const;

  const ProcessStart start_;
  Monitor<State> state_;
};

}  // namespace landfall::plugin
