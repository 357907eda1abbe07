#include "cli/describe_json.h"

#include <fmt/format.h>

#include "api/status.h"
#include "base/strings.h"
#include "cli/describe_parts.h"
#include "json/json.h"

namespace landfall::cli {

using json::Json;

namespace {

Json value_or_null(const Json& object, const json::Path& path) {
  const Json* found = json::find(object, path);
  return found == nullptr ? Json() : *found;
}

Json result_document(const Json* result) {
  const auto list = [&](std::string_view field) {
    const Json* found = result == nullptr ? nullptr : json::find(*result, {field});
    return found == nullptr || found->empty() ? Json::array() : *found;
  };
  return {{"velero", list("velero")}, {"cluster", list("cluster")}, {"namespace", list("namespaces")}};
}

}  // namespace

std::string raw_text(const Json& object, const json::Path& path) { return json::string_or(object, path, ""); }

Json metadata_document(const Json& object) {
  return {{"name", value_or_null(object, {"metadata", "name"})},
          {"namespace", value_or_null(object, {"metadata", "namespace"})},
          {"labels", value_or_null(object, {"metadata", "labels"})},
          {"annotations", value_or_null(object, {"metadata", "annotations"})}};
}

Json included_document(const Json& spec, const std::string& what) {
  return {{"included", list_or(spec, "included" + what, "*")},
          {"excluded", list_or(spec, "excluded" + what, "<none>")}};
}

Json pod_volumes_document(const std::vector<PodVolumes>& groups, bool details) {
  Json document = Json::object();
  for (const PodVolumes& group : groups) {
    Json& phase = document[std::string(group.phase)];
    if (!details) {
      phase = group.count;
      continue;
    }
    phase = Json::array();
    for (const PodVolumes::Pod& pod : group.pods) phase.push_back(Json::object({{pod.name, join(pod.volumes, ", ")}}));
  }
  return document;
}

void add_results(const Json& object, const DescribedFile& results, Json& document) {
  if (!results.is_wanted) return;
  Json& errors = document["errors"] = Json::object();
  Json& warnings = document["warnings"] = Json::object();
  const auto error_count = api::status_count(object, api::field::kErrors);
  const auto warning_count = api::status_count(object, api::field::kWarnings);
  if (results.is_missing()) {
    errors["count"] = error_count;
    warnings["count"] = warning_count;
  } else if (!results.document) {
    // Velero's encoder makes empty objects of its errors.
    errors["errorGettingErrors"] = Json::object();
    warnings["errorGettingWarnings"] = Json::object();
  } else {
    if (warning_count > 0) warnings = result_document(json::find(*results.document, {"warnings"}));
    if (error_count > 0) errors = result_document(json::find(*results.document, {"errors"}));
  }
}

void add_resource_list(std::string_view noun, const DescribedFile& file, Json& document) {
  if (!file.is_wanted) return;
  if (file.document) {
    document["resourceList"] = *file.document;
  } else {
    document["errorGettingResourceList"] =
        file.is_missing() ? fmt::format("<{} resource list not found>", noun)
                          : fmt::format("<error getting {} resource list: {}>", noun, file.why_not());
  }
}

void add_validation_errors(const Json& object, Json& document) {
  const Json* problems = json::find(object, {"status", "validationErrors"});
  if (problems != nullptr && !problems->empty()) document["validationErrors"] = *problems;
}

std::string description_text(const Json& document) {
  constexpr int kIndent = 4;  // json::dump_pretty() has two
  return document.dump(kIndent, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace landfall::cli
