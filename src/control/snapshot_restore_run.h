#pragma once

#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "control/context.h"
#include "control/plugin_transfers.h"
#include "control/snapshot_records.h"
#include "control/snapshotters.h"
#include "control/transfer_follower.h"
#include "json/json.h"
#include "operation/item_operation.h"
#include "operation/journal.h"
#include "restore/volume_restorers.h"
#include "volume_info/restored_rows.h"

namespace landfall::control {

// Makes volumes of the snapshots of a backup, through the volume snapshotters of the locations that they are in. For
// one restore. What was made is in the restore's journal before it is used, so that a restore that goes on in another
// process does not make it again. Thread-safe.
class SnapshotRestoreRun final : public restore::SnapshotRestorer {
 public:
  // `records` are those of NAME-volumesnapshots.json.gz, null where the backup has none; `found_lines` what an earlier
  // process has written into the journal. The context, the journal and those lines are borrowed.
  SnapshotRestoreRun(const Context& context, std::shared_ptr<Snapshotters> snapshotters, Duration look_every,
                     json::Json restore, const json::Json* records, operation::Journal& journal,
                     const std::vector<std::string>& found_lines, Logger log);

  Status restore(json::Json& volume, const std::stop_token& stop) override;

  struct Ended {
    std::vector<operation::ItemOperation> operations;  // what goes on
    std::vector<std::string> errors;                   // what has failed, with the names of the volumes
    std::vector<volume_info::RestoredNative> volumes;  // that were made, also by an earlier process
    std::vector<PluginTransfer> quiet;                 // those of which nobody tells: a resource may still come
  };
  Ended finish(const std::stop_token& stop);
  // The volumes that were made, by what the journal of the restore has of them.
  static std::vector<PluginTransfer> made_in(const std::vector<std::string>& journal_lines);

  // Of a restore that was canceled, which does not wait: volumes of which nobody knows whether all bytes have come.
  std::vector<volume_info::RestoredNative> made_before_cut() const;

  // Tells all that goes on to stop.
  void cancel(const std::stop_token& stop) { follower_.cancel(log_, stop); }

 private:
  // What an earlier process had begun for a volume, or ended.
  struct Earlier {
    PluginTransfer transfer;
    bool is_made = false;
  };
  using AllEarlier = std::map<std::string, Earlier>;  // by volume
  static AllEarlier read_lines(const std::vector<std::string>& lines);
  Result<json::Json> record_of(const std::string& volume) const;
  Result<std::string> make(const SnapshotFacts& facts, PluginTransfer& transfer, const std::stop_token& stop);
  // The volume that an earlier process has had made without being able to write it down.
  std::optional<std::string> made_before(PluginTransfer& transfer, const std::stop_token& stop);
  // What is known of a volume that was made, but for how far it is.
  static volume_info::RestoredNative made_volume(const std::string& name, const SnapshotFacts& facts);
  std::vector<volume_info::RestoredNative> made_volumes() const;
  void write_down(const json::Json& line, const std::stop_token& stop);

  const Context& context_;
  const std::shared_ptr<Snapshotters> snapshotters_;
  const json::Json restore_;
  std::map<std::string, json::Json> records_;  // by volume
  operation::Journal& journal_;
  const Logger log_;
  const AllEarlier earlier_;
  PluginTransfers transfers_;
  Guarded<std::vector<volume_info::RestoredNative>> made_;
  TransferFollower follower_;  // last: its thread uses the others
};

}  // namespace landfall::control
