#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/environment.h"
#include "base/log.h"
#include "base/random.h"
#include "extension/volume_snapshotter.h"
#include "io/process.h"
#include "plugin_local/settings.h"
#include "plugin_local/task.h"

namespace landfall::plugin_local {

// What a LocalSnapshotter works with; all of it outlives it.
struct LocalParts {
  Clock& clock;
  Random& random;
  io::ProcessRunner& processes;
  Environment environment;  // that of its workers
  std::string program;      // that runs as a worker: landfall-plugin-local
  Logger log;
};

// Snapshots of volumes that are directories (`local`, hostPath): copies beside the volume, checksummed, made by worker
// processes that outlive this one. A worker that has died is replaced whenever somebody asks, and when this starts.
class LocalSnapshotter final : public extension::VolumeSnapshotter {
 public:
  // Makes the directories that it needs, tidies up, forgets volumes that were made long ago and sees to workers that
  // have died.
  static Result<std::unique_ptr<LocalSnapshotter>> open(Settings settings, LocalParts parts);

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
  LocalSnapshotter(Settings settings, LocalParts parts);

  Status make_directories() const;
  void tidy_up() const;
  void revive_all() const;
  void forget_if_old(const Task& volume) const;
  // First out of sight, so that a removal that is cut short leaves nothing that looks like a task.
  Status throw_away(TaskKind kind, const std::string& id) const;
  Status begin(const Task& task, const std::stop_token& stop) const;
  Status start_worker(const Task& task, const std::stop_token& stop) const;
  // The task, and a worker for it if it needs one and has none.
  Result<Task> look_after(TaskKind kind, const std::string& id, const std::stop_token& stop) const;
  Result<extension::TransferProgress> progress_of(const Task& task) const;
  Status cancel(TaskKind kind, const std::string& id, const std::stop_token& stop) const;
  Result<std::string> task_of_volume(const std::string& volume_id, const std::string& snapshot_id) const;

  const Settings settings_;
  const LocalParts parts_;
  const Layout layout_;
};

}  // namespace landfall::plugin_local
