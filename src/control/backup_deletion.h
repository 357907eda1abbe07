#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "control/backup_cleanup.h"
#include "control/context.h"
#include "control/plugin_actions.h"
#include "control/problem_list.h"
#include "extension/item_action.h"
#include "json/json.h"
#include "kube/controller.h"

namespace landfall::control {

struct BackupDeletionSettings {
  // Requests with errors are kept for so long.
  Duration max_age = std::chrono::hours(24);
  // How long restores may take to go whose finalizers are others' business.
  Duration finalizer_wait = std::chrono::minutes(1);
  std::string spool_directory = "/tmp";
  PluginActions* plugins = nullptr;  // whose actions come after the others
};

// What all deletions have in common. Cleanups and actions are borrowed.
struct DeletionTools {
  Context context;
  BackupDeletionSettings settings;
  std::vector<BackupCleanup*> cleanups;
  std::vector<extension::DeleteItemAction*> actions;
};

// One DeleteBackupRequest being obeyed, from wherever an earlier attempt has left it. Lives for one call of run(), on
// one thread.
class BackupDeletion {
 public:
  // `request` is New or InProgress.
  BackupDeletion(const DeletionTools& tools, json::Json request, const std::stop_token& stop);

  // An error means that it is to be tried again; what cannot be done is in the request then.
  Result<kube::Reconciled> run();

 private:
  enum class Readiness { kReady, kLater, kRefused };

  // Why the backup must not be deleted now.
  Result<std::optional<std::string>> obstacle();
  std::optional<std::string> obstacle_in_backup() const;
  // Opens the bucket, if the backup can have anything there; kRefused leaves the reason in `problems_`.
  Result<Readiness> open_bucket();
  bool was_never_started() const;
  // Finds out whether the folder is this Backup's, and what it keeps elsewhere.
  Status look_into_bucket();
  Status check_volume_data();
  bool has_work(const BackupCleanup& cleanup) const;

  Status begin();
  void remove_data();
  Status run_actions();
  Result<std::vector<json::Json>> restores() const;
  Status remove_restores();
  Status remove_restore(const json::Json& restore);
  Status await_restores(const std::vector<json::Json>& gone);
  enum class Which { kOthers, kAll };
  Status remove_requests(Which which) const;

  Result<kube::Reconciled> refuse(std::string why);
  Result<kube::Reconciled> end_with_problems();
  Result<kube::Reconciled> complete();
  std::string schedule() const;
  // Not asked for so long ago that nobody waits for it any more.
  bool is_young() const;
  Status stopped() const;

  const DeletionTools& tools_;
  const Context& context_;
  json::Json request_;
  const std::stop_token& stop_;
  const std::string name_;  // of the backup
  const Logger log_;
  bool is_begun_;  // the request is InProgress, from this run or an earlier one

  json::Json backup_;
  std::unique_ptr<location::OpenedLocation> bucket_;  // null: the backup has nothing there
  bool is_ours_ = true;                               // what is in the folder of that name
  std::map<VolumeData, int> volumes_;
  bool is_in_use_ = false;  // what has to go before the rest
  ProblemList problems_;
};

}  // namespace landfall::control
