#include "server/controllers.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "control/backup_deletion_reconciler.h"
#include "control/backup_finalizer_reconciler.h"
#include "control/backup_operations_reconciler.h"
#include "control/backup_queue_reconciler.h"
#include "control/backup_repository_reconciler.h"
#include "control/backup_run_reconciler.h"
#include "control/backup_sync_reconciler.h"
#include "control/download_request_reconciler.h"
#include "control/gc_reconciler.h"
#include "control/restore_finalizer_reconciler.h"
#include "control/restore_operations_reconciler.h"
#include "control/restore_run_reconciler.h"
#include "control/restore_withdrawal_reconciler.h"
#include "control/schedule_reconciler.h"
#include "control/server_status_reconciler.h"
#include "control/storage_location_reconciler.h"
#include "hooks/init_hook_action.h"
#include "item_actions/built_in_actions.h"
#include "item_actions/restore_actions.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "location/drivers.h"
#include "server/changes.h"
#include "server/totals.h"

namespace landfall::server {
namespace {

using kube::CacheChange;
using kube::Controller;
using Names = std::vector<k8s::NamespacedName>;

// A bucket that does not answer must not hold up the others.
constexpr int kLocationWorkers = 4;
constexpr int kSyncWorkers = 2;
constexpr int kDeletionWorkers = 2;
constexpr int kFinishWorkers = 2;
constexpr int kDownloadWorkers = 4;  // somebody waits for each of them

// The object itself, when the change is work.
Names itself(const CacheChange& change) { return is_work(change) ? Names{change.name} : Names(); }

// One name for all: many changes become one look.
Controller::Map as_one(const std::string& name_space) {
  return [one = k8s::NamespacedName{name_space, "all"}](const CacheChange& change) {
    return is_work(change) ? Names{one} : Names();
  };
}

// The object itself, when the change is work and it is in one of the phases then.
Controller::Map in_phase(std::vector<std::string> phases) {
  return [phases = std::move(phases)](const CacheChange& change) {
    const bool is_one = std::ranges::find(phases, phase_of(change.after)) != phases.end();
    return is_one && is_work(change) ? Names{change.name} : Names();
  };
}

// The repositories in a location that has changed.
Controller::Map repositories_of(const kube::Cache& repositories) {
  return [&repositories](const CacheChange& change) {
    Names names;
    if (!is_work(change)) return names;
    for (const kube::Object& repository : repositories.list()) {
      if (json::string_or(*repository, {"spec", "backupStorageLocation"}, "") == change.name.name) {
        names.push_back(k8s::ObjectView(*repository).namespaced_name());
      }
    }
    return names;
  };
}

// Adds the controllers one by one, unless they are switched off.
class Wiring {
 public:
  Wiring(ControllerSet& set, const Parts& parts)
      : set_(set), parts_(parts), context_(parts.context), options_(parts.options) {}

  void add_all() {
    add_location_controllers();
    add_backup_controllers();
    add_restore_controllers();
    add_deletion_controllers();
    add_request_controllers();
    set_.add_task("totals", [backups = &set_.cache(api::kBackup), restores = &set_.cache(api::kRestore),
                             context = &context_](const std::stop_token& stop) {
      keep_counting(*backups, *restores, context->metrics, context->clock, stop);
    });
  }

 private:
  // `make` is called only when it is not switched off.
  template <class Make>
  void add(const std::string& name, const api::Kind& kind, Controller::Map map, int workers, const Make& make) {
    if (!is_enabled(options_, name)) return;
    set_.add(name, make(), workers).watch(set_.cache(kind), std::move(map));
  }

  void add_location_controllers() {
    // Without it nothing works, so it has no name to switch it off by.
    add("backup-storage-location", api::kBackupStorageLocation, itself, kLocationWorkers, [&] {
      return std::make_unique<control::StorageLocationReconciler>(
          context_,
          control::StorageLocationReconciler::Settings{.validation_frequency = options_.store_validation_frequency,
                                                       .default_location = options_.default_backup_location});
    });
    add("backup-sync", api::kBackupStorageLocation, itself, kSyncWorkers, [&] {
      return std::make_unique<control::BackupSyncReconciler>(
          context_, control::BackupSyncReconciler::Settings{.period = options_.backup_sync_period});
    });
    if (!is_enabled(options_, "backup-repo")) return;
    kube::Cache& repositories = set_.cache(api::kBackupRepository);
    Controller& controller =
        set_.add("backup-repo", std::make_unique<control::BackupRepositoryReconciler>(
                                    context_,
                                    control::BackupRepositoryReconciler::Settings{
                                        .maintenance_frequency = options_.default_repo_maintain_frequency},
                                    parts_.volumes.managers()));
    controller.watch(repositories, itself);
    controller.watch(set_.cache(api::kBackupStorageLocation), repositories_of(repositories));
  }

