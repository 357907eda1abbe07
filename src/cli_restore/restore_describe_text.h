#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/context.h"
#include "json/json_fwd.h"

namespace landfall::cli {

// A file that `describe` shows a part of: not asked for, not there, there, or what went wrong.
struct DescribedFile {
  bool is_wanted = false;
  std::shared_ptr<const json::Json> document;
  std::string error;
};

// What `describe` shows of one Restore.
struct RestoreDescription {
  const json::Json& restore;
  std::vector<json::Json> pod_volume_restores;
  DescribedFile results;
  DescribedFile volume_infos;
  DescribedFile item_operations;
  DescribedFile resource_list;
  bool details = false;
  bool is_colorized = false;
};

// In Velero's order and words; unless called as `velero` with what Landfall knows beyond.
std::string describe_restore(const RestoreDescription& description, const Context& context);

}  // namespace landfall::cli
