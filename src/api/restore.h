#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "api/field_reader.h"
#include "api/hooks.h"
#include "base/clock.h"
#include "base/result.h"
#include "json/json_fwd.h"

namespace landfall::api {

// What a Restore asks for. Lists that say nothing are empty, times that say nothing 0.
struct RestoreSpec {
  std::string backup_name;    // one of the two
  std::string schedule_name;  // the newest complete backup of it

  std::vector<std::string> included_namespaces;
  std::vector<std::string> excluded_namespaces;
  std::vector<std::string> included_resources;
  std::vector<std::string> excluded_resources;
  std::optional<bool> include_cluster_resources;
  json::StringMap namespace_mapping;  // from → to
  // No selector is no restriction.
  std::optional<k8s::LabelSelector> selector;
  std::vector<k8s::LabelSelector> or_selectors;
  std::optional<LocalReference> resource_modifier;
  std::optional<LocalReference> resource_policy;

  std::vector<RestoreHooks> hooks;

  std::optional<bool> restore_volumes;  // restorePVs; nothing is yes
  std::optional<bool> preserve_node_ports;
  // Whose status is restored too; nothing: nobody's. An empty list of included ones means all.
  struct StatusFilter {
    std::vector<std::string> included_resources;
    std::vector<std::string> excluded_resources;
  };
  std::optional<StatusFilter> restore_status;
  std::string existing_resource_policy;  // "", "none" or "update"; not checked here
  Duration item_operation_timeout{};
  std::optional<bool> write_sparse_files;
  std::int64_t parallel_files_download = 0;

  bool cancel = false;
  // Only find out what would be done. A preview must never turn into a restore: check it before anything is written.
  bool preview = false;
};

// kInvalid with all problems (problems_of), each with its path. The hooks' containers point into the document.
Result<RestoreSpec> read_restore_spec(const json::Json& restore);
Result<RestoreSpec> read_restore_spec(const json::Json&& restore) = delete;

struct RestoreDefaults {
  Duration item_operation_timeout = std::chrono::hours(4);
};

// Writes into the Restore what the server does where it says nothing, as Velero's. Touches nothing else.
Status apply_restore_defaults(json::Json& restore, const RestoreSpec& spec, const RestoreDefaults& defaults);

}  // namespace landfall::api