  void add_backup_controllers() {
    const int concurrent = static_cast<int>(options_.concurrent_backups);
    add("schedule", api::kSchedule, itself, 1, [&] {
      return std::make_unique<control::ScheduleReconciler>(
          context_, control::ScheduleReconciler::Settings{.skip_immediately = options_.schedule_skip_immediately});
    });
    add("backup-queue", api::kBackup, as_one(context_.name_space), 1, [&] {
      return std::make_unique<control::BackupQueueReconciler>(
          context_, control::BackupQueueReconciler::Settings{.concurrent_backups = concurrent});
    });
    add("backup", api::kBackup, in_phase({"ReadyToStart", "InProgress"}), concurrent, [&] {
      set_.cache(api::kBackup).on_change([running = &context_.running](const CacheChange& change) {
        control::cancel_if_wanted(api::kBackup, change, *running);
      });
      return std::make_unique<control::BackupRunReconciler>(context_, backup_settings());
    });
    add("backup-operations", api::kBackup,
        in_phase({"WaitingForPluginOperations", "WaitingForPluginOperationsPartiallyFailed"}), kFinishWorkers,
        [&] { return std::make_unique<control::BackupOperationsReconciler>(context_, backup_settings()); });
    add("backup-finalizer", api::kBackup, in_phase({"Finalizing", "FinalizingPartiallyFailed"}), kFinishWorkers,
        [&] { return std::make_unique<control::BackupFinalizerReconciler>(context_, backup_settings()); });
  }

  control::PodVolumeSettings pod_volume_settings() const {
    return {.timeout = options_.fs_backup_timeout, .resource_timeout = options_.resource_timeout};
  }

  control::BackupSettings backup_settings() const {
    return {.defaults = {.ttl = options_.default_backup_ttl,
                         .item_operation_timeout = options_.default_item_operation_timeout,
                         .volumes_to_fs_backup = options_.default_volumes_to_fs_backup,
                         .snapshot_move_data = options_.default_snapshot_move_data,
                         .volume_group_label = options_.volume_group_snapshot_label_key},
            .default_location = options_.default_backup_location,
            .default_snapshot_locations = options_.default_volume_snapshot_locations,
            .global_policies = options_.global_volume_policies_configmap,
            .resource_timeout = options_.resource_timeout,
            .operation_sync_frequency = options_.item_operation_sync_frequency,
            .page_size = options_.client_page_size,
            .workers = static_cast<int>(options_.item_block_worker_count),
            .spool_directory = parts_.spool_directory,
            .log_format = options_.log_format,
            .log_level = options_.log_level,
            .make_actions =
                [](kube::Client& client, const kube::Discovery& discovery) {
                  return item_actions::built_in_backup_actions(client, discovery);
                },
            .plugins = &parts_.plugins,
            .pod_volumes = pod_volume_settings(),
            .snapshots = snapshots_};
  }

  void add_restore_controllers() {
    add("restore", api::kRestore, in_phase({"", "New", "InProgress"}), 1, [&] {
      set_.cache(api::kRestore).on_change([running = &context_.running](const CacheChange& change) {
        control::cancel_if_wanted(api::kRestore, change, *running);
      });
      return std::make_unique<control::RestoreRunReconciler>(context_, restore_settings(), parts_.active_restores);
    });
    if (is_enabled(options_, "restore")) {
      // Part of the one above, but not behind the restore that runs.
      set_.add("restore-withdrawal", std::make_unique<control::RestoreWithdrawalReconciler>(
                                         context_, restore_settings(), parts_.active_restores))
          .watch(set_.cache(api::kRestore), itself);
    }
    add("restore-operations", api::kRestore,
        in_phase({"WaitingForPluginOperations", "WaitingForPluginOperationsPartiallyFailed"}), kFinishWorkers, [&] {
          return std::make_unique<control::RestoreOperationsReconciler>(context_, restore_settings(),
                                                                        parts_.active_restores);
        });
    add("restore-finalizer", api::kRestore, in_phase({"Finalizing", "FinalizingPartiallyFailed"}), kFinishWorkers, [&] {
      return std::make_unique<control::RestoreFinalizerReconciler>(context_, restore_settings(),
                                                                   parts_.active_restores);
    });
    // The hooks that still run must not go on when another replica may have begun with them.
    set_.add_task("restore-hooks",
                  [active = &parts_.active_restores, clock = &context_.clock](const std::stop_token& stop) {
                    clock->sleep_for(Duration::max(), stop);
                    active->clear();
                  });
  }

