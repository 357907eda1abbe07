#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "k8s/kinds.h"

namespace landfall::sandbox {

class CrdSchema;

// One column that `kubectl get` shows of a custom resource.
struct PrinterColumn {
  std::string name;
  std::string type;  // string, integer, number, boolean, date
  std::string format;
  std::string description;
  int priority = 0;       // above 0: with `-o wide` only
  std::string json_path;  // ".spec.replicas"
};

// What a version of a CustomResourceDefinition says beyond what every kind has.
struct CrdDetails {
  std::string crd_name;  // "books.shop.example.com"
  bool has_scale = false;
  std::string spec_replicas_path;    // ".spec.replicas"
  std::string status_replicas_path;  // ".status.replicas"
  std::string label_selector_path;   // empty: none
  std::vector<PrinterColumn> printer_columns;
  bool is_deprecated = false;
  std::string deprecation_warning;  // empty: Kubernetes' own sentence
};

// A part of an object with its own path, as discovery lists it: "pods/eviction".
struct SubresourceInfo {
  std::string name;     // without the resource: "eviction"
  std::string kind;     // of what is sent and returned: "Eviction"
  std::string group;    // of that kind; empty together with version: those of the resource
  std::string version;  // "v1"
  std::vector<std::string> verbs;
};

// One served version of one kind: what discovery shows and how the sandbox treats its objects. An immutable value.
struct KindInfo {
  k8s::GroupVersionResource id;  // group, version, plural
  std::string kind;
  std::string list_kind;
  std::string singular;
  bool is_namespaced = false;
  std::vector<std::string> verbs;  // sorted, as discovery has them
  std::vector<std::string> short_names;
  std::vector<std::string> categories;
  std::vector<std::string> subresources;  // "status", "scale", "eviction" …, sorted

  // Where objects live: equal for all versions of a kind; events.k8s.io/events and core events share one.
  k8s::GroupResource storage;
  // The group, version and kind in which a real server stores it: discovery publishes its hash. No version: not stored.
  k8s::GroupVersionKind storage_kind;
  // Status is written through the subresource only.
  bool has_status = false;
  // metadata.generation is 1 at first and counts the changes of the spec.
  bool has_generation = false;

  std::shared_ptr<const CrdSchema> schema;  // of a custom resource; null for built-in kinds and where there is none
  std::shared_ptr<const CrdDetails> crd;    // of a custom resource; null for built-in kinds

  bool is_custom() const { return crd != nullptr; }
  k8s::GroupVersionKind group_version_kind() const { return {id.group, id.version, kind}; }
  // False for what is only ever sent and answered, such as a TokenReview.
  bool is_stored() const { return !storage_kind.version.empty(); }
};

// Everything that Kubernetes 1.34 serves without feature gates, in the server's order of groups; the preferred version
// of a group comes first, and the kinds of a version are sorted by their plural as in discovery. Built once.
const std::vector<KindInfo>& built_in_kinds();

// What discovery says about one of the kind's subresources. The name must be one of `kind.subresources`.
SubresourceInfo subresource_info(const KindInfo& kind, std::string_view subresource);

// What discovery calls storageVersionHash; empty for kinds that are not stored.
std::string storage_version_hash(const KindInfo& kind);

bool has_verb(const KindInfo& kind, std::string_view verb);
bool has_subresource(const KindInfo& kind, std::string_view subresource);

}  // namespace landfall::sandbox
