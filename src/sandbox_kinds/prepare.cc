#include "sandbox_kinds/prepare.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "json/json.h"
#include "sandbox_kinds/crd.h"
#include "sandbox_kinds/document_parts.h"
#include "sandbox_kinds/prepare_kinds.h"

namespace landfall::sandbox {
namespace {

using json::Json;

// The status of a new object, as a typed server writes a status without content.
const std::map<k8s::GroupKind, Json>& first_status() {
  static const std::map<k8s::GroupKind, Json> table = {
      {{"", "Namespace"}, {{"phase", "Active"}}},
      {{"", "PersistentVolume"}, {{"phase", "Pending"}}},
      {{"", "PersistentVolumeClaim"}, {{"phase", "Pending"}}},
      {{"", "Pod"}, {{"phase", "Pending"}}},
      {{"", "ReplicationController"}, {{"replicas", 0}}},
      {{"", "Service"}, {{"loadBalancer", Json::object()}}},
      {{"apps", "DaemonSet"},
       {{"currentNumberScheduled", 0}, {"numberMisscheduled", 0}, {"desiredNumberScheduled", 0}, {"numberReady", 0}}},
      {{"apps", "ReplicaSet"}, {{"replicas", 0}}},
      {{"apps", "StatefulSet"}, {{"replicas", 0}, {"availableReplicas", 0}}},
      {{"autoscaling", "HorizontalPodAutoscaler"}, {{"desiredReplicas", 0}, {"currentMetrics", nullptr}}},
      {{"networking.k8s.io", "Ingress"}, {{"loadBalancer", Json::object()}}},
      {{"policy", "PodDisruptionBudget"},
       {{"disruptionsAllowed", 0}, {"currentHealthy", 0}, {"desiredHealthy", 0}, {"expectedPods", 0}}},
      {{"storage.k8s.io", "VolumeAttachment"}, {{"attached", false}}},
  };
  return table;
}

bool is_kind(const KindInfo& kind, std::string_view group, std::string_view name) {
  return !kind.is_custom() && kind.id.group == group && kind.kind == name;
}

void reset_status(const KindInfo& kind, Json& object) {
  if (!kind.has_status || is_kind(kind, "", "Node")) {  // a node brings its status along
    return;
  }
  if (kind.is_custom()) {
    drop(object, "status");
    return;
  }
  if (kind.kind == "CustomResourceDefinition") {
    set_initial_crd_status(object);
    return;
  }
  const auto found = first_status().find({kind.id.group, kind.kind});
  object["status"] = found == first_status().end() ? Json::object() : found->second;
  if (kind.id.version == "v1" && kind.id.group == "autoscaling") {
    object["status"] = {{"currentReplicas", 0}, {"desiredReplicas", 0}};
  }
}

// Everything but status comes from the old object, as far as the kind protects it.
void keep_all_but_status(const KindInfo& kind, const Json& old, Json& next) {
  Json kept = old;
  kept.erase("status");
  if (const Json* const status = value_in(std::as_const(next), "status")) {
    kept["status"] = *status;
  }
  const Json* const metadata = object_in(std::as_const(next), "metadata");
  if (metadata != nullptr && kept["metadata"].is_object()) {
    const bool all_protected = kind.is_custom() || kind.kind == "CustomResourceDefinition";
    for (const std::string_view field : {"managedFields", "resourceVersion", "labels", "annotations", "finalizers"}) {
      const bool is_label_of_deployment = field == "labels" && is_kind(kind, "apps", "Deployment");
      const bool is_bookkeeping = field == "managedFields" || field == "resourceVersion";
      if ((all_protected && !is_bookkeeping) || is_label_of_deployment) {
        continue;
      }
      if (const Json* const value = value_in(*metadata, field)) {
        kept["metadata"][std::string(field)] = *value;
      } else {
        kept["metadata"].erase(std::string(field));
      }
    }
  }
  next = std::move(kept);
}

void keep_status(const Json& old, Json& next) {
  if (const Json* const status = value_in(old, "status")) {
    next["status"] = *status;
  } else {
    drop(next, "status");
  }
}

// A client may leave these out. The deletion fields are not among them: a request that leaves them out does not want
// them changed, one that sets them is refused by validation.
void keep_server_metadata(const Json& old, Json& next) {
  const Json* const from = object_in(old, "metadata");
  Json* const to = make_object(next, "metadata");
  if (from == nullptr || to == nullptr) {
    return;
  }
  for (const std::string_view field : {"name", "namespace", "uid", "deletionTimestamp", "deletionGracePeriodSeconds"}) {
    if (const Json* const value = value_in(*from, field)) {
      put_missing(*to, field, *value);
    }
  }
  for (const std::string_view field : {"creationTimestamp", "generation"}) {
    if (const Json* const value = value_in(*from, field)) {
      (*to)[std::string(field)] = *value;
    } else {
      drop(*to, field);
    }
  }
  drop(*to, "selfLink");
}

bool same(const Json* a, const Json* b) { return a == nullptr || b == nullptr ? a == b : *a == *b; }

// All top-level fields but those that are not counted.
bool content_changed(const Json& old, const Json& next, bool with_status) {
  const auto is_counted = [with_status](const std::string& key) {
    return key != "metadata" && key != "apiVersion" && key != "kind" && (with_status || key != "status");
  };
  for (const auto& [key, value] : old.items()) {
    if (is_counted(key) && !same(&value, value_in(next, key)) && !value.is_null()) {
      return true;
    }
  }
  return std::ranges::any_of(next.items(), [&](const auto& field) {
    return is_counted(field.key()) && !field.value().is_null() && value_in(old, field.key()) == nullptr;
  });
}

const Json* annotations_of(const Json& object) {
  const Json* const metadata = object_in(object, "metadata");
  return metadata == nullptr ? nullptr : value_in(*metadata, "annotations");
}

const Json* labels_of(const Json& object) {
  const Json* const metadata = object_in(object, "metadata");
  return metadata == nullptr ? nullptr : value_in(*metadata, "labels");
}

bool counts_updates(const KindInfo& kind) { return kind.has_generation && kind.kind != "PriorityClass"; }

}  // namespace

bool spec_changed(const KindInfo& kind, const Json& old, const Json& next) {
  if (!old.is_object() || !next.is_object()) {
    return old != next;
  }
  // A rollout is controlled by annotations, too.
  if (is_kind(kind, "apps", "Deployment") && !same(annotations_of(old), annotations_of(next))) {
    return true;
  }
  if (is_kind(kind, "discovery.k8s.io", "EndpointSlice") && !same(labels_of(old), labels_of(next))) {
    return true;
  }
  return content_changed(old, next, !kind.has_status);
}

void prepare_for_create(const KindInfo& kind, Json& object) {
  Json* const metadata = object.is_object() ? make_object(object, "metadata") : nullptr;
  if (metadata == nullptr) {
    return;
  }
  for (const std::string_view field : {"selfLink", "deletionTimestamp", "deletionGracePeriodSeconds"}) {
    drop(*metadata, field);
  }
  if (kind.has_generation || kind.is_custom()) {
    (*metadata)["generation"] = 1;
  }
  reset_status(kind, object);
  if (!kind.is_custom()) {
    prepare_kind_for_create(kind, object);
  }
}

void prepare_for_update(const KindInfo& kind, const Json& old, Json& next, bool status_subresource) {
  if (!old.is_object() || !next.is_object()) {
    return;
  }
  keep_server_metadata(old, next);
  if (status_subresource) {
    keep_all_but_status(kind, old, next);
    if (is_kind(kind, "", "Pod")) {
      keep_quality_of_service(old, next);
    }
    return;
  }
  if (kind.has_status) {
    keep_status(old, next);
  }
  if (!kind.is_custom()) {
    prepare_kind_for_update(kind, old, next);
  }
  if ((counts_updates(kind) || kind.is_custom()) && spec_changed(kind, old, next)) {
    Json* const metadata = make_object(next, "metadata");
    const Json* const generation = metadata == nullptr ? nullptr : value_in(*metadata, "generation");
    if (metadata != nullptr) {
      const bool is_number = generation != nullptr && generation->is_number_integer();
      (*metadata)["generation"] = (is_number ? generation->get<std::int64_t>() : 0) + 1;
    }
  }
}

}  // namespace landfall::sandbox