  control::RestoreSettings restore_settings() const {
    return {.defaults = {.item_operation_timeout = options_.default_item_operation_timeout},
            .operation_sync_frequency = options_.item_operation_sync_frequency,
            .engine = {.priorities = restore_priorities(options_).value_or(selection::RestorePriorities::defaults()),
                       .managed_fields = options_.restore_managed_fields == "always" ? restore::ManagedFields::kAlways
                                                                                     : restore::ManagedFields::kApplied,
                       .chooses_versions = has_feature(options_, kFeatureApiGroupVersions),
                       .has_csi = has_feature(options_, kFeatureCsi),
                       .terminating_timeout = options_.terminating_resource_timeout,
                       .resource_timeout = options_.resource_timeout,
                       .spool_directory = parts_.spool_directory},
            .log_format = options_.log_format,
            .log_level = options_.log_level,
            .pod_volumes = pod_volume_settings(),
            .snapshots = snapshots_,
            .make_actions = &item_actions::built_in_restore_actions,
            .plugins = &parts_.plugins};
  }

  void add_deletion_controllers() {
    add("gc", api::kBackup, itself, 1, [&] {
      return std::make_unique<control::GcReconciler>(
          context_, control::GcReconciler::Settings{.frequency = options_.garbage_collection_frequency});
    });
    add("backup-deletion", api::kDeleteBackupRequest, itself, kDeletionWorkers, [&] {
      return std::make_unique<control::BackupDeletionReconciler>(
          context_,
          control::BackupDeletionReconciler::Settings{.spool_directory = parts_.spool_directory,
                                                      .plugins = &parts_.plugins},
          parts_.volumes.cleanups(), std::vector<extension::DeleteItemAction*>());
    });
  }

  void add_request_controllers() {
    add("download-request", api::kDownloadRequest, itself, kDownloadWorkers, [&] {
      return std::make_unique<control::DownloadRequestReconciler>(
          context_, parts_.tokens,
          control::DownloadRequestReconciler::Settings{
              .endpoint_url = parts_.artifacts_url, .pod = options_.pod, .endpoint_port = parts_.artifacts_port});
    });
    add("server-status-request", api::kServerStatusRequest, itself, 1, [&] {
      return std::make_unique<control::ServerStatusReconciler>(
          context_, control::ServerStatusReconciler::Settings{.server_version = options_.version, .plugins = listed()});
    });
  }

  // What `velero plugin get` shows.
  static std::vector<control::ServerStatusReconciler::Plugin> built_in() {
    std::vector<control::ServerStatusReconciler::Plugin> plugins;
    plugins.reserve(item_actions::kBuiltInBackupActions.size() + location::kBuiltInProviders.size());
    for (const std::string_view name : item_actions::kBuiltInBackupActions) {
      plugins.push_back({.name = std::string(name), .kind = "BackupItemAction"});
    }
    for (const std::string_view name : item_actions::built_in_restore_action_names()) {
      plugins.push_back({.name = std::string(name), .kind = "RestoreItemAction"});
    }
    plugins.push_back({.name = std::string(hooks::kInitHookAction), .kind = "RestoreItemAction"});
    for (const std::string_view name : location::kBuiltInProviders) {
      plugins.push_back({.name = std::string(name), .kind = "ObjectStore"});
    }
    return plugins;
  }

  std::vector<control::ServerStatusReconciler::Plugin> listed() const {
    std::vector<control::ServerStatusReconciler::Plugin> all = built_in();
    for (auto& one : parts_.plugins.listed()) all.push_back(std::move(one));
    return all;
  }

  ControllerSet& set_;
  const Parts& parts_;
  const control::Context& context_;
  const ServerOptions& options_;
  // Of this term: what plugins have open goes with the reconcilers.
  const std::shared_ptr<control::SnapshotSessions> snapshots_ = std::make_shared<control::SnapshotSessions>();
};

}  // namespace

void add_controllers(ControllerSet& set, const Parts& parts) { Wiring(set, parts).add_all(); }

}  // namespace landfall::server
