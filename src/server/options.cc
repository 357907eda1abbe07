#include "server/options.h"

#include <algorithm>
#include <array>

#include "base/go_duration.h"
#include "base/strings.h"
#include "server/listen_address.h"

namespace landfall::server {
namespace {

constexpr std::array<std::string_view, 2> kFeatures = {kFeatureCsi, kFeatureApiGroupVersions};

bool contains_name(const auto& names, std::string_view name) { return std::ranges::find(names, name) != names.end(); }

// Velero lets the queue go on, which leaves backups that never begin ReadyToStart.
constexpr std::array<std::string_view, 7> kNotForRestoreOnly = {
    "backup-queue", "backup", "backup-deletion", "backup-finalizer", "backup-operations", "gc", "schedule"};

Status check_times(const ServerOptions& options) {
  const std::array<std::pair<std::string_view, Duration>, 4> positive = {{
      {"--default-item-operation-timeout", options.default_item_operation_timeout},
      {"--resource-timeout", options.resource_timeout},
      {"--fs-backup-timeout", options.fs_backup_timeout},
      {"--terminating-resource-timeout", options.terminating_resource_timeout},
  }};
  for (const auto& [flag, value] : positive) {
    if (value <= Duration::zero()) {
      return fail(Code::kInvalid, std::string(flag) + " must be more than nothing, not " + format_go_duration(value));
    }
  }
  return {};
}

Status check_numbers(const ServerOptions& options) {
  if (options.concurrent_backups < 1) return fail(Code::kInvalid, "--concurrent-backups must be at least 1");
  if (options.item_block_worker_count < 0) {
    return fail(Code::kInvalid, "--item-block-worker-count must not be negative");
  }
  if (options.client_page_size < 0) return fail(Code::kInvalid, "--client-page-size must not be negative");
  return {};
}

// What nothing here reads yet, or ever: said when it was set.
void log_without_effect(const ServerOptions& options, const Logger& log) {
  const std::array<std::pair<std::string_view, bool>, 2> set = {{
      {"--backup-repository-configmap", !options.backup_repository_configmap.empty()},
      {"--repo-maintenance-job-configmap", !options.repo_maintenance_job_configmap.empty()},
  }};
  for (const auto& [flag, is_set] : set) {
    if (is_set) log.warning("this flag has no effect in this version", {{"flag", flag}});
  }
  if (options.uploader_type == "kopia") {
    log.warning(
        "--uploader-type=kopia: what kopia has stored is restored; new backups of volumes are written by restic");
  }
}

}  // namespace

const std::vector<std::string_view>& controller_names() {
  static const std::vector<std::string_view> names = {
      "backup-queue",          "backup",           "backup-operations",  "backup-deletion",
      "backup-finalizer",      "backup-sync",      "download-request",   "gc",
      "backup-repo",           "restore",          "restore-operations", "schedule",
      "server-status-request", "restore-finalizer"};
  return names;
}

bool has_feature(const ServerOptions& options, std::string_view feature) {
  return contains_name(options.features, feature);
}

Result<selection::RestorePriorities> restore_priorities(const ServerOptions& options) {
  if (options.restore_resource_priorities.empty()) return selection::RestorePriorities::defaults();
  return selection::RestorePriorities::parse(join(options.restore_resource_priorities, ","));
}

bool is_enabled(const ServerOptions& options, std::string_view controller) {
  if (options.restore_only && contains_name(kNotForRestoreOnly, controller)) return false;
  return !contains_name(options.disabled_controllers, controller);
}

Status check(const ServerOptions& options) {
  for (const std::string& name : options.disabled_controllers) {
    if (!contains_name(controller_names(), name)) {
      return fail(Code::kInvalid, "--disable-controllers: there is no controller " + quote(name) +
                                      "; those that can be disabled are " + join(controller_names(), ", "));
    }
  }
  if (options.uploader_type != "kopia" && options.uploader_type != "restic") {
    return fail(Code::kInvalid, "--uploader-type: " + quote(options.uploader_type) + " is neither kopia nor restic");
  }
  if (options.restore_managed_fields != "applied" && options.restore_managed_fields != "always") {
    return fail(Code::kInvalid, "--restore-managed-fields: " + quote(options.restore_managed_fields) +
                                    " is neither applied nor always");
  }
  TRY("--restore-resource-priorities", restore_priorities(options));
  TRY("--metrics-address", parse_listen_address(options.metrics_address));
  TRY("--artifacts-address", parse_listen_address(options.artifacts_address));
  TRY("", check_numbers(options));
  return check_times(options);
}

void log_options(const ServerOptions& options, const Logger& log) {
  log.info("starting the server", {{"version", options.version},
                                   {"namespace", options.name_space},
                                   {"identity", options.identity},
                                   {"leaderElection", options.leader_election}});
  log.info("settings", {{"defaultBackupTTL", format_go_duration(options.default_backup_ttl)},
                        {"backupSyncPeriod", format_go_duration(options.backup_sync_period)},
                        {"storeValidationFrequency", format_go_duration(options.store_validation_frequency)},
                        {"garbageCollectionFrequency", format_go_duration(options.garbage_collection_frequency)},
                        {"concurrentBackups", options.concurrent_backups},
                        {"itemBlockWorkerCount", options.item_block_worker_count},
                        {"clientPageSize", options.client_page_size},
                        {"pluginDir", options.plugin_dir}});
  if (options.features.empty()) {
    log.info("no feature flags are enabled");
  } else {
    log.info("feature flags are given", {{"features", join(options.features, ",")}});
  }
  for (const std::string& feature : options.features) {
    if (feature == kFeatureApiGroupVersions) continue;
    const bool is_known = contains_name(kFeatures, feature);
    log.warning(is_known ? "this feature is built for restores only, and only in part"
                         : "this feature is not known and has no effect; those known are " + join(kFeatures, ", "),
                {{"feature", feature}});
  }
  for (const std::string_view name : controller_names()) {
    if (!is_enabled(options, name)) log.info("this controller is disabled", {{"controller", name}});
  }
  log_without_effect(options, log);
}

}  // namespace landfall::server
