#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "cli/context.h"
#include "cli/described_file.h"
#include "cli_backup/backup_volumes.h"
#include "json/json_fwd.h"

namespace landfall::cli {

// What `describe` shows of one Backup.
struct BackupDescription {
  const json::Json& backup;
  std::vector<json::Json> pod_volume_backups;
  std::vector<json::Json> volume_plugin_backups;
  std::vector<json::Json> delete_requests;
  DescribedFile results;
  DescribedFile item_operations;
  DescribedFile resource_list;
  BackupVolumes volumes;
  bool details = false;
  bool is_colorized = false;
};

// The phases of pod volume backups in Velero's order.
inline constexpr std::array<std::string_view, 8> kPodVolumeBackupPhases = {
    "Completed", "Failed", "Canceled", "InProgress", "Canceling", "Prepared", "Accepted", "New"};

// How many of the requests to delete a Backup have failed.
std::size_t failed_deletions(const std::vector<json::Json>& requests);
// One of the filters that have been there before those by scope is set.
bool has_old_filters(const json::Json& spec);
// The ConfigMap of volume policies for all backups that this one was made with; empty where there was none.
std::string global_policies_of(const json::Json& backup);

// In Velero's order and words; unless called as `velero` with what Landfall knows beyond.
std::string describe_backup(const BackupDescription& description, const Context& context);
// The spec of a Backup, or of a Schedule's template. Lines before terminal::align_tabs().
std::string backup_spec_part(const json::Json& spec);
// "Backup Volumes:". Lines before terminal::align_tabs().
std::string backup_volumes_part(const BackupDescription& description, const Context& context);

// -o json: Velero's document with its oddities, which scripts know by now.
std::string describe_backup_as_json(const BackupDescription& description);

}  // namespace landfall::cli
