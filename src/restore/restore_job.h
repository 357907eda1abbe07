#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/restore.h"
#include "archive/spooled_archive.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "extension/item_action.h"
#include "json/json_fwd.h"
#include "kube/client.h"
#include "kube/discovery.h"
#include "modifiers/resource_modifiers.h"
#include "operation/journal.h"
#include "progress/item_reporter.h"
#include "restore/adaptive_loop.h"
#include "restore/plan.h"
#include "restore/volume_restorers.h"
#include "selection/resource_policies.h"
#include "selection/restore_filter_spec.h"
#include "selection/restore_priorities.h"

namespace landfall::hooks {
class RestoreHookRun;
}

namespace landfall::restore {

// What to restore. Everything is borrowed.
struct RestoreJob {
  const json::Json& restore;  // the Restore with its defaults; without a server one that was made up
  const api::RestoreSpec& spec;
  const selection::RestoreFilterSpec& filter;
  const json::Json& backup;  // the Backup
  const archive::SpooledArchive& archive;
  const json::Json* volume_infos = nullptr;          // NAME-volumeinfo.json; null: the backup has none
  const json::Json* volume_snapshots = nullptr;      // NAME-volumesnapshots.json; for backups without the above
  const json::Json* csi_volume_snapshots = nullptr;  // NAME-csi-volumesnapshots.json; likewise
  const std::vector<json::Json>* pod_volume_backups = nullptr;  // PodVolumeBackups of the backup
  const modifiers::ResourceModifiers* modifiers = nullptr;
  const selection::ResourcePolicies* policies = nullptr;
  // The plan that an earlier process has stored: the restore goes on with it.
  const Plan* stored_plan = nullptr;
  // What the journal of that process says; null or empty: nobody has begun.
  const std::vector<std::string>* found_lines = nullptr;
};

// Whose managedFields are put back after an object is created.
enum class ManagedFields {
  kApplied,  // of objects that somebody applies with server-side apply: there they matter
  kAlways,   // as Velero does, with a request for each object
};

using MakeRestoreActions = std::function<std::vector<std::unique_ptr<extension::RestoreItemAction>>(
    kube::Client& client, const kube::Discovery& discovery)>;

// How it is done: what the flags of a server, or of the command line, say.
struct RestoreOptions {
  selection::RestorePriorities priorities = selection::RestorePriorities::defaults();
  ManagedFields managed_fields = ManagedFields::kApplied;
  bool chooses_versions = false;   // feature EnableAPIGroupVersions
  std::string version_priorities;  // of the ConfigMap enableapigroupversions; with the above
  bool has_csi = false;            // feature EnableCSI: velero.io/csi-* actions run
  Duration terminating_timeout = std::chrono::minutes(10);
  Duration resource_timeout = std::chrono::minutes(10);
  AdaptiveLoop::Options workers;
  std::string spool_directory = "/tmp";
};

// What to do it with. Everything that is referred to outlives the run.
struct RestoreTools {
  kube::Client& client;
  Clock& clock;
  Random& random;
  Logger log;       // the run's own
  Logger item_log;  // for a line about every item: the run's own, but not the server's
  progress::ItemReporter& progress;
  operation::Journal& journal;
  MakeRestoreActions make_actions;           // none: no actions
  hooks::RestoreHookRun* hooks = nullptr;    // null: exec hooks are not run
  PodVolumeRestorer* pod_volumes = nullptr;  // null: no data
  SnapshotRestorer* snapshots = nullptr;
  // Stores the plan, before anything but definitions is restored. An error fails the restore.
  std::function<Status(const Plan&, const std::stop_token&)> save_plan;

  RestoreOptions options;
};

}  // namespace landfall::restore
