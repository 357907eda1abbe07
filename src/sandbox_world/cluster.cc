#include "sandbox_world/cluster.h"

#include <algorithm>

#include "base/rfc3339.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::sandbox {
namespace {

using json::Json;

// The table is fixed at build time: a kind that is missing would be a bug that no caller can mend.
const KindInfo& built_in(std::string_view group, std::string_view resource) {
  const std::vector<KindInfo>& all = built_in_kinds();
  return *std::find_if(all.begin(), all.end(), [&](const KindInfo& kind) {
    return kind.id.group == group && kind.id.resource == resource && kind.id.version == "v1";
  });
}

// A document that has become another object meanwhile, or has gone, is nobody's business any more.
Status unless_gone(const Result<Written>& written) {
  if (written || written.error().code() == Code::kNotFound) return {};
  return fail("", written.error());
}

// Wraps a change so that it leaves an object of another uid alone.
Api::Change guarded(const Json& object, const Api::Change& change) {
  return [uid = std::string(k8s::ObjectView(object).uid()), &change](Json& live) -> Status {
    if (k8s::ObjectView(live).uid() != uid) return {};
    return change(live);
  };
}

}  // namespace

const Kinds& kinds() {
  static const Kinds all{
      .namespaces = built_in("", "namespaces"),
      .service_accounts = built_in("", "serviceaccounts"),
      .config_maps = built_in("", "configmaps"),
      .secrets = built_in("", "secrets"),
      .nodes = built_in("", "nodes"),
      .pods = built_in("", "pods"),
      .claims = built_in("", "persistentvolumeclaims"),
      .volumes = built_in("", "persistentvolumes"),
      .storage_classes = built_in("storage.k8s.io", "storageclasses"),
      .deployments = built_in("apps", "deployments"),
      .replica_sets = built_in("apps", "replicasets"),
      .stateful_sets = built_in("apps", "statefulsets"),
      .daemon_sets = built_in("apps", "daemonsets"),
      .controller_revisions = built_in("apps", "controllerrevisions"),
      .jobs = built_in("batch", "jobs"),
      .definitions = built_in("apiextensions.k8s.io", "customresourcedefinitions"),
  };
  return all;
}

std::string Cluster::now_text() const { return format_rfc3339(api_->clock().wall_now()); }

std::optional<Json> Cluster::get(const KindInfo& kind, std::string_view name_space, std::string_view name) const {
  const ObjectPtr object = api_->store().get(kind.storage, name_space, name);
  if (!object) return std::nullopt;
  return decode(kind, *object);
}

std::vector<Json> Cluster::list(const KindInfo& kind, std::string_view name_space, std::string_view with) const {
  std::vector<Json> out;
  for (const ObjectPtr& object : api_->store().list(kind.storage, name_space).objects) {
    if (with.empty() || object->bytes.find(with) != std::string::npos) out.push_back(decode(kind, *object));
  }
  return out;
}

Result<Json> Cluster::create(const KindInfo& kind, std::string_view name_space, Json object) const {
  TRY_ASSIGN(const ObjectPtr made, "", api_->create(kind, name_space, std::move(object), {.manager = manager_}));
  return decode(kind, *made);
}

Status Cluster::modify(const KindInfo& kind, const Json& object, const Api::Change& change) const {
  const k8s::ObjectView view(object);
  return unless_gone(
      api_->modify(kind, view.name_space(), view.name(), guarded(object, change), {.manager = manager_}));
}

Status Cluster::modify_status(const KindInfo& kind, const Json& object, const Api::Change& change) const {
  const k8s::ObjectView view(object);
  return unless_gone(api_->modify(kind, view.name_space(), view.name(), guarded(object, change),
                                  {.subresource = "status", .manager = manager_}));
}

Status Cluster::rewrite(const KindInfo& kind, const Json& object, const Api::Change& change) const {
  const k8s::ObjectView view(object);
  return unless_gone(api_->rewrite(kind, view.name_space(), view.name(), guarded(object, change)));
}

Status Cluster::remove(const KindInfo& kind, const Json& object, DeleteOptions options) const {
  const k8s::ObjectView view(object);
  options.uid = view.uid();
  const auto removed = api_->remove(kind, view.name_space(), view.name(), options);
  if (removed || removed.error().code() == Code::kNotFound || removed.error().code() == Code::kConflict) return {};
  return fail("", removed.error());
}

Json copy_or(const Json& document, const json::Path& path, Json fallback) {
  const Json* found = json::find(document, path);
  if (found == nullptr) return fallback;
  return *found;
}

std::pair<std::string, std::string> split_key(std::string_view key) {
  const std::size_t slash = key.find('/');
  if (slash == std::string_view::npos) return {"", std::string(key)};
  return {std::string(key.substr(0, slash)), std::string(key.substr(slash + 1))};
}

void set_condition(Json& object, std::string_view type, bool is_true, std::string_view reason, std::string_view message,
                   const std::string& now) {
  Json& conditions = object["status"]["conditions"];
  if (!conditions.is_array()) conditions = Json::array();
  const char* status = is_true ? "True" : "False";
  Json next = {{"type", type}, {"status", status}, {"lastTransitionTime", now}};
  if (!reason.empty()) next["reason"] = reason;
  if (!message.empty()) next["message"] = message;
  for (Json& condition : conditions) {
    if (json::string_or(condition, {"type"}, "") != type) continue;
    if (json::string_or(condition, {"status"}, "") == status && condition.contains("lastTransitionTime")) {
      next["lastTransitionTime"] = condition["lastTransitionTime"];
    }
    for (const char* kept : {"lastProbeTime", "lastUpdateTime", "observedGeneration"}) {
      if (condition.contains(kept)) next[kept] = condition[kept];
    }
    condition = std::move(next);
    return;
  }
  conditions.push_back(std::move(next));
}

Json controller_reference(const KindInfo& kind, const Json& owner) {
  const k8s::ObjectView view(owner);
  return {{"apiVersion", k8s::to_string(kind.id.group_version())},
          {"kind", kind.kind},
          {"name", view.name()},
          {"uid", view.uid()},
          {"controller", true},
          {"blockOwnerDeletion", true}};
}

bool is_controlled_by(const Json& object, std::string_view uid) {
  const k8s::ObjectView view(object);
  const auto owner = view.controller();
  return owner && owner->uid == uid;
}

}  // namespace landfall::sandbox
