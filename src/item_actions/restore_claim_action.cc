#include "item_actions/restore_claim_action.h"

#include <algorithm>
#include <array>
#include <string>

#include "api/labels.h"
#include "item_actions/restore_draft.h"
#include "item_actions/restore_function_action.h"
#include "json/access.h"
#include "json/json.h"

namespace landfall::item_actions {
namespace {

constexpr std::array<std::string_view, 7> kStale = {"pv.kubernetes.io/bind-completed",
                                                    "pv.kubernetes.io/bound-by-controller",
                                                    "volume.kubernetes.io/storage-provisioner",
                                                    "volume.beta.kubernetes.io/storage-provisioner",
                                                    "volume.kubernetes.io/selected-node",
                                                    api::annotation::kVolumeSnapshotName,
                                                    api::annotation::kDataUploadName};

extension::RestoreActionResult restore_claim(const extension::RestoreActionInput& input) {
  Draft claim(input.item);
  claim.erase_entries({"metadata", "annotations"},
                      [](std::string_view key) { return std::ranges::find(kStale, key) != kStale.end(); });
  extension::RestoreActionResult result;
  result.changed = claim.take();
  const std::string volume = json::string_or(input.from_backup, {"spec", "volumeName"}, "");
  if (!volume.empty() && json::string_or(input.from_backup, {"status", "phase"}, "") == "Bound") {
    result.additional.push_back({.resource = {"", "persistentvolumes"}, .name = volume});
  }
  return result;
}

}  // namespace

std::unique_ptr<extension::RestoreItemAction> make_restore_claim_action() {
  return make_function_action("velero.io/pvc", "persistentvolumeclaims", restore_claim);
}

}  // namespace landfall::item_actions
