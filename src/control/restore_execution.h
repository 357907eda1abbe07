#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "api/restore.h"
#include "control/active_restores.h"
#include "control/context.h"
#include "control/restore_files.h"
#include "control/restore_inputs.h"
#include "control/restore_item_actions.h"
#include "control/restore_preparation.h"
#include "control/restore_settings.h"
#include "control/snapshot_restore_run.h"
#include "operation/run_log.h"
#include "progress/item_reporter.h"
#include "restore/restore_run.h"
#include "volume_info/restore_volume_info_tracker.h"

namespace landfall::control {

// A restore over which the server has died so often is given up: it may be what kills it. Each try goes on where the
// one before it was stopped, so that this is far more than any restore needs.
inline constexpr std::int64_t kMaxRestoreTries = 100;

// Of a Restore that was begun as a preview: it stays one, whatever becomes of its spec.
inline constexpr std::string_view kPreviewAnnotation = "landfall.dev/preview";

// The spec that a Restore was begun with, for as long as it runs: who goes on with it goes on with that.
inline constexpr std::string_view kSpecAnnotation = "landfall.dev/spec";

// One restore, from the moment it has been prepared to the moment its files are stored. Used once, by one thread.
class RestoreExecution {
 public:
  RestoreExecution(const Context& context, const RestoreSettings& settings, ActiveRestores& active,
                   PreparedRestore prepared);

  const PreparedRestore& prepared() const { return prepared_; }

  // Adds to the problems when the bucket of the backup cannot be used.
  Status open_bucket(bool is_second_try, const std::stop_token& stop);
  // The problems into the Restore: FailedValidation, or Failed when it had been running before.
  Status refuse(const json::Json& before, bool is_second_try, const std::stop_token& stop);

  // Restores, or finds out what would be done, and stores what is to be known of it. An error leaves the Restore
  // InProgress, to be gone on with: the server stops, or the API server does not take the Restore's new state. Any
  // other failure is written into the Restore.
  Status run(const json::Json& before, bool is_second_try, const std::stop_token& stop);

 private:
  // The plugin of its bucket logs into it, too.
  Status open_log();
  Status begin(const json::Json& before, bool is_second_try, const std::stop_token& stop);
  // The Restore as it is now; kGone when it is gone, and maybe made anew.
  Result<json::Json> current(const std::stop_token& stop) const;

  struct Stops {
    const std::stop_token& server;
    const std::stop_token& run;
  };
  Status restore(bool is_second_try, const Stops& stops);
  Result<restore::RestoreProduct> make(bool is_second_try, const Stops& stops);
  Result<restore::RestoreProduct> run_engine(bool is_second_try, progress::ItemReporter& progress, const Stops& stops);
  Result<restore::RestoreProduct> run_with_pod_volumes(const restore::RestoreJob& job, restore::RestoreTools& tools,
                                                       const RestoreInputs& inputs, bool is_second_try,
                                                       const Stops& stops);
  void end_snapshots(SnapshotRestoreRun& snapshots, Result<restore::RestoreProduct>& product, bool is_second_try,
                     const Stops& stops);
  // Makes a row of each volume, and says in the results which have not got their data.
  void account_for_volumes(const RestoreInputs& inputs, restore::RestoreProduct& product, const std::stop_token& stop);
  Status preview(const Stops& stops);
  Result<restore::Plan> make_preview(const Stops& stops);
  restore::RestoreJob job_of(const RestoreInputs& inputs) const;
  restore::RestoreTools tools_of(progress::ItemReporter& progress, operation::Journal& journal);
  std::string version_priorities(const std::stop_token& stop) const;
  bool wants_pod_volumes() const;
  void close(progress::ItemReporter& progress, const std::stop_token& stop);

  Status end_run(restore::RestoreProduct product, const Stops& stops);
  Status end_preview(const restore::Plan& plan, const std::stop_token& stop);
  Status end_canceled(const std::stop_token& stop);
  Status end_failed(const Error& error, const std::stop_token& stop);
  Status end_interrupted(const Error& error, bool is_second_try, const Stops& stops);

  void store(restore::RestoreProduct& product, const std::stop_token& stop);
  Status store_log(const std::stop_token& stop);
  void store_list(const restore::RestoreProduct& product, const std::stop_token& stop);
  Status patiently(const std::function<Status()>& write, const std::stop_token& stop);
  void say_if_not_stored(std::string_view what, const Status& stored) const;
  void cancel_operations(const restore::RestoreProduct& product, const std::stop_token& stop) const;
  // Nothing of it is gone on with.
  void forget_journal(const std::stop_token& stop);

  const Context& context_;
  const RestoreSettings& settings_;
  ActiveRestores& all_active_;
  PreparedRestore prepared_;
  const std::string name_;
  const std::string uid_;
  std::unique_ptr<RestoreFiles> files_;        // until the journal is opened
  std::shared_ptr<const json::Json> restore_;  // as it was begun
  api::RestoreSpec spec_;                      // of that
  std::optional<item_actions::RestoreActionContext> action_context_;
  SharedRestoreActions plugin_actions_;
  std::shared_ptr<ActiveRestore> active_;
  std::shared_ptr<operation::RunLog> run_log_;
  Logger log_;
  std::optional<progress::ItemProgress> last_progress_;
  std::optional<volume_info::RestoreVolumeInfoTracker> volumes_;
  json::Json volume_infos_ = json::Json::array();
  std::stop_source run_stop_;        // told by a cancel, too
  SteadyTime store_deadline_{};      // until then a bucket that is away is waited for
  bool is_canceled_before_ = false;  // while no server was there
};

// Whether it is one, and was from the start.
bool is_preview(const json::Json& restore);

}  // namespace landfall::control
