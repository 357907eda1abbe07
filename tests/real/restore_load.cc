#include "real/restore_load.h"

#include <array>
#include <atomic>
#include <stdexcept>

#include "json/access.h"
#include "json/parse.h"
#include "k8s/kinds.h"
#include "k8s/object_view.h"
#include "kube/discovery.h"
#include "kube/resource.h"
#include "real/bench_objects.h"
#include "restore_suite/props.h"
#include "restore_suite/rehearsal.h"
#include "stories/patience.h"
#include "stories/sweep.h"

namespace landfall {
namespace {

using json::Json;
using restore_suite::object_of;
using restore_suite::with_annotation;
using restore_suite::with_label;
using stories::must;

constexpr int kSize = 250;  // of a namespace
constexpr int kFew = 20;
constexpr int kClaims = 40;
constexpr std::string_view kAnyWord = "anyword0";

std::string numbered(const std::string& name, int number) { return name + "-" + std::to_string(number); }

Json selected_of(Json object) { return with_label(std::move(object), "load", "yes"); }

Json config_map(const std::string& name_space, int i) {
  return selected_of(restore_suite::config_map(name_space, numbered(name_space, i), std::string(300, 'x')));
}

Json secret(const std::string& name_space, int i) {
  Json object = object_of("v1", "Secret", name_space, numbered(name_space, i));
  object["data"] = {{"key", "dmFsdWU="}};
  return selected_of(std::move(object));
}

Json role(const std::string& name_space, int i) {
  Json object = object_of("rbac.authorization.k8s.io/v1", "Role", name_space, numbered(name_space, i));
  object["rules"] = Json::array({{{"apiGroups", Json::array({""})},
                                  {"resources", Json::array({"configmaps"})},
                                  {"verbs", Json::array({"get", "list"})}}});
  return selected_of(std::move(object));
}

Json role_binding(const std::string& name_space, int i) {
  Json object = object_of("rbac.authorization.k8s.io/v1", "RoleBinding", name_space, numbered(name_space, i));
  object["roleRef"] = {{"apiGroup", "rbac.authorization.k8s.io"}, {"kind", "Role"}, {"name", numbered(name_space, i)}};
  object["subjects"] =
      Json::array({{{"kind", "ServiceAccount"}, {"namespace", name_space}, {"name", numbered("clerk", i)}}});
  return selected_of(std::move(object));
}

Json service_account(const std::string& name_space, int i) {
  Json object = object_of("v1", "ServiceAccount", name_space, numbered("clerk", i));
  object["imagePullSecrets"] = Json::array({{{"name", "registry"}}});
  return selected_of(with_annotation(std::move(object), "from", "backup"));
}

Json service(const std::string& name_space, int i) {
  return selected_of(restore_suite::service(name_space, numbered("door", i)));
}

Json pod(const std::string& name_space, int i) {
  Json object = restore_suite::pod(name_space, numbered("stall", i),
                                   {numbered("data", i), numbered("data", (i + kFew) % kClaims)});
  object["spec"]["serviceAccountName"] = numbered("clerk", i);
  return selected_of(std::move(object));
}

// Resources of namespaces that are restored, beside the one of the definition.
constexpr std::array<const char*, 8> kResources = {"configmaps",
                                                   "persistentvolumeclaims",
                                                   "pods",
                                                   "rolebindings.rbac.authorization.k8s.io",
                                                   "roles.rbac.authorization.k8s.io",
                                                   "secrets",
                                                   "serviceaccounts",
                                                   "services"};

k8s::GroupVersionResource v1(const std::string& text) {
  const k8s::GroupResource resource = k8s::parse_group_resource(text);
  return {resource.group, "v1", resource.resource};
}

const k8s::GroupVersionResource kNamespaces{"", "v1", "namespaces"};
const k8s::GroupVersionResource kVolumes{"", "v1", "persistentvolumes"};
const k8s::GroupVersionResource kDefinitions{"apiextensions.k8s.io", "v1", "customresourcedefinitions"};

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// What the cluster has chosen or noted the time of.
void strip(Json& object) {
  for (const std::string_view field : {"uid", "resourceVersion", "creationTimestamp", "managedFields"}) {
    json::erase_at(object, {"metadata", field});
  }
  json::erase_at(object, {"status", "lastPhaseTransitionTime"});
  if (Json* conditions = json::find(object, {"status", "conditions"})) {
    for (Json& condition : *conditions) condition.erase("lastTransitionTime");
  }
  if (json::string_or(object, {"kind"}, "") == "Service") {
    for (const std::string_view field : {"clusterIP", "clusterIPs"}) json::erase_at(object, {"spec", field});
  }
}

// With its finalizers, where the cluster puts some on. What does not go stays.
void remove_wholly(const kube::Resource& resource, const std::string& name) {
  const auto going = resource.remove(name, {}, {.grace_period_seconds = 0});
  if (going && json::has(*going, {"metadata", "finalizers"})) {
    (void)resource.patch(name, kube::PatchType::kMerge, {{"metadata", {{"finalizers", nullptr}}}}, {});
  }
}

}  // namespace

Json RestoreLoad::definition() const {
  Json object = restore_suite::definition("books", "Book");
  object["metadata"]["name"] = "books." + group();
  object["spec"]["group"] = group();
  return selected_of(std::move(object));
}

void RestoreLoad::add_namespace(std::vector<Json>& selected, const std::string& name, int size) const {
  for (int i = 0; i < size; ++i) selected.push_back(config_map(name, i));
  for (int i = 0; i < size * 2 / 5; ++i) {
    selected.push_back(secret(name, i));
    Json book = object_of(group() + "/v1", "Book", name, numbered(name, i));
    book["spec"] = {{"title", numbered("Number", i)}};
    selected.push_back(selected_of(std::move(book)));
  }
  for (int i = 0; i < size / 8; ++i) selected.push_back(role(name, i));
}

// Half of the claims and volumes are selected; pods ask for all.
void RestoreLoad::add_volumes(std::vector<Json>& all) const {
  for (int i = 0; i < kClaims; ++i) {
    const std::string volume_name = word_ + numbered("-disk", i);
    Json claim = restore_suite::claim("north", numbered("data", i), volume_name);
    Json volume = restore_suite::volume(volume_name, "north", numbered("data", i), i % 2 == 0 ? "Retain" : "Delete");
    all.push_back(i < kFew ? selected_of(std::move(claim)) : std::move(claim));
    all.push_back(i < kFew ? selected_of(std::move(volume)) : std::move(volume));
  }
}

std::vector<std::pair<std::string, Json>> RestoreLoad::items() const {
  std::vector<Json> all = {definition()};
  for (const std::string name : {"north", "south", "east"}) {
    all.push_back(restore_suite::namespace_of(name, {{"side", name}}));
    add_namespace(all, name, name == "north" ? 2 * kSize : kSize);
  }
  for (int i = 0; i < kFew; ++i) {
    for (const auto& make : {role_binding, service_account, service, pod}) all.push_back(make("north", i));
  }
  add_volumes(all);
  std::vector<std::pair<std::string, Json>> items;
  for (Json& object : all) {
    if (json::string_or(object, {"kind"}, "") == "Book") {
      items.emplace_back("books." + group(), std::move(object));
    } else if (const std::string kind = json::string_or(object, {"kind"}, ""); kind == "Role") {
      items.emplace_back("roles.rbac.authorization.k8s.io", std::move(object));
    } else {
      items.push_back(restore_suite::items_of({object}).front());
    }
  }
  return items;
}

Json RestoreLoad::spec(const std::string& existing_policy) const {
  return {{"namespaceMapping", {{"north", first()}, {"south", second()}, {"east", second()}}},
          {"labelSelector", {{"matchLabels", {{"load", "yes"}}}}},
          {"existingResourcePolicy", existing_policy}};
}

void RestoreLoad::make_existing(kube::Client& client) const {
  must(kube::Resource(client, kNamespaces).create(restore_suite::namespace_of(first()), {}));
  const auto make = [&](const std::string& resource, Json object) {
    object["metadata"]["namespace"] = first();
    must(kube::Resource(client, v1(resource), first()).create(object, {}));
  };
  for (int i = 0; i < 3 * kFew; ++i) {
    Json object = config_map("north", i);
    if (i >= kFew) object["data"] = {{"key", "somebody's"}, {"other", "too"}};
    make("configmaps", std::move(object));
  }
  for (int i = 0; i < kFew / 4; ++i) {
    Json other = secret("north", i);
    other["data"] = {{"key", "b3RoZXI="}};
    make("secrets", std::move(other));
    make("serviceaccounts", object_of("v1", "ServiceAccount", first(), numbered("clerk", i)));
    Json door = service("north", i);
    door["spec"]["selector"] = {{"app", "another"}};
    make("services", std::move(door));
    Json less = role("north", i);
    less["rules"][0]["verbs"] = Json::array({"get"});
    make("roles.rbac.authorization.k8s.io", std::move(less));
  }
  // The volumes of a pod can not be changed.
  for (int i = 0; i < 2; ++i) make("pods", selected_of(restore_suite::pod(first(), numbered("stall", i))));
}

Json RestoreLoad::like_any(const Json& document) const {
  return must(json::parse(replaced(json::dump(document), word_, kAnyWord)));
}

std::map<std::string, Json> RestoreLoad::left(kube::Client& client) const {
  std::map<std::string, Json> found;
  const auto add = [&](const k8s::GroupVersionResource& resource, const Json& object) {
    Json kept = like_any(object);
    strip(kept);
    const k8s::ObjectView view(kept);
    std::string key = resource.resource + "/" + std::string(view.name_space()) + "/" + std::string(view.name());
    found.emplace(std::move(key), std::move(kept));
  };
  std::vector<std::string> resources(kResources.begin(), kResources.end());
  resources.push_back("books." + group());
  for (const std::string& name_space : {first(), second()}) {
    add(kNamespaces, must(kube::Resource(client, kNamespaces).get(name_space, {})));
    for (const std::string& resource : resources) {
      for (const Json& object : must(kube::Resource(client, v1(resource), name_space).list({}, {})).items) {
        add(v1(resource), object);
      }
    }
  }
  for (const Json& object : must(kube::Resource(client, kVolumes).list({}, {})).items) {
    if (k8s::ObjectView(object).name().starts_with(word_)) add(kVolumes, object);
  }
  add(kDefinitions, must(kube::Resource(client, kDefinitions).get("books." + group(), {})));
  return found;
}

void RestoreLoad::sweep(kube::Client& client) const {
  std::vector<std::pair<kube::Resource, std::string>> all;
  const auto add = [&](const kube::Resource& resource) {
    for (const Json& object : must(resource.list({}, {})).items) {
      const k8s::ObjectView view(object);
      if (!view.name_space().empty() || view.name().starts_with(word_)) all.emplace_back(resource, view.name());
    }
  };
  for (const std::string& name_space : {first(), second()}) {
    for (const std::string resource : kResources) add(kube::Resource(client, v1(resource), name_space));
  }
  add(kube::Resource(client, kVolumes));
  constexpr int kThreads = 16;
  kube::rate_of(kThreads, static_cast<int>(all.size()), [&](std::atomic<int>& next) {
    for (auto i = static_cast<std::size_t>(next++); i < all.size(); i = static_cast<std::size_t>(next++)) {
      remove_wholly(all[i].first, all[i].second);
    }
  });
  // The server itself takes the custom resources away.
  must(kube::Resource(client, kDefinitions).remove("books." + group(), {}));
  const kube::Discovery discovery = must(kube::discover(client, {}));
  for (const std::string& name_space : {first(), second()}) stories::sweep_namespace(client, discovery, name_space);
}

}  // namespace landfall
