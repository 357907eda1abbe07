#pragma once

#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "api/names.h"
#include "base/guarded.h"
#include "kube/cache.h"
#include "operation/run_log.h"

namespace landfall::control {

// The backups and restores that this process is working on right now: others must not touch them, their logs can be
// read already, and they can be told to stop. Thread-safe.
class RunningOperations {
 public:
  // Ends with its life.
  class Entry {
   public:
    Entry(RunningOperations& all, std::pair<std::string, std::string> key) : all_(&all), key_(std::move(key)) {}
    Entry(Entry&& other) noexcept : all_(std::exchange(other.all_, nullptr)), key_(std::move(other.key_)) {}
    Entry& operator=(Entry&&) = delete;
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    ~Entry();

   private:
    RunningOperations* all_;
    std::pair<std::string, std::string> key_;
  };

  // `cancel` is told to stop by cancel(). Nothing when it is running already.
  std::optional<Entry> begin(const api::Kind& kind, const std::string& name, std::shared_ptr<operation::RunLog> log,
                             std::stop_source cancel);

  bool is_running(const api::Kind& kind, const std::string& name) const;
  // Null when it is not running here.
  std::shared_ptr<operation::RunLog> log(const api::Kind& kind, const std::string& name) const;
  // False when it is not running here.
  bool cancel(const api::Kind& kind, const std::string& name);

 private:
  struct Operation {
    std::shared_ptr<operation::RunLog> log;
    std::stop_source cancel;
  };
  using Key = std::pair<std::string, std::string>;  // kind, name
  Guarded<std::map<Key, Operation>> operations_;
};

// Tells a backup or restore that runs here to stop when its spec says so, or when its object is deleted. For the cache
// that watches them: must not wait for a reconciler, which is busy with it.
void cancel_if_wanted(const api::Kind& kind, const kube::CacheChange& change, RunningOperations& running);

}  // namespace landfall::control
