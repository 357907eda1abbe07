#include "api/restore.h"

#include "base/go_duration.h"
#include "json/json.h"

namespace landfall::api {

using json::Json;

namespace {

void read_filters(FieldReader& spec, RestoreSpec& result) {
  result.included_namespaces = spec.texts("includedNamespaces");
  result.excluded_namespaces = spec.texts("excludedNamespaces");
  result.included_resources = spec.texts("includedResources");
  result.excluded_resources = spec.texts("excludedResources");
  result.include_cluster_resources = spec.tristate("includeClusterResources");
  result.namespace_mapping = spec.map("namespaceMapping");
  result.selector = spec.selector("labelSelector");
  result.or_selectors = spec.selectors("orLabelSelectors");
  result.resource_modifier = spec.reference("resourceModifier");
  result.resource_policy = spec.reference("resourcePolicy");
}

std::optional<RestoreSpec::StatusFilter> read_status_filter(FieldReader filter) {
  if (!filter.is_there()) return {};
  return RestoreSpec::StatusFilter{.included_resources = filter.texts("includedResources"),
                                   .excluded_resources = filter.texts("excludedResources")};
}

}  // namespace

Result<RestoreSpec> read_restore_spec(const Json& restore) {
  std::vector<std::string> problems;
  FieldReader spec(restore, {"spec"}, problems);
  RestoreSpec result;
  result.backup_name = spec.text("backupName");
  result.schedule_name = spec.text("scheduleName");
  read_filters(spec, result);
  result.hooks = read_restore_hooks(spec);
  result.restore_volumes = spec.tristate("restorePVs");
  result.preserve_node_ports = spec.tristate("preserveNodePorts");
  result.restore_status = read_status_filter(spec.child("restoreStatus"));
  result.existing_resource_policy = spec.text("existingResourcePolicy");
  result.item_operation_timeout = spec.duration("itemOperationTimeout").value_or(Duration::zero());
  FieldReader uploader = spec.child("uploaderConfig");
  result.write_sparse_files = uploader.tristate("writeSparseFiles");
  result.parallel_files_download = uploader.number("parallelFilesDownload");
  result.cancel = spec.flag("cancel");
  result.preview = spec.flag("preview");
  TRY("", no_problems(std::move(problems)));
  return result;
}

Status apply_restore_defaults(Json& restore, const RestoreSpec& spec, const RestoreDefaults& defaults) {
  if (spec.item_operation_timeout != Duration::zero()) return {};
  return json::set_at(restore, {"spec", "itemOperationTimeout"}, format_go_duration(defaults.item_operation_timeout));
}

}  // namespace landfall::api
