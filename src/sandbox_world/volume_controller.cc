#include "sandbox_world/volume_controller.h"

#include <utility>

#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "sandbox_world/node_controller.h"

namespace landfall::sandbox {
namespace {

using json::Json;

constexpr std::string_view kProtection = "kubernetes.io/pv-protection";

// Its directory is ours to remove.
bool is_disposable(const Json& volume) {
  return json::string_or(volume, {"spec", "persistentVolumeReclaimPolicy"}, "") == "Delete" &&
         k8s::ObjectView(volume).annotations().get("pv.kubernetes.io/provisioned-by") == kProvisioner;
}

}  // namespace

bool VolumeController::follows(const k8s::GroupResource& resource) const {
  return resource == kinds().volumes.storage || resource == kinds().claims.storage;
}

void VolumeController::observe(const k8s::GroupResource& resource, const Change& change, WorkQueue& queue) {
  if (resource == kinds().claims.storage) {
    const Json claim = decode(kinds().claims, *change.object);
    const std::string volume = json::string_or(claim, {"spec", "volumeName"}, "");
    if (!volume.empty()) queue.add(volume);
    return;
  }
  const std::string name(change.object->name());
  if (change.type == ChangeType::kDeleted) {
    const Json volume = decode(kinds().volumes, *change.object);
    if (!is_disposable(volume)) return;
    gone_.insert_or_assign(name, directories_.backing(volume));
  }
  queue.add(name);
}

VolumeController::ClaimState VolumeController::claim_of(const Json& volume) const {
  const std::string name = json::string_or(volume, {"spec", "claimRef", "name"}, "");
  if (name.empty()) return ClaimState::kNone;
  const std::string uid = json::string_or(volume, {"spec", "claimRef", "uid"}, "");
  if (uid.empty()) return ClaimState::kExpected;
  const std::optional<Json> claim =
      cluster_.get(kinds().claims, json::string_or(volume, {"spec", "claimRef", "namespace"}, ""), name);
  if (!claim || k8s::ObjectView(*claim).uid() != uid) return ClaimState::kGone;
  const std::string bound_to = json::string_or(*claim, {"spec", "volumeName"}, "");
  return bound_to == k8s::ObjectView(volume).name() ? ClaimState::kBound : ClaimState::kExpected;
}

Status VolumeController::sweep(const std::string& name) {
  const auto at = gone_.find(name);
  if (at == gone_.end()) return {};
  TRY("", directories_.remove_volume(at->second));
  gone_.erase(at);
  return {};
}

Status VolumeController::set_phase(const Json& volume, std::string_view phase) const {
  return cluster_.rewrite(kinds().volumes, volume, [&](Json& live) -> Status {
    if (json::string_or(live, {"status", "phase"}, "") == phase) return {};
    live["status"]["phase"] = phase;
    live["status"]["lastPhaseTransitionTime"] = cluster_.now_text();
    return {};
  });
}

Status VolumeController::reconcile(const std::string& key, WorkQueue&) {
  const std::optional<Json> volume = cluster_.get(kinds().volumes, "", key);
  if (!volume) return sweep(key);
  gone_.erase(key);  // one of that name is there again: its directory stays
  const ClaimState claim = claim_of(*volume);
  if (k8s::ObjectView(*volume).is_being_deleted() && claim != ClaimState::kBound) {
    return cluster_.rewrite(kinds().volumes, *volume, [](Json& live) -> Status {
      k8s::remove_finalizer(live, kProtection);
      return {};
    });
  }
  if (claim == ClaimState::kNone) return set_phase(*volume, "Available");
  if (claim == ClaimState::kBound) return set_phase(*volume, "Bound");
  if (claim == ClaimState::kExpected) {
    // Meant for a claim that is not there yet, or is about to be bound.
    const bool is_free = json::string_or(*volume, {"spec", "claimRef", "uid"}, "").empty();
    return is_free ? set_phase(*volume, "Available") : Status();
  }
  TRY("", set_phase(*volume, "Released"));
  return is_disposable(*volume) ? cluster_.remove(kinds().volumes, *volume) : Status();
}

}  // namespace landfall::sandbox
