#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "cli/command.h"
#include "cli/context.h"
#include "cli/new_object.h"
#include "cli/spec_fields.h"
#include "json/json_fwd.h"
#include "kube/client.h"

namespace landfall::cli {

// What to back up and how: the flags that `backup create` shares with `schedule create`, by Velero's names.
struct BackupFlags {
  std::vector<std::string> include_namespaces = {"*"};
  std::vector<std::string> exclude_namespaces;
  // The old filters …
  std::vector<std::string> include_resources;
  std::vector<std::string> exclude_resources;
  std::optional<bool> include_cluster_resources;
  // … and the new ones.
  std::vector<std::string> include_cluster_scoped_resources;
  std::vector<std::string> exclude_cluster_scoped_resources;
  std::vector<std::string> include_namespace_scoped_resources;
  std::vector<std::string> exclude_namespace_scoped_resources;
  SelectorFlags selectors;
  std::string ordered_resources;
  std::string resource_policies_configmap;

  Duration ttl{};
  std::string storage_location;
  Duration item_operation_timeout{};

  std::optional<bool> snapshot_volumes;
  std::optional<bool> snapshot_move_data;
  std::optional<bool> default_volumes_to_fs_backup;
  std::vector<std::string> volume_snapshot_locations;
  std::string data_mover;
  Duration csi_snapshot_timeout{};
  std::int64_t parallel_files_upload = 0;

  StringMap labels;
  StringMap annotations;
};
// `noun` is whose labels they are: "backup", "schedule".
void add_backup_flags(const Command& command, BackupFlags& flags, const std::string& noun);

// `spec` of a Backup, or the template of a Schedule, as Velero's command line writes it. kInvalid names the flag.
Result<json::Json> backup_spec_of(const BackupFlags& flags);

// What is wrong with it, found before anything is sent. Called as `velero` only what that looks at: the lists of
// namespaces and mixed filters; the server finds the rest. kInvalid.
Status check_backup_spec(const BackupFlags& flags, const json::Json& spec, const Context& context);

// The locations that the flags name must be there. kNotFound.
Status check_backup_locations(const BackupFlags& flags, kube::Client& client, const std::string& name_space,
                              const Context& context);

// Those that were given and are stored only.
std::vector<std::string> backup_flags_without_effect(const BackupFlags& flags);

}  // namespace landfall::cli
