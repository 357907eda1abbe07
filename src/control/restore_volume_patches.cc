#include "control/restore_volume_patches.h"

#include <algorithm>
#include <set>
#include <utility>

#include "control/change.h"
#include "json/access.h"
#include "k8s/object_view.h"
#include "kube/resource.h"
#include "volume_info/volume_info.h"

namespace landfall::control {
namespace {

using json::Json;
using operation::ItemOperation;
using operation::OperationPhase;

constexpr Duration kLookEvery = std::chrono::seconds(2);
constexpr std::string_view kClaimFiller = "velero.io/csi-pvc-restorer";
constexpr std::string_view kCreated = "(created)";

// "shop/data" of every claim that was created: those that were there before are none of ours.
std::set<std::string> created_claims(const Json& resource_list) {
  std::set<std::string> claims;
  const Json* entries = json::find(resource_list, {"v1/PersistentVolumeClaim"});
  if (entries == nullptr || !entries->is_array()) return claims;
  for (const Json& entry : *entries) {
    if (!entry.is_string()) continue;
    const auto& text = entry.get_ref<const std::string&>();
    if (text.ends_with(kCreated)) claims.insert(text.substr(0, text.size() - kCreated.size()));
  }
  return claims;
}

bool is_left_unfilled(const std::vector<ItemOperation>& operations, const std::string& name_space,
                      const std::string& claim) {
  return std::ranges::any_of(operations, [&](const ItemOperation& one) {
    return one.action == kClaimFiller && one.phase != OperationPhase::kCompleted && one.item.name_space == name_space &&
           one.item.name == claim && one.item.resource.resource == "persistentvolumeclaims";
  });
}

bool needs_patch(const Json& volume, const PatchedVolume& wanted) {
  if (json::string_or(volume, {"spec", "persistentVolumeReclaimPolicy"}, "") != wanted.reclaim_policy) return true;
  const k8s::StringMapView labels = k8s::ObjectView(volume).labels();
  return std::ranges::any_of(wanted.labels, [&](const auto& label) { return labels.get(label.first) != label.second; });
}

}  // namespace

std::vector<PatchedVolume> volumes_to_patch(const Json& volume_infos, const Json& resource_list,
                                            const std::vector<ItemOperation>& operations,
                                            const json::StringMap& namespace_mapping) {
  std::vector<PatchedVolume> volumes;
  if (!volume_infos.is_array()) return volumes;
  const std::set<std::string> created = created_claims(resource_list);
  for (const Json& info : volume_infos) {
    const std::string method = json::string_or(info, {"backupMethod"}, "");
    if (method != "PodVolumeBackup" && method != "CSISnapshot") continue;
    PatchedVolume volume{.name_space = json::string_or(info, {"pvcNamespace"}, ""),
                         .claim = json::string_or(info, {"pvcName"}, ""),
                         .reclaim_policy = json::string_or(info, {"pvInfo", "reclaimPolicy"}, "")};
    // Older releases did not write down what the volume was like.
    if (volume.reclaim_policy.empty()) continue;
    if (auto labels = json::string_map_at(info, {"pvInfo", "labels"})) volume.labels = *std::move(labels);
    const auto mapped = namespace_mapping.find(volume.name_space);
    if (mapped != namespace_mapping.end()) volume.name_space = mapped->second;
    if (!created.contains(volume.name_space + "/" + volume.claim)) continue;
    if (!is_left_unfilled(operations, volume.name_space, volume.claim)) volumes.push_back(std::move(volume));
  }
  return volumes;
}

std::vector<PatchedVolume> claims_to_await(const Json& restored_volume_infos, const std::vector<PatchedVolume>& known) {
  std::vector<PatchedVolume> claims;
  if (!restored_volume_infos.is_array()) return claims;
  for (const Json& info : restored_volume_infos) {
    const volume_info::RestoredVolume row = volume_info::read_restored(info);
    const bool is_awaited = row.method == volume_info::method::kCsiSnapshot && !row.is_data_moved &&
                            row.result == volume_info::result::kInProgress && !row.claim.name.empty();
    const auto is_it = [&](const PatchedVolume& one) {
      return one.name_space == row.claim.name_space && one.claim == row.claim.name;
    };
    if (!is_awaited || std::ranges::any_of(known, is_it)) continue;
    claims.push_back({.name_space = row.claim.name_space, .claim = row.claim.name, .reclaim_policy = {}, .labels = {}});
  }
  return claims;
}

bool RestoreVolumePatches::advance(const std::stop_token& stop) {
  if (left_.empty()) return true;
  const SteadyTime now = context_.clock.now();
  if (now < next_look_) return false;
  next_look_ = context_.clock.after(kLookEvery);
  std::erase_if(left_, [&](const PatchedVolume& volume) {
    if (stop.stop_requested()) return false;
    const auto done = settle(volume, stop);
    if (done && *done) return true;
    const bool may_pass = done || is_retryable(done.error().code()) || done.error().code() == Code::kConflict;
    if (stop.stop_requested() || (may_pass && now < deadline_)) return false;
    unbound_.insert({volume.name_space, volume.claim});
    // What it lacks then is told by its row.
    if (volume.reclaim_policy.empty()) return true;
    errors_.add_to_namespace(volume.name_space, "the volume of claim " + volume.name_space + "/" + volume.claim +
                                                    " did not get back its reclaim policy and labels: " +
                                                    (done ? "the claim is not bound" : done.error().message()));
    return true;
  });
  return left_.empty();
}

std::string RestoreVolumePatches::waiting_for() const {
  return left_.empty() ? "" : "claim " + left_.front().name_space + "/" + left_.front().claim + " to be bound";
}

Result<bool> RestoreVolumePatches::settle(const PatchedVolume& wanted, const std::stop_token& stop) const {
  const kube::Resource claims(context_.client, {"", "v1", "persistentvolumeclaims"}, wanted.name_space);
  auto claim = claims.get(wanted.claim, stop);
  if (!claim && claim.error().code() == Code::kNotFound) return false;
  if (!claim) return fail("claim", std::move(claim).error());
  const std::string phase = json::string_or(*claim, {"status", "phase"}, "");
  if (phase == "Pending") {
    TRY_ASSIGN(const bool waits, "", waits_for_consumer(*claim, stop));
    if (waits) return true;
  }
  const std::string name = json::string_or(*claim, {"spec", "volumeName"}, "");
  if (phase != "Bound" || name.empty()) return false;
  if (wanted.reclaim_policy.empty()) return true;

  auto volume = kube::Resource(context_.client, {"", "v1", "persistentvolumes"}).get(name, stop);
  if (!volume && volume.error().code() == Code::kNotFound) return false;
  if (!volume) return fail("volume " + name, std::move(volume).error());
  if (!json::has(*volume, {"spec", "claimRef"}) || json::string_or(*volume, {"status", "phase"}, "") != "Bound") {
    return false;
  }
  const std::string holder = json::string_or(*volume, {"spec", "claimRef", "namespace"}, "") + "/" +
                             json::string_or(*volume, {"spec", "claimRef", "name"}, "");
  if (holder != wanted.name_space + "/" + wanted.claim) {
    return fail(Code::kInvalid, "volume " + name + " is bound to claim " + holder);
  }
  if (needs_patch(*volume, wanted)) TRY("volume " + name, patch(*volume, wanted, stop));
  return true;
}

Result<bool> RestoreVolumePatches::waits_for_consumer(const Json& claim, const std::stop_token& stop) const {
  // The scheduler has found a node for a pod that uses it: a volume is being made.
  if (k8s::ObjectView(claim).annotations().get("volume.kubernetes.io/selected-node")) return false;
  const std::string name = json::string_or(claim, {"spec", "storageClassName"}, "");
  if (name.empty()) return false;
  TRY_ASSIGN(const Json storage_class, "storage class " + name,
             kube::Resource(context_.client, {"storage.k8s.io", "v1", "storageclasses"}).get(name, stop));
  return json::string_or(storage_class, {"volumeBindingMode"}, "") == "WaitForFirstConsumer";
}

Status RestoreVolumePatches::patch(const Json& volume, const PatchedVolume& wanted, const std::stop_token& stop) const {
  Json after = volume;
  after["spec"]["persistentVolumeReclaimPolicy"] = wanted.reclaim_policy;
  if (wanted.labels.empty()) {
    json::erase_at(after, {"metadata", "labels"});
  } else {
    after["metadata"]["labels"] = wanted.labels;
  }
  return write_change(kube::Resource(context_.client, {"", "v1", "persistentvolumes"}), volume, after, stop,
                      IfChanged::kConflict);
}

}  // namespace landfall::control
