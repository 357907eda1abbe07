#pragma once

#include <chrono>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "control/plugin_transfers.h"
#include "operation/item_operation.h"

namespace landfall::control {

// How long the end of a run waits for resources of plugins that are known to write them.
inline constexpr Duration kResourceGrace = std::chrono::seconds(3);

// The transfers that a run has begun: looks at each of them now and then in a thread of its own, so that one sees how
// far they are while the run goes on. Thread-safe.
class TransferFollower {
 public:
  // Both are borrowed.
  TransferFollower(PluginTransfers& transfers, Clock& clock, Duration look_every)
      : transfers_(transfers), clock_(clock), look_every_(look_every) {}
  TransferFollower(const TransferFollower&) = delete;
  TransferFollower& operator=(const TransferFollower&) = delete;
  ~TransferFollower() = default;

  void add(PluginTransfer transfer);

  struct Followed {
    PluginTransfer transfer;
    TransferSight sight;
    bool is_missing = false;  // its plugin writes resources, and has none for it
  };
  // The run is over: looks once more at all of them. Resources that are missing are waited for, for kResourceGrace in
  // all, and only where the plugin has ever written one: a plugin that writes none costs no time.
  std::vector<Followed> finish(const std::stop_token& stop);

  // Tells all of them to stop.
  void cancel(const Logger& log, const std::stop_token& stop);

 private:
  using All = std::vector<PluginTransfer>;
  void look_at_all(const std::stop_token& stop);
  void end_thread();
  void wait_for_missing(std::vector<Followed>& all, const std::stop_token& stop);
  bool writes_resources(const PluginTransfer& transfer, const std::stop_token& stop);

  PluginTransfers& transfers_;
  Clock& clock_;
  const Duration look_every_;
  std::map<std::string, bool> writers_;  // by location; finish() only
  Guarded<All> all_;
  Guarded<std::jthread> thread_;  // last
};

// The operation by which the rest of it is waited for; `owner` is the Backup or Restore.
operation::ItemOperation operation_of(const TransferFollower::Followed& one, const json::Json& owner,
                                      std::string_view action, WallTime now);

}  // namespace landfall::control
