#include "sandbox_kinds/convert.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "json/access.h"
#include "json/json.h"

namespace landfall::sandbox {
namespace {

using json::Json;

// Core's name first.
constexpr auto kEventFields = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"involvedObject", "regarding"},
    {"message", "note"},
    {"source", "deprecatedSource"},
    {"firstTimestamp", "deprecatedFirstTimestamp"},
    {"lastTimestamp", "deprecatedLastTimestamp"},
    {"count", "deprecatedCount"},
    {"reportingComponent", "reportingController"},
});

bool is_new_event(const KindInfo& kind) { return kind.id.group == "events.k8s.io" && kind.kind == "Event"; }
bool is_old_autoscaler(const KindInfo& kind) {
  return kind.id.group == "autoscaling" && kind.id.version == "v1" && kind.kind == "HorizontalPodAutoscaler";
}

void rename(Json& object, std::string_view from, std::string_view to) {
  const auto field = object.find(from);
  if (field == object.end()) return;
  Json value = std::move(*field);
  object.erase(field);
  object[std::string(to)] = std::move(value);
}

void autoscaler_to_storage(Json& object) {
  Json* spec = json::find(object, {"spec"});
  if (spec == nullptr || !spec->is_object()) return;
  const auto target = spec->find("targetCPUUtilizationPercentage");
  if (target == spec->end()) return;
  Json metric = {
      {"type", "Resource"},
      {"resource", {{"name", "cpu"}, {"target", {{"type", "Utilization"}, {"averageUtilization", *target}}}}}};
  spec->erase(target);
  (*spec)["metrics"] = Json::array({std::move(metric)});
}

void autoscaler_from_storage(Json& object) {
  Json* spec = json::find(object, {"spec"});
  if (spec == nullptr || !spec->is_object()) return;
  if (const Json* metrics = json::find(*spec, {"metrics"}); metrics != nullptr && metrics->is_array()) {
    for (const Json& metric : *metrics) {
      const Json* use = json::find(metric, {"resource", "target", "averageUtilization"});
      if (use != nullptr && json::string_or(metric, {"resource", "name"}, "") == "cpu") {
        (*spec)["targetCPUUtilizationPercentage"] = *use;
        break;
      }
    }
  }
  spec->erase("metrics");
  spec->erase("behavior");
}

}  // namespace

bool needs_conversion(const KindInfo& kind) { return is_new_event(kind) || is_old_autoscaler(kind); }

void convert_to_storage(const KindInfo& kind, Json& object) {
  if (!object.is_object()) return;
  if (is_new_event(kind)) {
    for (const auto& [core, other] : kEventFields) rename(object, other, core);
  } else if (is_old_autoscaler(kind)) {
    autoscaler_to_storage(object);
  }
}

void convert_from_storage(const KindInfo& kind, Json& object) {
  if (!object.is_object()) return;
  if (is_new_event(kind)) {
    for (const auto& [core, other] : kEventFields) rename(object, core, other);
    for (const char* const field : {"reportingController", "reportingInstance"}) {
      // Only core writes them when they are empty.
      if (const auto found = object.find(field);
          found != object.end() && found->is_string() && found->get_ref<const std::string&>().empty()) {
        object.erase(found);
      }
    }
  } else if (is_old_autoscaler(kind)) {
    autoscaler_from_storage(object);
  }
}

}  // namespace landfall::sandbox
