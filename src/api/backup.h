#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/field_reader.h"
#include "api/hooks.h"
#include "base/clock.h"
#include "base/result.h"
#include "json/json_fwd.h"

namespace landfall::api {

// What status.version and status.formatVersion of a new Backup say.
inline constexpr std::int64_t kBackupVersion = 1;
inline constexpr std::string_view kBackupFormatVersion = "1.1.0";

// What a Backup asks for. Lists that say nothing are empty, times that say nothing 0.
struct BackupSpec {
  json::StringMap labels;  // metadata.labels of a Schedule's template

  std::vector<std::string> included_namespaces;
  std::vector<std::string> excluded_namespaces;
  // The old filters …
  std::vector<std::string> included_resources;
  std::vector<std::string> excluded_resources;
  std::optional<bool> include_cluster_resources;
  // … and the new ones; a Backup may use one sort only.
  std::vector<std::string> included_cluster_resources;
  std::vector<std::string> excluded_cluster_resources;
  std::vector<std::string> included_namespaced_resources;
  std::vector<std::string> excluded_namespaced_resources;
  // No selector is no restriction.
  std::optional<k8s::LabelSelector> selector;
  std::vector<k8s::LabelSelector> or_selectors;
  json::StringMap ordered_resources;  // resource → "namespace/name,…"
  std::optional<LocalReference> resource_policy;

  std::vector<BackupHooks> hooks;

  std::string storage_location;  // empty: the default one
  std::vector<std::string> snapshot_locations;
  Duration ttl{};
  Duration csi_snapshot_timeout{};
  Duration item_operation_timeout{};

  std::optional<bool> snapshot_volumes;  // nothing is yes
  std::optional<bool> snapshot_move_data;
  std::optional<bool> volumes_to_fs_backup;
  std::optional<bool> volumes_to_restic;  // the older name of the same
  std::string data_mover;                 // empty or "velero": built in
  std::string volume_group_label;
  std::int64_t parallel_files_upload = 0;

  bool cancel = false;

  bool uses_old_filters() const;
  bool uses_new_filters() const;
};

// Of a Backup. kInvalid with all problems (problems_of), each with its path: `spec.ttl: …`.
Result<BackupSpec> read_backup_spec(const json::Json& backup);
// Of a Schedule: spec.template.
Result<BackupSpec> read_backup_template(const json::Json& schedule);

// What a server puts where a Backup says nothing.
struct BackupDefaults {
  Duration ttl = std::chrono::hours(720);
  Duration csi_snapshot_timeout = std::chrono::minutes(10);
  Duration item_operation_timeout = std::chrono::hours(4);
  bool volumes_to_fs_backup = false;
  bool snapshot_move_data = false;
  std::string volume_group_label = "velero.io/volume-group";
};

// Writes the defaults into the Backup, as Velero's server does before it looks at it closer: users then see what was
// done. `spec` is what read_backup_spec() made of it. Touches nothing else; kInvalid when there is no object to write
// in.
Status apply_backup_defaults(json::Json& backup, const BackupSpec& spec, const BackupDefaults& defaults);

}  // namespace landfall::api
