#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/clock.h"
#include "extension/volume_snapshotter.h"

namespace landfall::control {

// A volume snapshotter that is not waited for without end: a plugin that never answers must not hold up others. Taking
// a snapshot and making a volume may last as long as they need, until they are stopped: some return only when all bytes
// have moved. Thread-safe.
class TimedSnapshotter final : public extension::VolumeSnapshotter {
 public:
  struct Limits {
    Duration answer = std::chrono::minutes(1);   // to a question, or when it is told to stop
    Duration action = std::chrono::minutes(10);  // for everything else
  };
  // The clock is borrowed.
  TimedSnapshotter(std::unique_ptr<extension::VolumeSnapshotter> inner, Clock& clock, Limits limits)
      : inner_(std::move(inner)), clock_(clock), limits_(limits) {}

  Result<std::string> volume_id(const json::Json& volume, const std::stop_token& stop) override;
  Status set_volume_id(json::Json& volume, const std::string& volume_id, const std::stop_token& stop) override;
  Result<extension::VolumeTraits> volume_traits(const std::string& volume_id, const std::string& zone,
                                                const std::stop_token& stop) override;
  Result<std::string> create_snapshot(const std::string& volume_id, const std::string& zone,
                                      const std::map<std::string, std::string>& tags,
                                      const std::stop_token& stop) override;
  Result<std::string> create_volume(const std::string& snapshot_id, const extension::VolumeTraits& traits,
                                    const std::string& zone, const std::stop_token& stop) override;
  Status delete_snapshot(const std::string& snapshot_id, const std::stop_token& stop) override;
  Result<extension::TransferProgress> snapshot_progress(const std::string& snapshot_id,
                                                        const std::stop_token& stop) override;
  Result<extension::TransferProgress> volume_progress(const std::string& volume_id, const std::string& snapshot_id,
                                                      const std::stop_token& stop) override;
  Status cancel_snapshot(const std::string& snapshot_id, const std::stop_token& stop) override;
  Status cancel_volume(const std::string& volume_id, const std::string& snapshot_id,
                       const std::stop_token& stop) override;

 private:
  template <class Call>
  auto within(Duration limit, const std::stop_token& stop, const Call& call);

  const std::unique_ptr<extension::VolumeSnapshotter> inner_;
  Clock& clock_;
  const Limits limits_;
};

}  // namespace landfall::control
