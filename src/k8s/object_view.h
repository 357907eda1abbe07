#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "json/access.h"
#include "json/json_fwd.h"
#include "k8s/kinds.h"
#include "k8s/object_ref.h"

namespace landfall::k8s {

// Labels or annotations of a document. Null values read as empty texts; a map that holds anything but strings and nulls
// counts as absent altogether, as in Kubernetes' own reader of documents: both must select the same objects. Points
// into the document.
class StringMapView {
 public:
  StringMapView() = default;
  explicit StringMapView(const json::Json* map);

  std::optional<std::string_view> get(const std::string& key) const;
  bool contains(const std::string& key) const { return get(key).has_value(); }
  bool empty() const { return size() == 0; }
  std::size_t size() const;
  json::StringMap copy() const;

 private:
  const json::Json* map_ = nullptr;
};

struct OwnerReference {
  std::string_view api_version;
  std::string_view kind;
  std::string_view name;
  std::string_view uid;
  bool controller = false;
  bool block_owner_deletion = false;
};

// Reads what every Kubernetes object has. Texts that are missing or of another type are empty, as Kubernetes reads
// them, so a document from anywhere is safe to look at; what must be there is the caller's to check. A cheap value that
// points into the document: valid while the document lives and stays unchanged, and so are the views that it returns.
class ObjectView {
 public:
  explicit ObjectView(const json::Json& document) : document_(&document) {}
  explicit ObjectView(const json::Json&& document) = delete;  // would point at nothing

  std::string_view api_version() const;
  std::string_view kind() const;
  GroupVersionKind group_version_kind() const;

  std::string_view name() const { return metadata_text("name"); }
  std::string_view name_space() const { return metadata_text("namespace"); }
  NamespacedName namespaced_name() const { return {std::string(name_space()), std::string(name())}; }
  std::string_view generate_name() const { return metadata_text("generateName"); }
  std::string_view uid() const { return metadata_text("uid"); }
  std::string_view resource_version() const { return metadata_text("resourceVersion"); }

  StringMapView labels() const;
  StringMapView annotations() const;
  // None when the list holds anything but objects, as in Kubernetes.
  std::vector<OwnerReference> owner_references() const;
  // The owner that manages the object, such as the ReplicaSet of a pod.
  std::optional<OwnerReference> controller() const;
  // None when the list holds anything but texts, as in Kubernetes.
  std::vector<std::string_view> finalizers() const;
  bool has_finalizer(std::string_view name) const;

  // Nothing when there is none that can be read.
  std::optional<WallTime> creation_timestamp() const;
  std::optional<WallTime> deletion_timestamp() const;
  bool is_being_deleted() const { return deletion_timestamp().has_value(); }

  // The first entry of status.conditions of that type; null when there is none.
  const json::Json* condition(std::string_view type) const;
  // A condition that is missing, "False" or "Unknown" is not true.
  bool is_condition_true(std::string_view type) const;

 private:
  std::string_view metadata_text(std::string_view field) const;
  std::optional<WallTime> metadata_time(std::string_view field) const;

  const json::Json* document_;
};

// Changes to a document's metadata. They create what is missing on the way and fail, changing nothing, where the
// document has something else in that place. Keys and values are not checked: the API server does.
Status set_label(json::Json& document, std::string_view key, std::string_view value);
Status set_annotation(json::Json& document, std::string_view key, std::string_view value);
// False when there was none.
bool remove_label(json::Json& document, std::string_view key);
bool remove_annotation(json::Json& document, std::string_view key);
// Adding one that is there already changes nothing.
Status add_finalizer(json::Json& document, std::string_view name);
bool remove_finalizer(json::Json& document, std::string_view name);

}  // namespace landfall::k8s
