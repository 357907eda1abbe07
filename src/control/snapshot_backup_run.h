#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "backup/volume_takers.h"
#include "base/clock.h"
#include "base/guarded.h"
#include "control/context.h"
#include "control/plugin_transfers.h"
#include "control/snapshot_records.h"
#include "control/snapshotters.h"
#include "control/transfer_follower.h"
#include "json/json.h"
#include "operation/item_operation.h"
#include "progress/item_reporter.h"

namespace landfall::control {

// Takes snapshots of PersistentVolumes through the volume snapshotters of a backup's locations: the first that says
// that a volume is its own takes it. For one backup. Thread-safe.
class SnapshotBackupRun final : public backup::SnapshotTaker {
 public:
  // `backup` as it is, with its locations chosen. The context is borrowed.
  SnapshotBackupRun(const Context& context, std::shared_ptr<Snapshotters> snapshotters, Duration look_every,
                    json::Json backup, Logger log);

  // Of a backup that is run again: what an earlier try has begun ends, if it can be told so. It stays in the list of
  // resources, to be deleted with the backup.
  void end_earlier(const std::stop_token& stop);

  Result<std::optional<std::string>> take(const json::Json& volume, const std::stop_token& stop) override;

  struct Ended {
    std::vector<TakenSnapshot> taken;
    std::vector<json::Json> resources;  // VolumePluginBackups as they are
    std::vector<operation::ItemOperation> operations;

    json::Json records() const;
    std::int64_t completed() const;
  };
  // All volumes were asked for. What has failed is an error in the log, what goes on is an operation.
  Ended finish(progress::ItemReporter& progress, const std::stop_token& stop);

  // There will be no backup: nothing of it is to stay. For so long as `stop` lets it.
  void discard(const std::stop_token& stop);

 private:
  struct Owner {
    Snapshotters::Opened opened;
    std::string location;
    std::string volume_id;
  };
  // Whose volume it is; nothing when it is nobody's. An error when a location could not be asked, which `facts` then
  // names, and no other took it.
  Result<std::optional<Owner>> owner_of(const json::Json& volume, SnapshotFacts& facts,
                                        const std::stop_token& stop) const;
  Result<std::string> create(const Owner& owner, const json::Json& volume, SnapshotFacts& facts,
                             const std::stop_token& stop) const;
  Logger log_of(const std::string& volume) const;

  const Context& context_;
  const std::shared_ptr<Snapshotters> snapshotters_;
  const json::Json backup_;
  const std::vector<std::string> locations_;
  const Logger log_;
  PluginTransfers transfers_;
  Guarded<std::vector<TakenSnapshot>> taken_;
  TransferFollower follower_;  // last: its thread uses the others
};

}  // namespace landfall::control
