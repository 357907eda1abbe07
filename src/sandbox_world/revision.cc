#include "sandbox_world/revision.h"

#include <algorithm>
#include <vector>

#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "sandbox_world/workload_controller.h"

namespace landfall::sandbox {
namespace {

using json::Json;

constexpr const char* kHashLabel = "controller-revision-hash";

// Revisions of this owner, and those of nobody that have its name in front.
std::vector<Json> revisions_of(const Cluster& cluster, const Json& owner) {
  const k8s::ObjectView view(owner);
  std::vector<Json> out = cluster.list(kinds().controller_revisions, view.name_space(), view.name());
  std::erase_if(out, [&](const Json& revision) {
    const k8s::ObjectView other(revision);
    if (const auto controller = other.controller()) return controller->uid != view.uid();
    return !other.name().starts_with(std::string(view.name()) + "-");
  });
  return out;
}

std::int64_t number_of(const Json& revision) { return json::int_or(revision, {"revision"}, 0); }

Status take_up(const Cluster& cluster, const KindInfo& kind, const Json& owner, const Json& revision,
               std::int64_t newest) {
  return cluster.modify(kinds().controller_revisions, revision, [&](Json& live) -> Status {
    if (!k8s::ObjectView(live).controller()) {
      live["metadata"]["ownerReferences"] = Json::array({controller_reference(kind, owner)});
    }
    if (number_of(live) < newest) live["revision"] = newest + 1;
    return {};
  });
}

}  // namespace

Result<Revision> ensure_revision(const Cluster& cluster, const KindInfo& kind, const Json& owner) {
  const k8s::ObjectView view(owner);
  const Json* pod_template = json::find(owner, {"spec", "template"});
  if (pod_template == nullptr) return fail(Code::kInvalid, "there is no template");
  std::int64_t newest = 0;
  const std::vector<Json> revisions = revisions_of(cluster, owner);
  for (const Json& revision : revisions) newest = std::max(newest, number_of(revision));
  for (const Json& revision : revisions) {
    const Json* held = json::find(revision, {"data", "spec", "template"});
    if (held == nullptr || !is_same_template(*held, *pod_template)) continue;
    TRY("", take_up(cluster, kind, owner, revision, newest));
    const std::string name(k8s::ObjectView(revision).name());
    const std::string hash(k8s::ObjectView(revision).labels().get(kHashLabel).value_or(""));
    return Revision{.name = name, .hash = hash};
  }
  const std::string hash = template_hash(*pod_template);
  const std::string name = std::string(view.name()) + "-" + hash;
  Json data = *pod_template;
  data["$patch"] = "replace";
  Json labels = copy_or(*pod_template, {"metadata", "labels"}, Json::object());
  labels[kHashLabel] = hash;
  const Json object = {
      {"metadata",
       {{"name", name}, {"labels", labels}, {"ownerReferences", Json::array({controller_reference(kind, owner)})}}},
      {"data", {{"spec", {{"template", data}}}}},
      {"revision", newest + 1}};
  const auto made = cluster.create(kinds().controller_revisions, view.name_space(), object);
  if (!made && made.error().code() != Code::kAlreadyExists) return fail("create a revision", made.error());
  return Revision{.name = name, .hash = hash};
}

}  // namespace landfall::sandbox
