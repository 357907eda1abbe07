#include "sandbox/subresources.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "base/quote.h"
#include "base/rfc3339.h"
#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/label_selector.h"
#include "k8s/label_selector_json.h"
#include "k8s/object_view.h"
#include "sandbox/api_error.h"
#include "sandbox/body.h"
#include "sandbox_kinds/validation_causes.h"

namespace landfall::sandbox {
namespace {

using json::Json;

// ".spec.replicas" → spec, replicas. Views into the path.
std::vector<std::string_view> keys_of(std::string_view path) {
  if (path.starts_with('.')) path.remove_prefix(1);
  return split(path, '.');
}

std::string replicas_path(const KindInfo& kind) { return kind.crd ? kind.crd->spec_replicas_path : ".spec.replicas"; }
std::string status_path(const KindInfo& kind) { return kind.crd ? kind.crd->status_replicas_path : ".status.replicas"; }

std::string selector_of(const KindInfo& kind, const Json& object) {
  if (kind.crd) {
    const auto keys = keys_of(kind.crd->label_selector_path);
    return json::string_or(object, json::Path(keys), "");
  }
  const Json* selector = json::find(object, {"spec", "selector"});
  if (kind.kind == "ReplicationController") {
    return k8s::LabelSelector::of_labels(json::string_map_at(object, {"spec", "selector"}).value_or(json::StringMap{}))
        .to_string();
  }
  const auto parsed = k8s::label_selector_from_json(selector);
  return parsed ? parsed->to_string() : "";
}

Json scale_of(const KindInfo& kind, const Json& object) {
  Json metadata = Json::object();
  for (const char* field : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    if (const Json* value = json::find(object, {"metadata", field})) metadata[field] = *value;
  }
  const std::string spec_path = replicas_path(kind);
  const std::string current_path = status_path(kind);
  const auto spec_keys = keys_of(spec_path);
  const auto status_keys = keys_of(current_path);
  Json scale = {{"kind", "Scale"},
                {"apiVersion", "autoscaling/v1"},
                {"metadata", std::move(metadata)},
                {"spec", Json::object()},
                {"status", {{"replicas", json::int_or(object, json::Path(status_keys), 0)}}}};
  const std::int64_t replicas = json::int_or(object, json::Path(spec_keys), kind.crd ? 0 : 1);
  if (replicas != 0) scale["spec"]["replicas"] = replicas;
  if (const std::string selector = selector_of(kind, object); !selector.empty()) scale["status"]["selector"] = selector;
  return scale;
}

Json success() {
  return {{"kind", "Status"}, {"apiVersion", "v1"}, {"metadata", Json::object()}, {"status", "Success"}, {"code", 201}};
}

// In place of one of its type.
void add_condition(Json& pod, Json condition) {
  Json& conditions = pod["status"]["conditions"];
  if (!conditions.is_array()) conditions = Json::array();
  for (Json& one : conditions) {
    if (json::string_or(one, {"type"}, "") == json::string_or(condition, {"type"}, "")) {
      one = std::move(condition);
      return;
    }
  }
  conditions.push_back(std::move(condition));
}

KindPtr core_kind(Api& api, std::string_view resource) { return api.registry().kinds()->find("", "v1", resource); }

// A budget that covers the pod and allows no disruption.
bool is_protected(Api& api, std::string_view name_space, const Json& pod) {
  const k8s::GroupResource budgets{"policy", "poddisruptionbudgets"};
  const KindPtr kind = api.registry().kinds()->find("policy", "v1", "poddisruptionbudgets");
  if (!kind) return false;
  for (const ObjectPtr& stored : api.store().list(budgets, name_space).objects) {
    const Json budget = decode(*kind, *stored);
    const auto selector = k8s::label_selector_from_json(json::find(budget, {"spec", "selector"}));
    if (!selector || !selector->matches_object(pod)) continue;
    if (json::int_or(budget, {"status", "disruptionsAllowed"}, 0) <= 0) return true;
  }
  return false;
}

}  // namespace

Result<Json> get_scale(const Api& api, const KindInfo& kind, std::string_view name_space, std::string_view name) {
  TRY_ASSIGN(const Json object, "", api.read(kind, name_space, name));
  return scale_of(kind, object);
}

Result<Json> write_scale(Api& api, const KindInfo& kind, std::string_view name_space, std::string_view name,
                         const std::function<Result<Json>(const Json&)>& change, WriteOptions options) {
  options.subresource = "scale";
  const auto take_over = [&](Json& object) -> Status {
    TRY_ASSIGN(const Json scale, "", change(scale_of(kind, object)));
    const std::string given = json::string_or(scale, {"metadata", "name"}, "");
    if (given != name) {
      return fail("", bad_request(fmt::format("the name of the object ({}) does not match the name on the URL ({})",
                                              given, name)));
    }
    const std::int64_t replicas = json::int_or(scale, {"spec", "replicas"}, 0);
    if (replicas < 0) {
      return fail("", invalid(k8s::GroupKind{"autoscaling", "Scale"}, name,
                              {invalid_cause("spec.replicas", Json(replicas), "must be greater than or equal to 0")}));
    }
    if (const Json* version = json::find(scale, {"metadata", "resourceVersion"})) {
      object["metadata"]["resourceVersion"] = *version;
    }
    const std::string path = replicas_path(kind);
    const auto keys = keys_of(path);
    return json::set_at(object, json::Path(keys), replicas);
  };
  TRY_ASSIGN(const Written written, "", api.modify(kind, name_space, name, take_over, options));
  return scale_of(kind, decode(kind, *written.object));
}

Result<Json> bind_pod(Api& api, std::string_view name_space, std::string_view name, const Json& binding, bool dry_run) {
  const std::string node = json::string_or(binding, {"target", "name"}, "");
  const std::string kind = json::string_or(binding, {"target", "kind"}, "");
  if (!kind.empty() && kind != "Node") {
    return fail("", server_error(fmt::format("target.kind: Unsupported value: {}: supported values: \"Node\", "
                                             "\"<empty>\"",
                                             quote(kind))));
  }
  if (node.empty()) {
    return fail("", invalid(k8s::GroupKind{"", "Binding"}, name, {required_cause("target.name")}));
  }
  const KindPtr pods = core_kind(api, "pods");
  const std::string now = format_rfc3339(api.clock().wall_now());
  const auto put = [&](Json& pod) -> Status {
    const k8s::GroupResource about{"", "pods/binding"};
    if (k8s::ObjectView(pod).is_being_deleted()) {
      return fail("",
                  conflict(about, name, fmt::format("pod {} is being deleted, cannot be assigned to a host", name)));
    }
    const std::string had = json::string_or(pod, {"spec", "nodeName"}, "");
    if (!had.empty()) {
      return fail("", conflict(about, name, fmt::format("pod {} is already assigned to node {}", name, quote(had))));
    }
    pod["spec"]["nodeName"] = node;
    if (const Json* notes = json::find(binding, {"metadata", "annotations"}); notes != nullptr && notes->is_object()) {
      for (const auto& [key, value] : notes->items()) pod["metadata"]["annotations"][key] = value;
    }
    add_condition(
        pod, {{"type", "PodScheduled"}, {"status", "True"}, {"lastProbeTime", nullptr}, {"lastTransitionTime", now}});
    return {};
  };
  TRY("", api.rewrite(*pods, name_space, name, put, dry_run));
  return success();
}

Result<Json> evict_pod(Api& api, std::string_view name_space, std::string_view name, const Json& eviction,
                       bool dry_run) {
  const KindPtr pods = core_kind(api, "pods");
  TRY_ASSIGN(const Json pod, "", api.read(*pods, name_space, name));
  if (is_protected(api, name_space, pod)) {
    return fail("", too_many_requests("Cannot evict pod as it would violate the pod's disruption budget.", 0));
  }
  DeleteOptions options{.dry_run = dry_run};
  if (const Json* grace = json::find(eviction, {"deleteOptions", "gracePeriodSeconds"});
      grace != nullptr && grace->is_number_integer()) {
    options.grace_period_seconds = grace->get<std::int64_t>();
  }
  options.uid = json::string_or(eviction, {"deleteOptions", "preconditions", "uid"}, "");
  const std::string now = format_rfc3339(api.clock().wall_now());
  const auto note = [&](Json& live) -> Status {
    add_condition(live, {{"type", "DisruptionTarget"},
                         {"status", "True"},
                         {"lastProbeTime", nullptr},
                         {"lastTransitionTime", now},
                         {"reason", "EvictionByEvictionAPI"},
                         {"message", "Eviction API: evicting"}});
    return {};
  };
  TRY("", api.rewrite(*pods, name_space, name, note, dry_run));
  TRY("", api.remove(*pods, name_space, name, options));
  return success();
}

Result<Written> finalize_namespace(Api& api, std::string_view name, const Json& object, bool dry_run) {
  const KindPtr namespaces = core_kind(api, "namespaces");
  const std::string version = json::string_or(object, {"metadata", "resourceVersion"}, "");
  return api.rewrite(
      *namespaces, "", name,
      [&](Json& live) -> Status {
        if (!version.empty() && version != json::string_or(live, {"metadata", "resourceVersion"}, "")) {
          return fail("", modified_meanwhile({"", "namespaces"}, name));
        }
        const Json* finalizers = json::find(object, {"spec", "finalizers"});
        if (finalizers == nullptr || finalizers->empty()) {
          live["spec"].erase("finalizers");
        } else {
          live["spec"]["finalizers"] = *finalizers;
        }
        return {};
      },
      dry_run);
}

Result<Json> request_token(Api& api, const Authenticator& authenticator, std::string_view name_space,
                           std::string_view name, Json request) {
  const KindPtr accounts = core_kind(api, "serviceaccounts");
  TRY_ASSIGN(const ObjectPtr account, "", api.get(*accounts, name_space, name));
  const std::int64_t seconds = json::int_or(request, {"spec", "expirationSeconds"}, 3600);
  if (seconds < 600) {
    return fail("", invalid(k8s::GroupKind{"authentication.k8s.io", "TokenRequest"}, "",
                            {invalid_cause("spec.expirationSeconds", Json(seconds),
                                           "may not specify a duration less than 10 minutes")}));
  }
  auto audiences = json::string_list_at(request, {"spec", "audiences"}).value_or(std::vector<std::string>{});
  if (audiences.empty()) audiences = {"https://kubernetes.default.svc"};
  const WallTime now = api.clock().wall_now();
  const WallTime until = now + std::chrono::seconds(std::min<std::int64_t>(seconds, 10L * 365 * 24 * 3600));
  Json spec = {{"audiences", audiences}, {"expirationSeconds", seconds}, {"boundObjectRef", nullptr}};
  if (const Json* bound = json::find(request, {"spec", "boundObjectRef"})) spec["boundObjectRef"] = *bound;
  return Json{
      {"kind", "TokenRequest"},
      {"apiVersion", "authentication.k8s.io/v1"},
      {"metadata",
       {{"name", name}, {"namespace", name_space}, {"uid", account->uid}, {"creationTimestamp", format_rfc3339(now)}}},
      {"spec", std::move(spec)},
      {"status",
       {{"token", authenticator.issue({std::string(name_space), std::string(name), account->uid}, audiences, until)},
        {"expirationTimestamp", format_rfc3339(until)}}}};
}

}  // namespace landfall::sandbox
