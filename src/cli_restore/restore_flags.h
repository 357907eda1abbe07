#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "cli/command.h"
#include "cli/context.h"
#include "cli/spec_fields.h"
#include "json/json_fwd.h"

namespace landfall::cli {

// What to restore and how: the flags that `restore create` shares with `restore run`, by Velero's names.
struct RestoreFilterFlags {
  std::vector<std::string> include_namespaces = {"*"};
  std::vector<std::string> exclude_namespaces;
  std::vector<std::string> include_resources;
  std::vector<std::string> exclude_resources;
  std::vector<std::string> namespace_mappings;  // FROM:TO each
  SelectorFlags selectors;
  std::optional<bool> include_cluster_resources;
  std::optional<bool> restore_volumes;
  std::optional<bool> preserve_nodeports;
  std::string existing_resource_policy;
  std::vector<std::string> status_include_resources;
  std::vector<std::string> status_exclude_resources;
  Duration item_operation_timeout{};
  std::string resource_modifier_configmap;
  std::string resource_policies_configmap;
  std::optional<bool> write_sparse_files;
  std::int64_t parallel_files_download = 0;
};
void add_restore_filter_flags(const Command& command, RestoreFilterFlags& flags);

// `spec` of a Restore as Velero's command line writes it, without its source. kInvalid names the flag. A namespace that
// is mapped twice is refused; called as `velero` the last one counts.
Result<json::Json> restore_spec_of(const RestoreFilterFlags& flags, const Context& context);

// What the server would refuse, found before it is asked: clashing lists, namespaces that are no names. kInvalid.
Status check_restore_filters(const json::Json& spec);

// Those that were given and are stored only.
std::vector<std::string> restore_flags_without_effect(const RestoreFilterFlags& flags);

}  // namespace landfall::cli
