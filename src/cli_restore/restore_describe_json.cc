#include <array>
#include <string_view>

#include "api/phases.h"
#include "api/status.h"
#include "cli/describe_json.h"
#include "cli/describe_parts.h"
#include "cli/describe_plugin_volumes.h"
#include "cli/describe_pod_volumes.h"
#include "cli_restore/restore_describe_text.h"
#include "cli_restore/restore_describe_volumes.h"
#include "cli_restore/restored_volumes.h"
#include "json/access.h"
#include "json/json.h"

namespace landfall::cli {

using json::Json;

namespace {

Json spec_document(const Json& spec) {
  Json resources = included_document(spec, "Resources");
  resources["clusterScoped"] = tristate_text(spec, "includeClusterResources", "excluded", "included", "auto");
  const Json* mapping = json::find(spec, {"namespaceMapping"});
  const std::string policy = raw_text(spec, {"existingResourcePolicy"});
  return {{"backup", raw_text(spec, {"backupName"})},
          {"namespaces", included_document(spec, "Namespaces")},
          {"resources", std::move(resources)},
          {"namespaceMappings", mapping != nullptr && mapping->is_object() ? *mapping : Json::object()},
          {"labelSelector", selector_text(spec)},
          {"orLabelSelector", or_selectors_text(spec)},
          {"restorePVs", tristate_text(spec, "restorePVs", "false", "true", "auto")},
          {"existingResourcePolicy", policy.empty() ? "<none>" : policy},
          {"itemOperationTimeout", duration_text(spec, "itemOperationTimeout")},
          {"preserveServiceNodePorts", tristate_text(spec, "preserveNodePorts", "false", "true", "auto")}};
}

void add_reference(const Json& restore, std::string_view field, std::string_view name, Json& document) {
  if (!json::has(restore, {"spec", field})) return;
  document[std::string(name)] = {{"type", raw_text(restore, {"spec", field, "kind"})},
                                 {"name", raw_text(restore, {"spec", field, "name"})}};
}

void add_counts(const Json& restore, Json& document) {
  if (!json::has(restore, {"status", "progress"})) return;
  const bool runs = api::phase_of<api::RestorePhase>(restore) == api::RestorePhase::kInProgress;
  document[runs ? "estimatedTotalItemsToBeRestored" : "totalItemsToBeRestored"] =
      json::int_or(restore, {"status", "progress", "totalItems"}, 0);
  document[runs ? "itemsRestoredSoFar" : "itemsRestored"] =
      json::int_or(restore, {"status", "progress", "itemsRestored"}, 0);
}

Json counts_document(const RestoredVolumes& volumes) {
  Json counts = {{"restored", volumes.count(VolumeState::kRestored)},
                 {"underWay", volumes.count(VolumeState::kUnderWay)},
                 {"failed", volumes.count(VolumeState::kFailed)},
                 {"withoutData", volumes.count(VolumeState::kWithoutData)},
                 {"notRecorded", volumes.count(VolumeState::kUnknown)}};
  if (const auto bytes = volumes.bytes()) counts["bytesRestored"] = bytes->count();
  return counts;
}

// The rows as they are stored, fields that nobody here knows included.
void add_rows(const RestoreDescription& what, Json& document) {
  const DescribedFile& file = what.volume_infos;
  if (!file.is_wanted) return;
  if (file.document && file.document->is_array()) {
    document["counts"] = counts_document(read_restored_volumes(what));
    document["volumeInfo"] = what.details ? *file.document : Json("specify --details for more information");
  } else if (file.is_missing()) {
    document["errorGettingVolumeInfo"] = "<restore volume information not found>";
  } else {
    document["errorGettingVolumeInfo"] =
        "<error getting restore volume information: " + (file.document ? "it is no list" : file.why_not()) + ">";
  }
}

Json volumes_document(const RestoreDescription& what) {
  Json document = Json::object();
  add_rows(what, document);
  if (!what.pod_volume_restores.empty()) {
    document["podVolumeRestores"] = {
        {"uploaderType", raw_text(what.pod_volume_restores.front(), {"spec", "uploaderType"})},
        {"podVolumeRestoresDetails",
         pod_volumes_document(pod_volumes_by_phase(what.pod_volume_restores, kPodVolumeRestorePhases), what.details)}};
  }
  if (!what.volume_plugin_restores.empty()) {
    document["volumePluginRestores"] = plugin_volumes_document(what.volume_plugin_restores);
  }
  return document;
}

Json status_document(const RestoreDescription& what) {
  const Json& restore = what.restore;
  Json document = {{"started", time_or(api::status_time(restore, api::field::kStartTimestamp), "<n/a>")},
                   {"completed", time_or(api::status_time(restore, api::field::kCompletionTimestamp), "<n/a>")}};
  add_counts(restore, document);
  const std::string reason = api::status_text(restore, api::field::kFailureReason);
  if (!reason.empty()) document["failureReason"] = reason;
  add_resource_list("restore", what.resource_list, document);
  document["restoreVolumes"] = volumes_document(what);
  if (json::has(restore, {"status", "hookStatus"})) {
    document["hooksAttempted"] = json::int_or(restore, {"status", "hookStatus", "hooksAttempted"}, 0);
    document["hooksFailed"] = json::int_or(restore, {"status", "hookStatus", "hooksFailed"}, 0);
  }
  return document;
}

}  // namespace

std::string describe_restore_as_json(const RestoreDescription& what) {
  const Json& restore = what.restore;
  Json document = {{"metadata", metadata_document(restore)},
                   {"phase", api::status_text(restore, api::field::kPhase)},
                   {"spec", spec_document(spec_of(restore))},
                   {"status", status_document(what)}};
  add_reference(restore, "resourceModifier", "resourceModifier", document);
  add_reference(restore, "resourcePolicy", "resourcePolicies", document);
  add_validation_errors(restore, document);
  add_results(restore, what.results, document);
  return description_text(document);
}

}  // namespace landfall::cli
