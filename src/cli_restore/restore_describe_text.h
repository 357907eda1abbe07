#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/described_file.h"
#include "json/json_fwd.h"

namespace landfall::cli {

// What `describe` shows of one Restore.
struct RestoreDescription {
  const json::Json& restore;
  std::vector<json::Json> pod_volume_restores;
  std::vector<json::Json> volume_plugin_restores;
  std::vector<json::Json> volume_plugin_backups;  // of its backup
  DescribedFile results;
  DescribedFile volume_infos;
  DescribedFile item_operations;
  DescribedFile resource_list;
  bool details = false;
  bool is_colorized = false;
};

// In Velero's order and words; unless called as `velero` with what Landfall knows beyond.
std::string describe_restore(const RestoreDescription& description, const Context& context);
// -o json, which Velero has for Backups only: a document of the same kind.
std::string describe_restore_as_json(const RestoreDescription& description);

}  // namespace landfall::cli
