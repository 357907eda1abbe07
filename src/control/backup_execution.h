#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "backup/backup_run.h"
#include "control/backup_preparation.h"
#include "control/backup_settings.h"
#include "control/context.h"
#include "control/snapshot_backup_run.h"
#include "operation/run_log.h"

namespace landfall::control {

// A backup over which the server has died so often is given up: it may be what kills it.
inline constexpr std::int64_t kMaxTries = 10;

// One backup, from the moment it has been prepared to the moment its files are stored. Used once, by one thread.
class BackupExecution {
 public:
  BackupExecution(const Context& context, const BackupSettings& settings, PreparedBackup prepared);

  const PreparedBackup& prepared() const { return prepared_; }
  // An earlier try had stored all of it.
  bool is_stored() const { return stored_.has_value(); }

  // Adds to the problems when another backup of that name is stored already. Of an earlier try of this very backup what
  // is half-written is removed; if it was stored whole, run() goes on from there.
  Status look_into_bucket(bool is_second_try, const std::stop_token& stop);

  // The problems into the Backup: FailedValidation, or Failed when it had been running before.
  Status refuse(const json::Json& before, bool is_second_try, const std::stop_token& stop);
  // Of what an earlier try left nothing stays.
  Status cancel_before_start(const json::Json& before, const std::stop_token& stop);

  // Makes the backup and stores it. An error leaves the Backup InProgress, to be tried again: the server stops, or the
  // API server does not take the Backup's new state. Any other failure is written into the Backup.
  Status run(const json::Json& before, bool is_second_try, const std::stop_token& stop);

 private:
  // The plugin of its bucket logs into it, too.
  Status open_log();
  Status begin(const json::Json& before, bool is_second_try, const std::stop_token& stop);
  Status end_canceled(const json::Json& before, json::Json after, const std::stop_token& stop);
  // The Backup as it is now; kGone when it was deleted, and maybe made anew, since this run began.
  Result<json::Json> current(const std::stop_token& stop) const;
  Status say_outcome(const std::stop_token& stop);
  Status look_failed(const Error& error, const std::stop_token& stop);
  Status adopt(const json::Json& before, const std::stop_token& stop);
  Result<backup::BackupProduct> make(const std::stop_token& stop, const std::stop_token& server_stop);
  void finish_snapshots(backup::BackupProduct& product, progress::ItemReporter& progress, const std::stop_token& stop);
  // There will be no backup: its snapshots go.
  void discard_snapshots();
  // The same of an earlier try, as far as its files or VolumePluginBackups tell of them.
  Status discard_earlier(const json::Json& before, const std::stop_token& stop);
  Status store(const backup::BackupProduct& product, const std::stop_token& stop);
  Status fill_in_outcome(json::Json& backup, const backup::BackupProduct& product) const;
  void keep_log(const std::stop_token& stop);
  Status end_failed(const Error& error, const std::stop_token& stop);

  const Context& context_;
  const BackupSettings& settings_;
  PreparedBackup prepared_;
  const std::string name_;
  std::unique_ptr<location::OpenedLocation> bucket_;
  std::optional<json::Json> stored_;  // by an earlier try
  json::Json backup_;                 // as it is in the cluster, and then as it is stored
  json::Json before_outcome_;         // as it was before its outcome was filled in
  std::shared_ptr<operation::RunLog> run_log_;
  Logger log_;
  std::optional<progress::ItemProgress> last_progress_;
  hooks::HookCounts hooks_;
  std::vector<json::Json> pod_volume_backups_;  // as they ended, those of an earlier try among them
  SnapshotBackupRun::Ended snapshots_;
  std::optional<SnapshotBackupRun> snapshot_run_;  // last: its thread uses the log
};

}  // namespace landfall::control
