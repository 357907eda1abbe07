#include "restore_suite/props.h"

#include <map>
#include <stdexcept>

#include "json/access.h"
#include "json/parse.h"

namespace landfall::restore_suite {

using json::Json;

Json object_of(const std::string& api_version, const std::string& kind, const std::string& name_space,
               const std::string& name) {
  Json object = {{"apiVersion", api_version}, {"kind", kind}, {"metadata", {{"name", name}}}};
  if (!name_space.empty()) object["metadata"]["namespace"] = name_space;
  return object;
}

Json namespace_of(const std::string& name, const Json& labels) {
  Json object = object_of("v1", "Namespace", "", name);
  if (!labels.empty()) object["metadata"]["labels"] = labels;
  return object;
}

Json pod(const std::string& name_space, const std::string& name, const std::vector<std::string>& claims) {
  Json object = object_of("v1", "Pod", name_space, name);
  object["spec"]["containers"] = Json::array({{{"name", "main"}, {"image", "shop/web:1"}}});
  for (const std::string& one : claims) {
    object["spec"]["volumes"].push_back({{"name", one}, {"persistentVolumeClaim", {{"claimName", one}}}});
  }
  return object;
}

Json claim(const std::string& name_space, const std::string& name, const std::string& volume) {
  Json object = object_of("v1", "PersistentVolumeClaim", name_space, name);
  object["metadata"]["annotations"] = {{"pv.kubernetes.io/bind-completed", "yes"},
                                       {"pv.kubernetes.io/bound-by-controller", "yes"}};
  object["spec"] = {{"accessModes", Json::array({"ReadWriteOnce"})},
                    {"resources", {{"requests", {{"storage", "1Gi"}}}}},
                    {"storageClassName", "slow"},
                    {"volumeName", volume}};
  object["status"] = {{"phase", "Bound"}};
  return object;
}

Json volume(const std::string& name, const std::string& name_space, const std::string& claim,
            const std::string& reclaim_policy) {
  Json object = object_of("v1", "PersistentVolume", "", name);
  object["metadata"]["annotations"] = {{"pv.kubernetes.io/bound-by-controller", "yes"}};
  object["spec"] = {{"accessModes", Json::array({"ReadWriteOnce"})},
                    {"capacity", {{"storage", "1Gi"}}},
                    {"storageClassName", "slow"},
                    {"persistentVolumeReclaimPolicy", reclaim_policy},
                    {"hostPath", {{"path", "/data/" + name}}},
                    {"claimRef",
                     {{"apiVersion", "v1"},
                      {"kind", "PersistentVolumeClaim"},
                      {"namespace", name_space},
                      {"name", claim},
                      {"uid", "00000000-0000-4000-8000-000000000001"},
                      {"resourceVersion", "5"}}}};
  object["status"] = {{"phase", "Bound"}};
  return object;
}

Json service(const std::string& name_space, const std::string& name) {
  Json object = object_of("v1", "Service", name_space, name);
  object["spec"] = {{"ports", Json::array({{{"name", "http"}, {"port", 80}}})}, {"selector", {{"app", name}}}};
  return object;
}

Json definition(const std::string& plural, const std::string& kind) {
  const Json any = {{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}};
  Json object = object_of("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", plural + ".library.example.com");
  object["spec"] = {
      {"group", "library.example.com"},
      {"scope", "Namespaced"},
      {"names", {{"plural", plural}, {"kind", kind}}},
      {"versions",
       Json::array({{{"name", "v1"}, {"served", true}, {"storage", true}, {"schema", {{"openAPIV3Schema", any}}}}})}};
  return object;
}

Json with_label(Json object, const std::string& key, const std::string& value) {
  object["metadata"]["labels"][key] = value;
  return object;
}

Json with_annotation(Json object, const std::string& key, const std::string& value) {
  object["metadata"]["annotations"][key] = value;
  return object;
}

std::vector<std::pair<std::string, Json>> items_of(const std::vector<Json>& objects) {
  static const std::map<std::string, std::string> kResources = {
      {"Book", "books.library.example.com"},
      {"ClusterRole", "clusterroles.rbac.authorization.k8s.io"},
      {"ClusterRoleBinding", "clusterrolebindings.rbac.authorization.k8s.io"},
      {"ConfigMap", "configmaps"},
      {"CustomResourceDefinition", "customresourcedefinitions.apiextensions.k8s.io"},
      {"Deployment", "deployments.apps"},
      {"HorizontalPodAutoscaler", "horizontalpodautoscalers.autoscaling"},
      {"Job", "jobs.batch"},
      {"Namespace", "namespaces"},
      {"PersistentVolume", "persistentvolumes"},
      {"PersistentVolumeClaim", "persistentvolumeclaims"},
      {"Pod", "pods"},
      {"PriorityClass", "priorityclasses.scheduling.k8s.io"},
      {"RoleBinding", "rolebindings.rbac.authorization.k8s.io"},
      {"Secret", "secrets"},
      {"Service", "services"},
      {"ServiceAccount", "serviceaccounts"},
      {"StorageClass", "storageclasses.storage.k8s.io"},
      {"ValidatingWebhookConfiguration", "validatingwebhookconfigurations.admissionregistration.k8s.io"},
      {"Widget", "widgets.example.com"},
  };
  std::vector<std::pair<std::string, Json>> items;
  for (const Json& object : objects) {
    const auto found = kResources.find(json::string_or(object, {"kind"}, ""));
    if (found == kResources.end()) throw std::runtime_error("add the resource of " + json::dump(object));
    items.emplace_back(found->second, object);
  }
  return items;
}

Result<extension::RestoreActionResult> ScriptedAction::execute(const extension::RestoreActionInput& input,
                                                               const std::stop_token& /*stop*/) {
  return execute_(input);
}

Result<bool> ScriptedAction::are_ready(const std::vector<k8s::ObjectRef>& additional, const json::Json& /*restore*/,
                                       const std::stop_token& /*stop*/) {
  return ready_ ? ready_(additional) : Result<bool>(true);
}

}  // namespace landfall::restore_suite
