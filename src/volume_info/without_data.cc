#include "volume_info/without_data.h"

#include <optional>
#include <utility>

#include "api/labels.h"
#include "json/access.h"
#include "k8s/object_view.h"

namespace landfall::volume_info {

using json::Json;
using Say = WithoutData::Say;
using End = HandledObject::End;

namespace {

WithoutData skipped(std::string message, Say say = Say::kNothing) {
  return {std::string(result::kSkipped), std::move(message), say};
}
WithoutData failed(std::string message, Say say = Say::kError) {
  return {std::string(result::kFailed), std::move(message), say};
}

std::string in_words(std::string_view method) {
  if (method == method::kNativeSnapshot) return "a snapshot";
  if (method == method::kCsiSnapshot) return "a CSI snapshot";
  return "files";
}

WithoutData without_native(const HandledObject* volume) {
  if (volume != nullptr && volume->end == End::kFound) {
    return skipped("its PersistentVolume was there before: it keeps what it holds, and the snapshot is not restored",
                   Say::kWarning);
  }
  // That is in the results already.
  if (volume != nullptr && volume->end == End::kFailed) {
    return failed("no volume could be made of its snapshot", Say::kNothing);
  }
  return failed("the backup has a snapshot of it, and its PersistentVolume was not restored, so that it is empty");
}

WithoutData without_csi(const BackedUpVolume& backup, const RestoreWish& wish) {
  if (backup.is_data_moved) {
    return failed(
        "the backup has a CSI snapshot of it that was moved to the backup storage, and nothing has brought it "
        "back, so that it is empty");
  }
  return failed(std::string("the backup has a CSI snapshot of it, and it was not used, so that it is empty") +
                (wish.has_csi ? "" : "; the server needs --features=EnableCSI for it"));
}

WithoutData without_expected(const BackedUpVolume& backup, const HandledObject* volume, const RestoreWish& wish) {
  if (backup.method == method::kPodVolumeBackup) {
    return failed(
        "the backup has its files, and nothing has brought them, so that it is empty: they come with the pod "
        "that they were taken from");
  }
  return backup.method == method::kNativeSnapshot ? without_native(volume) : without_csi(backup, wish);
}

// Null: its data was wanted.
std::optional<WithoutData> not_wanted(const BackedUpVolume& backup, const RestoreWish& wish) {
  if (backup.is_skipped || backup.method.empty()) return {};
  if (backup.method != method::kPodVolumeBackup) {
    if (wish.restores_volumes) return {};
    return skipped("the restore is without the data of snapshots (restorePVs: false)");
  }
  if (wish.fills_pod_volumes) return {};
  // Nobody has said that in so many words, and the claim is there.
  return skipped("the restore leaves out claims or volumes, and so their files",
                 has_data(backup) ? Say::kWarning : Say::kNothing);
}

BackedUpVolume row_of_copy(const Json& pod_volume_backup) {
  BackedUpVolume row;
  const auto claim = k8s::ObjectView(pod_volume_backup).annotations().get(std::string(api::annotation::kPvcName));
  row.claim = {json::string_or(pod_volume_backup, {"spec", "pod", "namespace"}, ""), std::string(claim.value_or(""))};
  row.method = method::kPodVolumeBackup;
  const bool is_whole = json::string_or(pod_volume_backup, {"status", "phase"}, "") == "Completed";
  row.result = is_whole ? result::kSucceeded : result::kFailed;
  row.pod_volume.emplace();
  row.pod_volume->handle = json::string_or(pod_volume_backup, {"status", "snapshotID"}, "");
  return row;
}

BackedUpVolume row_of_snapshot(const Json& volume_snapshot) {
  BackedUpVolume row;
  row.claim = {std::string(k8s::ObjectView(volume_snapshot).name_space()),
               json::string_or(volume_snapshot, {"spec", "source", "persistentVolumeClaimName"}, "")};
  row.method = method::kCsiSnapshot;
  return row;
}

// Older releases write no result.
bool has_failed(const BackedUpVolume& volume) {
  if (!volume.result.empty()) return volume.result == result::kFailed;
  return (volume.native && volume.native->phase == "Failed") ||
         (volume.pod_volume && volume.pod_volume->phase == "Failed");
}

}  // namespace

bool has_data(const BackedUpVolume& volume) {
  if (volume.is_skipped || volume.method.empty()) return false;
  if (volume.method == method::kPodVolumeBackup) return volume.pod_volume && !volume.pod_volume->handle.empty();
  return !has_failed(volume);
}

BackedUpClaims::BackedUpClaims(const Json* volume_infos, const std::vector<Json>* pod_volume_backups,
                               const Json* csi_volume_snapshots) {
  if (pod_volume_backups != nullptr) {
    for (const Json& one : *pod_volume_backups) add(row_of_copy(one));
  }
  if (csi_volume_snapshots != nullptr && csi_volume_snapshots->is_array()) {
    for (const Json& one : *csi_volume_snapshots) add(row_of_snapshot(one));
  }
  if (volume_infos == nullptr || !volume_infos->is_array()) return;
  for (const Json& info : *volume_infos) add(read_backed_up(info));
}

// What has data counts, and what says more: a volume that was backed up twice, by a backup that was interrupted, has
// its data when one of them has.
void BackedUpClaims::add(BackedUpVolume row) {
  if (row.claim.name.empty()) return;
  const auto [known, is_new] = rows_.try_emplace(row.claim, row);
  if (is_new || has_data(known->second)) return;
  const bool says_nothing = !has_data(row) && !has_failed(row) && !row.is_skipped;
  if (!says_nothing) known->second = std::move(row);
}

const BackedUpVolume* BackedUpClaims::of(const k8s::NamespacedName& claim) const {
  const auto found = rows_.find(claim);
  return found == rows_.end() ? nullptr : &found->second;
}

WithoutData why_without_data(const HandledObject& claim, const BackedUpVolume* backup, const HandledObject* volume,
                             const RestoreWish& wish) {
  const bool is_in_backup = backup != nullptr && has_data(*backup);
  if (claim.end == End::kFailed) {
    const std::string message = "the claim could not be restored: see the results";
    return is_in_backup ? failed(message, Say::kNothing) : skipped(message);
  }
  if (claim.end == End::kLeftOut) return skipped("an item action has left the claim out");
  if (claim.end == End::kFound) {
    if (!is_in_backup) return skipped("the claim was there before");
    return skipped("the claim was there before: it keeps what it holds, and what the backup has (" +
                       in_words(backup->method) + ") is not restored",
                   Say::kWarning);
  }
  if (backup == nullptr) return skipped("the backup knows of no data of it");
  if (auto unwanted = not_wanted(*backup, wish)) return *std::move(unwanted);
  if (wish.is_cut_off && is_in_backup) return failed("the restore was canceled before its data came", Say::kNothing);
  if (is_in_backup) return without_expected(*backup, volume, wish);
  if (!backup->is_skipped && has_failed(*backup)) {
    const bool is_told = volume != nullptr && volume->end == End::kFailed;
    return failed("the backup has no data of it: that failed when it was backed up",
                  is_told ? Say::kNothing : Say::kError);
  }
  std::string message = "the backup has no data of it";
  if (!backup->skipped_reason.empty()) message += ": " + backup->skipped_reason;
  if (volume != nullptr && volume->end == End::kCreated) message += " Its PersistentVolume names the storage it had.";
  return skipped(std::move(message));
}

}  // namespace landfall::volume_info
