#include "modifiers/rule.h"

#include <utility>

#include "json/access.h"
#include "json/json.h"
#include "json/patch.h"
#include "json/strategic_merge.h"
#include "k8s/object_view.h"

namespace landfall::modifiers {
namespace {

using json::Json;

constexpr json::JsonPatchOptions kAsVelero{.dialect = json::PatchDialect::kVelero};

Result<Json> merged(const Rule& rule, const Json& object) {
  Json result = object;
  std::size_t index = 0;
  for (const Json& patch : *rule.patches) {
    const bool is_strategic = rule.kind == PatchKind::kStrategic;
    TRY_ASSIGN(
        result, (is_strategic ? "strategicPatches[" : "mergePatches[") + std::to_string(index) + "]",
        is_strategic ? json::apply_strategic_merge_patch(result, patch) : json::apply_merge_patch(result, patch));
    ++index;
  }
  return result;
}

Result<Json> patched(const Rule& rule, const Json& object) {
  if (rule.kind != PatchKind::kJson) return merged(rule, object);
  auto result = json::apply_json_patch(object, *rule.patches, kAsVelero);
  if (!result && result.error().code() == Code::kConflict) return object;
  TRY("patches", result);
  return result;
}

}  // namespace

bool sees(const Rule& rule, const k8s::GroupResource& resource) {
  return rule.resource.matches(k8s::to_string(resource));
}

Result<bool> matches(const Rule& rule, const k8s::GroupResource& resource, const Json& object) {
  const k8s::ObjectView view(object);
  if (!view.name_space().empty() && !rule.namespaces.is_in(view.name_space())) return false;
  if (!sees(rule, resource)) return false;
  if (rule.name && !rule.name->matches(view.name())) return false;
  if (rule.labels && !rule.labels->matches_object(object)) return false;
  if (!rule.tests) return true;
  const auto tested = json::apply_json_patch(object, *rule.tests, kAsVelero);
  if (tested) return true;
  if (tested.error().code() == Code::kConflict || tested.error().code() == Code::kNotFound) return false;
  return fail(rule.place + ".conditions.matches", tested.error());
}

Status apply(const Rule& rule, Json& object) {
  TRY_ASSIGN(Json result, rule.place, patched(rule, object));
  if (!result.is_object() || json::string_or(result, {"kind"}, "").empty()) {
    return fail(Code::kInvalid, rule.place + ": the patch would leave something that is no object of any kind");
  }
  object = std::move(result);
  return {};
}

}  // namespace landfall::modifiers
