#include "item_actions/restore_csi_claim_action.h"

#include <optional>
#include <string>
#include <utility>

#include "api/labels.h"
#include "item_actions/restore_csi_names.h"
#include "item_actions/restore_draft.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "kube/resource.h"

namespace landfall::item_actions {
namespace {

using extension::RestoreActionInput;
using extension::RestoreActionResult;
using json::Json;

std::optional<std::string> note_of(const Json& claim, std::string_view annotation) {
  const auto value = k8s::ObjectView(claim).annotations().get(std::string(annotation));
  return value ? std::optional<std::string>(*value) : std::nullopt;
}

// With an empty volume in place of what it had.
RestoreActionResult emptied(const RestoreActionInput& input) {
  Draft claim(input.item);
  claim.erase({"spec", "volumeName"});
  claim.erase({"spec", "dataSource"});
  claim.erase({"spec", "dataSourceRef"});
  RestoreActionResult result;
  result.changed = claim.take();
  return result;
}

Result<RestoreActionResult> filled_from(const RestoreActionInput& input, const std::string& snapshot) {
  Draft claim(input.item);
  claim.erase({"spec", "volumeName"});
  claim.erase({"spec", "dataSourceRef"});
  TRY("", claim.set({"spec", "dataSource"}, {{"apiGroup", kSnapshotGroup},
                                             {"kind", "VolumeSnapshot"},
                                             {"name", restored_snapshot_name(input.restore, snapshot)}}));
  // The engine takes the note off again: the snapshot is restored whatever the restore's filters say.
  TRY("", claim.set({"metadata", "annotations", api::annotation::kMustRestoreAdditionalItems}, "true"));
  RestoreActionResult result;
  result.changed = claim.take();
  result.additional.push_back({.resource = {kSnapshotGroup, "volumesnapshots"},
                               .name_space = std::string(k8s::ObjectView(input.item).name_space()),
                               .name = snapshot});
  return result;
}

class CsiClaimRestoreAction final : public extension::RestoreItemAction {
 public:
  CsiClaimRestoreAction(kube::Client& client, const api::RestoreSpec& spec, std::shared_ptr<BackupLookup> backup)
      : client_(client), spec_(spec), backup_(std::move(backup)) {}

  std::string name() const override { return "velero.io/csi-pvc-restorer"; }
  extension::ActionScope scope() const override { return {.included_resources = {"persistentvolumeclaims"}}; }

  Result<RestoreActionResult> execute(const RestoreActionInput& input, const std::stop_token& stop) override {
    if (!spec_.restore_volumes.value_or(true)) {
      RestoreActionResult result = emptied(input);
      if (!result.changed) return result;
      TRY_ASSIGN(const bool is_there, "", exists(input.item, stop));
      return is_there ? RestoreActionResult() : std::move(result);
    }
    // One of the two notes says that the backup has a snapshot; which of them counts, only the Backup says.
    const auto snapshot = note_of(input.from_backup, api::annotation::kVolumeSnapshotName);
    const auto upload = note_of(input.from_backup, api::annotation::kDataUploadName);
    if (!snapshot && !upload) return RestoreActionResult();
    TRY_ASSIGN(const std::shared_ptr<const Json> backup, "", backup_->get(stop));
    const bool is_moved = json::bool_or(*backup, {"spec", "snapshotMoveData"}, false);
    if (is_moved ? !upload : !snapshot) return RestoreActionResult();
    TRY_ASSIGN(const bool is_there, "", exists(input.item, stop));
    if (is_there) return RestoreActionResult();
    if (!is_moved) return filled_from(input, *snapshot);
    return fail(Code::kUnsupported,
                "the backup has moved this claim's snapshot data to the backup storage, and this build cannot restore "
                "moved snapshot data yet; leave the claim out, or restore it without volumes (restorePVs: false)");
  }

 private:
  // In the namespace that the claim is restored into.
  Result<bool> exists(const Json& claim, const std::stop_token& stop) const {
    const k8s::ObjectView view(claim);
    std::string name_space(view.name_space());
    if (const auto mapped = spec_.namespace_mapping.find(name_space); mapped != spec_.namespace_mapping.end()) {
      name_space = mapped->second;
    }
    const kube::Resource claims(client_, {"", "v1", "persistentvolumeclaims"}, std::move(name_space));
    auto found = claims.get(std::string(view.name()), stop);
    if (found) return true;
    if (found.error().code() == Code::kNotFound) return false;
    return fail("look whether the claim is in the cluster", std::move(found).error());
  }

  kube::Client& client_;
  const api::RestoreSpec& spec_;
  const std::shared_ptr<BackupLookup> backup_;
};

}  // namespace

std::unique_ptr<extension::RestoreItemAction> make_restore_csi_claim_action(kube::Client& client,
                                                                            const api::RestoreSpec& spec,
                                                                            std::shared_ptr<BackupLookup> backup) {
  return std::make_unique<CsiClaimRestoreAction>(client, spec, std::move(backup));
}

}  // namespace landfall::item_actions
