#include "restore/volume_decision.h"

#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::restore {
namespace {

// By what the object itself says, where there is no data of it.
VolumeDecision by_reclaim_policy(const json::Json& volume) {
  if (json::string_or(volume, {"spec", "persistentVolumeReclaimPolicy"}, "") == "Delete") {
    return {VolumeFate::kProvisioned, "it has no snapshot, and its reclaim policy is Delete"};
  }
  return {VolumeFate::kAsItIs, "it has no snapshot, and its reclaim policy is not Delete"};
}

template <class F>
void for_each_in(const json::Json* list, const F& use) {
  if (list == nullptr || !list->is_array()) return;
  for (const json::Json& one : *list) use(one);
}

}  // namespace

VolumeDecisions::VolumeDecisions(const json::Json* volume_infos, const json::Json* volume_snapshots,
                                 const json::Json* csi_volume_snapshots,
                                 const std::vector<json::Json>* pod_volume_backups) {
  for_each_in(volume_infos, [&](const json::Json& info) {
    const std::string name = json::string_or(info, {"pvName"}, "");
    const std::string method = json::string_or(info, {"backupMethod"}, "");
    if (!name.empty()) methods_[name] = method;
    const std::string pod = json::string_or(info, {"pvbInfo", "podName"}, "");
    const bool has_data = !json::string_or(info, {"pvbInfo", "snapshotHandle"}, "").empty();
    if (method == "PodVolumeBackup" && has_data && !pod.empty()) {
      pod_volumes_[json::string_or(info, {"pvbInfo", "podNamespace"}, "") + "/" + pod].insert(
          json::string_or(info, {"pvbInfo", "volumeName"}, ""));
    }
  });
  for_each_in(volume_snapshots, [&](const json::Json& snapshot) {
    with_snapshot_.insert(json::string_or(snapshot, {"spec", "persistentVolumeName"}, ""));
  });
  for_each_in(csi_volume_snapshots, [&](const json::Json& snapshot) {
    const std::string claim = json::string_or(snapshot, {"spec", "source", "persistentVolumeClaimName"}, "");
    if (!claim.empty()) with_csi_snapshot_.insert(std::string(k8s::ObjectView(snapshot).name_space()) + "/" + claim);
  });
  if (pod_volume_backups == nullptr) return;
  note_damaged(*pod_volume_backups);
  for (const json::Json& one : *pod_volume_backups) {
    // One that failed over some of the files has the others.
    if (json::string_or(one, {"status", "snapshotID"}, "").empty()) continue;
    pod_volumes_[json::string_or(one, {"spec", "pod", "namespace"}, "") + "/" +
                 json::string_or(one, {"spec", "pod", "name"}, "")]
        .insert(json::string_or(one, {"spec", "volume"}, ""));
    const auto claim = k8s::ObjectView(one).annotations().get("velero.io/pvc-name");
    if (claim && json::string_or(one, {"status", "phase"}, "") == "Completed") {
      with_pod_volume_.insert(json::string_or(one, {"spec", "pod", "namespace"}, "") + "/" + std::string(*claim));
    }
  }
}

// A backup that was interrupted has some volumes twice: one that went well is enough.
void VolumeDecisions::note_damaged(const std::vector<json::Json>& pod_volume_backups) {
  std::set<std::pair<std::string, std::string>> whole;
  for (const json::Json& one : pod_volume_backups) {
    const std::string pod = json::string_or(one, {"spec", "pod", "namespace"}, "") + "/" +
                            json::string_or(one, {"spec", "pod", "name"}, "");
    const std::string volume = json::string_or(one, {"spec", "volume"}, "");
    if (json::string_or(one, {"status", "phase"}, "") == "Completed") {
      whole.emplace(pod, volume);
      continue;
    }
    Damaged& damaged = damaged_[pod][volume];
    damaged.has_data = damaged.has_data || !json::string_or(one, {"status", "snapshotID"}, "").empty();
    damaged.why = json::string_or(one, {"status", "message"}, "");
  }
  for (const auto& [pod, volume] : whole) {
    if (const auto found = damaged_.find(pod); found != damaged_.end()) found->second.erase(volume);
  }
}

std::map<std::string, VolumeDecisions::Damaged> VolumeDecisions::damaged_pod_volumes(const std::string& name_space,
                                                                                     const std::string& pod) const {
  const auto found = damaged_.find(name_space + "/" + pod);
  return found == damaged_.end() ? std::map<std::string, Damaged>() : found->second;
}

VolumeDecision VolumeDecisions::of(const json::Json& volume) const {
  const auto method = methods_.find(std::string(k8s::ObjectView(volume).name()));
  if (method == methods_.end()) return without_info(volume);
  if (method->second == "NativeSnapshot") return {VolumeFate::kFromSnapshot, "it has a snapshot"};
  if (method->second == "PodVolumeBackup") return {VolumeFate::kProvisioned, "it has a pod volume backup"};
  if (method->second == "CSISnapshot") return {VolumeFate::kProvisioned, "it has a CSI snapshot"};
  return by_reclaim_policy(volume);
}

std::vector<std::string> VolumeDecisions::pod_volumes(const std::string& name_space, const std::string& pod) const {
  const auto found = pod_volumes_.find(name_space + "/" + pod);
  if (found == pod_volumes_.end()) return {};
  return {found->second.begin(), found->second.end()};
}

VolumeDecision VolumeDecisions::without_info(const json::Json& volume) const {
  if (with_snapshot_.contains(std::string(k8s::ObjectView(volume).name()))) {
    return {VolumeFate::kFromSnapshot, "it has a snapshot"};
  }
  const std::string claim = json::string_or(volume, {"spec", "claimRef", "namespace"}, "") + "/" +
                            json::string_or(volume, {"spec", "claimRef", "name"}, "");
  if (with_pod_volume_.contains(claim)) return {VolumeFate::kProvisioned, "it has a pod volume backup"};
  if (with_csi_snapshot_.contains(claim)) return {VolumeFate::kProvisioned, "it has a CSI snapshot"};
  return by_reclaim_policy(volume);
}

}  // namespace landfall::restore
