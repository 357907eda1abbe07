#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "io/log_sink.h"
#include "selection/restore_priorities.h"
#include "server/uploaders.h"

namespace landfall::server {

// What `landfall server` is told by its flags. The defaults are Velero's, but for those that say otherwise.
struct ServerOptions {
  std::string name_space = "velero";
  std::string version;  // for the log: "v1.18.3+landfall.1 (commit)"
  std::vector<std::string> features;
  // Of the logs that operations leave behind; the server's own is the caller's.
  LogLevel log_level = LogLevel::kInfo;
  io::LogFormat log_format = io::LogFormat::kText;

  // Where it listens. Health is served beside the metrics. Artifacts are ours alone.
  std::string metrics_address = ":8085";
  std::string artifacts_address = ":8086";
  std::string artifacts_url;  // the base of URLs handed out; empty: http://HOST:PORT with `host`
  std::string host;           // by which others reach this replica: the pod's address
  std::string pod;            // in which it runs, for clients that come through the API server; empty: in none

  // Which replica works. The identity is unique among the replicas and the same after a restart: the pod's name.
  bool leader_election = true;
  std::string identity;
  Duration lease_duration = std::chrono::seconds(15);
  Duration renew_deadline = std::chrono::seconds(10);
  Duration retry_period = std::chrono::seconds(2);

  std::vector<std::string> disabled_controllers;
  bool restore_only = false;

  // Locations.
  std::string default_backup_location = "default";
  Duration store_validation_frequency = std::chrono::minutes(1);
  Duration backup_sync_period = std::chrono::minutes(1);

  // Backups.
  Duration default_backup_ttl = std::chrono::hours(720);
  Duration garbage_collection_frequency = std::chrono::hours(1);
  Duration default_item_operation_timeout = std::chrono::hours(4);
  Duration item_operation_sync_frequency = std::chrono::seconds(10);
  Duration resource_timeout = std::chrono::minutes(10);
  Duration fs_backup_timeout = std::chrono::hours(4);
  bool default_volumes_to_fs_backup = false;
  bool default_snapshot_move_data = false;
  std::map<std::string, std::string> default_volume_snapshot_locations;  // by provider
  std::string volume_group_snapshot_label_key = "velero.io/volume-group";
  std::string global_volume_policies_configmap;
  std::int64_t concurrent_backups = 1;
  std::int64_t item_block_worker_count = 0;  // 0: as many as there are cores; Velero has 1
  std::int64_t client_page_size = 500;       // 0: no pages
  bool schedule_skip_immediately = false;

  // Restores.
  std::vector<std::string> restore_resource_priorities;
  Duration terminating_resource_timeout = std::chrono::minutes(10);
  std::string restore_managed_fields = "applied";  // or "always", as Velero does

  // Repositories of volume data.
  std::string uploader_type = "restic";  // Velero has kopia, which is only read here
  UploaderPrograms uploaders;
  Duration default_repo_maintain_frequency{0};  // 0: the repository's own
  std::string backup_repository_configmap;
  std::string repo_maintenance_job_configmap;

  std::string plugin_dir = "/plugins";
  std::vector<std::string> object_store_plugins;  // providers whose plugin counts more than what is built in

  // For what runs when a stop is asked for. A pod has 30 s before it is killed.
  Duration stop_grace = std::chrono::seconds(25);
};

// Features that Velero knows, and that are given with --features.
inline constexpr std::string_view kFeatureCsi = "EnableCSI";
inline constexpr std::string_view kFeatureApiGroupVersions = "EnableAPIGroupVersions";
bool has_feature(const ServerOptions& options, std::string_view feature);

// What --restore-resource-priorities says; Velero's order when it says nothing.
Result<selection::RestorePriorities> restore_priorities(const ServerOptions& options);

// What cannot work, named by its flag.
Status check(const ServerOptions& options);

// The names of all controllers that can be switched off, as Velero spells them.
const std::vector<std::string_view>& controller_names();
// Whether the controller runs: neither named in --disable-controllers, nor kept out by --restore-only.
bool is_enabled(const ServerOptions& options, std::string_view controller);

// Says what the server runs with, and which of it has no effect. No secrets are among the options.
void log_options(const ServerOptions& options, const Logger& log);

}  // namespace landfall::server
