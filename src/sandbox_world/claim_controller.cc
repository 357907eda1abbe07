#include "sandbox_world/claim_controller.h"

#include <algorithm>
#include <utility>

#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "sandbox_world/node_controller.h"
#include "sandbox_world/volume_match.h"

namespace landfall::sandbox {
namespace {

using json::Json;

constexpr std::string_view kProtection = "kubernetes.io/pvc-protection";
constexpr std::string_view kBindCompleted = "pv.kubernetes.io/bind-completed";
constexpr std::string_view kBoundByController = "pv.kubernetes.io/bound-by-controller";

bool mounts(const Json& pod, std::string_view claim) {
  if (json::string_or(pod, {"spec", "nodeName"}, "").empty()) return false;
  const Json* volumes = json::find(pod, {"spec", "volumes"});
  if (volumes == nullptr || !volumes->is_array()) return false;
  return std::any_of(volumes->begin(), volumes->end(), [&](const Json& volume) {
    return json::string_or(volume, {"persistentVolumeClaim", "claimName"}, "") == claim;
  });
}

Json claim_reference(const Json& claim) {
  const k8s::ObjectView view(claim);
  return {{"apiVersion", "v1"},
          {"kind", "PersistentVolumeClaim"},
          {"namespace", view.name_space()},
          {"name", view.name()},
          {"uid", view.uid()},
          {"resourceVersion", view.resource_version()}};
}

bool is_default_class(const Json& storage_class) {
  return k8s::ObjectView(storage_class).annotations().get("storageclass.kubernetes.io/is-default-class") == "true";
}

}  // namespace

bool ClaimController::follows(const k8s::GroupResource& resource) const {
  return resource == kinds().claims.storage || resource == kinds().volumes.storage ||
         resource == kinds().storage_classes.storage || resource == kinds().pods.storage;
}

void ClaimController::observe(const k8s::GroupResource& resource, const Change& change, WorkQueue& queue) {
  const StoredObject& object = *change.object;
  if (resource == kinds().claims.storage) {
    if (change.type == ChangeType::kDeleted) {
      open_.erase(object.key);
      return;
    }
    const Json claim = decode(kinds().claims, object);
    const bool is_settled = !object.is_deleting && json::string_or(claim, {"status", "phase"}, "") == "Bound";
    if (is_settled) {
      open_.erase(object.key);
    } else {
      open_.insert(object.key);
    }
    queue.add(object.key);
    return;
  }
  if (resource == kinds().pods.storage && change.type != ChangeType::kDeleted) return;
  for (const std::string& key : open_) queue.add(key);
  if (resource == kinds().volumes.storage && change.type == ChangeType::kDeleted) {
    const Json volume = decode(kinds().volumes, object);
    const std::string name = json::string_or(volume, {"spec", "claimRef", "name"}, "");
    if (!name.empty()) queue.add(json::string_or(volume, {"spec", "claimRef", "namespace"}, "") + "/" + name);
  }
}

Status ClaimController::reconcile(const std::string& key, WorkQueue&) {
  const auto [name_space, name] = split_key(key);
  std::optional<Json> claim = cluster_.get(kinds().claims, name_space, name);
  if (!claim) return {};
  if (k8s::ObjectView(*claim).is_being_deleted()) return release(*claim);
  const std::string volume = json::string_or(*claim, {"spec", "volumeName"}, "");
  return volume.empty() ? find_volume(*std::move(claim)) : keep_bound(*claim, volume);
}

Status ClaimController::release(const Json& claim) const {
  const k8s::ObjectView view(claim);
  for (const Json& pod : cluster_.list(kinds().pods, view.name_space(), view.name())) {
    if (mounts(pod, view.name())) return {};  // its deletion comes back to us
  }
  return cluster_.rewrite(kinds().claims, claim, [](Json& live) -> Status {
    k8s::remove_finalizer(live, kProtection);
    return {};
  });
}

Status ClaimController::keep_bound(const Json& claim, const std::string& volume_name) const {
  const std::optional<Json> volume = cluster_.get(kinds().volumes, "", volume_name);
  const bool was_bound = k8s::ObjectView(claim).annotations().contains(std::string(kBindCompleted));
  const bool is_ours =
      volume && (is_meant_for(*volume, claim) || (!was_bound && !json::has(*volume, {"spec", "claimRef"})));
  if (is_ours) return bind(claim, *volume);
  return set_phase(claim, was_bound ? "Lost" : "Pending");
}

Status ClaimController::set_phase(const Json& claim, std::string_view phase) const {
  return cluster_.rewrite(kinds().claims, claim, [&](Json& live) -> Status {
    live["status"]["phase"] = phase;
    return {};
  });
}

Result<Json> ClaimController::with_class(Json claim) const {
  if (json::find_string(claim, {"spec", "storageClassName"}) != nullptr) return claim;
  for (const Json& storage_class : cluster_.list(kinds().storage_classes, "")) {
    if (!is_default_class(storage_class)) continue;
    const std::string name(k8s::ObjectView(storage_class).name());
    TRY("set the default class", cluster_.rewrite(kinds().claims, claim, [&](Json& live) -> Status {
      live["spec"]["storageClassName"] = name;
      return {};
    }));
    claim["spec"]["storageClassName"] = name;
    break;
  }
  return claim;
}

Status ClaimController::find_volume(Json claim) const {
  TRY_ASSIGN(claim, "", with_class(std::move(claim)));
  const std::vector<Json> volumes = cluster_.list(kinds().volumes, "");
  if (const Json* volume = choose_volume(volumes, claim)) return bind(claim, *volume);
  const std::string class_name = json::string_or(claim, {"spec", "storageClassName"}, "");
  if (class_name.empty()) return {};
  const std::optional<Json> storage_class = cluster_.get(kinds().storage_classes, "", class_name);
  if (!storage_class || json::string_or(*storage_class, {"provisioner"}, "") != kProvisioner) return {};
  TRY_ASSIGN(const Json volume, "provision a volume", provision(claim, *storage_class));
  return bind(claim, volume);
}

Result<Json> ClaimController::provision(const Json& claim, const Json& storage_class) const {
  const k8s::ObjectView view(claim);
  const std::string name = "pvc-" + std::string(view.uid());
  const Json hostname = {{"key", "kubernetes.io/hostname"}, {"operator", "In"}, {"values", Json::array({kNodeName})}};
  Json volume = {
      {"metadata", {{"name", name}, {"annotations", {{"pv.kubernetes.io/provisioned-by", kProvisioner}}}}},
      {"spec",
       {{"capacity", {{"storage", json::string_or(claim, {"spec", "resources", "requests", "storage"}, "1Gi")}}},
        {"accessModes", copy_or(claim, {"spec", "accessModes"}, Json::array({"ReadWriteOnce"}))},
        {"persistentVolumeReclaimPolicy", json::string_or(storage_class, {"reclaimPolicy"}, "Delete")},
        {"storageClassName", k8s::ObjectView(storage_class).name()},
        {"volumeMode", json::string_or(claim, {"spec", "volumeMode"}, "Filesystem")},
        {"claimRef", claim_reference(claim)},
        {"local", {{"path", directories_.new_volume(name).string()}}},
        {"nodeAffinity",
         {{"required", {{"nodeSelectorTerms", Json::array({{{"matchExpressions", Json::array({hostname})}}})}}}}}}}};
  if (const Json* options = json::find(storage_class, {"mountOptions"})) volume["spec"]["mountOptions"] = *options;
  TRY("", directories_.make_volume(volume));
  return cluster_.create(kinds().volumes, "", std::move(volume));
}

Status ClaimController::bind(const Json& claim, const Json& volume) const {
  const bool was_meant = json::has(volume, {"spec", "claimRef"});
  const Status bound = cluster_.rewrite(kinds().volumes, volume, [&](Json& live) -> Status {
    if (json::string_or(live, {"spec", "claimRef", "uid"}, "").empty()) {
      live["spec"]["claimRef"] = claim_reference(claim);
      if (!was_meant) TRY("", k8s::set_annotation(live, kBoundByController, "yes"));
    }
    if (json::string_or(live, {"status", "phase"}, "") != "Bound") {
      live["status"]["phase"] = "Bound";
      live["status"]["lastPhaseTransitionTime"] = cluster_.now_text();
    }
    return {};
  });
  TRY("bind the volume", bound);
  TRY("make the volume's directory", directories_.make_volume(volume));
  const std::string volume_name(k8s::ObjectView(volume).name());
  const std::string provisioner(
      k8s::ObjectView(volume).annotations().get("pv.kubernetes.io/provisioned-by").value_or(""));
  return cluster_.rewrite(kinds().claims, claim, [&](Json& live) -> Status {
    if (json::string_or(live, {"spec", "volumeName"}, "").empty()) {
      live["spec"]["volumeName"] = volume_name;
      TRY("", k8s::set_annotation(live, kBoundByController, "yes"));
      if (!provisioner.empty()) {
        TRY("", k8s::set_annotation(live, "volume.kubernetes.io/storage-provisioner", provisioner));
        TRY("", k8s::set_annotation(live, "volume.beta.kubernetes.io/storage-provisioner", provisioner));
      }
    }
    TRY("", k8s::set_annotation(live, kBindCompleted, "yes"));
    live["status"]["phase"] = "Bound";
    live["status"]["accessModes"] = copy_or(volume, {"spec", "accessModes"}, Json::array());
    live["status"]["capacity"] = copy_or(volume, {"spec", "capacity"}, Json::object());
    return {};
  });
}

}  // namespace landfall::sandbox
