#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kube/discovery.h"

namespace landfall::selection {

// For tests: a small cluster's discovery.

enum class Scope { kNamespaced, kCluster };

inline kube::ApiResource test_resource(std::string group, std::string version, std::string plural, std::string kind,
                                       Scope scope = Scope::kNamespaced, std::vector<std::string> short_names = {}) {
  kube::ApiResource resource;
  resource.id = {std::move(group), std::move(version), std::move(plural)};
  resource.singular = kind;
  for (char& c : resource.singular) {
    c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  resource.kind = std::move(kind);
  resource.is_namespaced = scope == Scope::kNamespaced;
  resource.verbs = {"create", "delete", "get", "list", "watch"};
  resource.short_names = std::move(short_names);
  return resource;
}

inline kube::Discovery test_discovery() {
  std::vector<kube::ApiResource> all = {
      test_resource("", "v1", "configmaps", "ConfigMap", Scope::kNamespaced, {"cm"}),
      test_resource("", "v1", "events", "Event"),
      test_resource("", "v1", "namespaces", "Namespace", Scope::kCluster, {"ns"}),
      test_resource("", "v1", "nodes", "Node", Scope::kCluster, {"no"}),
      test_resource("", "v1", "persistentvolumes", "PersistentVolume", Scope::kCluster, {"pv"}),
      test_resource("", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", Scope::kNamespaced, {"pvc"}),
      test_resource("", "v1", "pods", "Pod", Scope::kNamespaced, {"po"}),
      test_resource("", "v1", "bindings", "Binding"),
      test_resource("", "v1", "secrets", "Secret"),
      test_resource("extensions", "v1beta1", "deployments", "Deployment"),
      test_resource("extensions", "v1beta1", "ingresses", "Ingress"),
      test_resource("apps", "v1", "deployments", "Deployment", Scope::kNamespaced, {"deploy"}),
      test_resource("events.k8s.io", "v1", "events", "Event"),
      test_resource("batch", "v1", "jobs", "Job"),
      test_resource("storage.k8s.io", "v1", "storageclasses", "StorageClass", Scope::kCluster, {"sc"}),
      test_resource("apiextensions.k8s.io", "v1", "customresourcedefinitions", "CustomResourceDefinition",
                    Scope::kCluster, {"crd"}),
      test_resource("snapshot.storage.k8s.io", "v1", "volumesnapshots", "VolumeSnapshot", Scope::kNamespaced, {"vs"}),
      test_resource("snapshot.storage.k8s.io", "v1", "volumesnapshotcontents", "VolumeSnapshotContent", Scope::kCluster,
                    {"vsc"}),
  };
  std::vector<kube::ApiGroup> groups;
  for (kube::ApiResource& resource : all) {
    if (resource.id.resource == "bindings") {
      resource.verbs = {"create"};
    }
    if (groups.empty() || groups.back().name != resource.id.group) {
      groups.push_back({resource.id.group, {resource.id.version}});
    }
  }
  return kube::Discovery(std::move(groups), std::move(all), {});
}

}  // namespace landfall::selection
