#include "volume_info/restore_volume_info_tracker.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/labels.h"
#include "base/rfc3339.h"
#include "json/access.h"
#include "k8s/names.h"
#include "k8s/object_view.h"

namespace landfall::volume_info {

using json::Json;
using End = HandledObject::End;

RestoreVolumeInfoTracker::RestoreVolumeInfoTracker(kube::Client& client, const Clock& clock, Request request,
                                                   Logger log)
    : client_(client), clock_(clock), request_(std::move(request)), log_(std::move(log)) {}

void RestoreVolumeInfoTracker::handled(std::vector<HandledObject> claims, const std::vector<HandledObject>& volumes) {
  claims_ = std::move(claims);
  for (const HandledObject& volume : volumes) volumes_.insert_or_assign(volume.original.name, volume);
}

void RestoreVolumeInfoTracker::restored_from_snapshot(RestoredNative native) { natives_.push_back(std::move(native)); }

void RestoreVolumeInfoTracker::pod_volume_restore(const Json& pod_volume_restore) {
  RestoredVolume row = row_of_pod_volume_restore(pod_volume_restore);
  const auto uid = k8s::ObjectView(pod_volume_restore).labels().get(std::string(api::label::kPvcUid));
  if (!row.claim.name.empty()) {
    add_filled(std::move(row));
  } else if (uid) {
    by_claim_uid_.emplace_back(*uid, std::move(row));
  } else {
    rest_.push_back(std::move(row));
  }
}

// Two pods with the same claim: one that went well tells of both.
void RestoreVolumeInfoTracker::add_filled(RestoredVolume row) {
  RestoredVolume& known = rows_[row.claim];
  if (known.result != result::kSucceeded) known = std::move(row);
}

// Of restores that another version has begun.
void RestoreVolumeInfoTracker::add_unnamed(const ClusterVolumes& cluster) {
  std::map<std::string_view, k8s::NamespacedName> names;
  for (const auto& [name, claim] : cluster.claims) names.emplace(k8s::ObjectView(claim).uid(), name);
  for (auto& [uid, row] : by_claim_uid_) {
    const auto found = names.find(uid);
    if (found == names.end()) {
      rest_.push_back(std::move(row));
    } else {
      row.claim = found->second;
      add_filled(std::move(row));
    }
  }
  by_claim_uid_.clear();
}

std::set<k8s::NamespacedName> RestoreVolumeInfoTracker::wanted_claims() const {
  std::set<k8s::NamespacedName> wanted;
  for (const HandledObject& claim : claims_) {
    if (claim.end != End::kFailed) wanted.insert(claim.now);
  }
  for (const auto& [claim, row] : rows_) wanted.insert(claim);
  for (const RestoredNative& native : natives_) {
    if (!native.claim.name.empty()) wanted.insert(native.claim);
  }
  return wanted;
}

// Who is tied to a volume that was made of a snapshot is told by the claim that is bound to it, by the volume, or by
// the backup.
void RestoreVolumeInfoTracker::add_natives(const ClusterVolumes& cluster, const BackedUpClaims& backup) {
  std::map<std::string, k8s::NamespacedName> holders;
  std::map<std::string, k8s::NamespacedName> in_backup;
  for (const auto& [name, claim] : cluster.claims) {
    if (std::string volume = json::string_or(claim, {"spec", "volumeName"}, ""); !volume.empty()) {
      holders.emplace(std::move(volume), name);
    }
  }
  for (const HandledObject& claim : claims_) {
    if (const BackedUpVolume* of = backup.of(claim.original)) in_backup.emplace(of->volume, claim.now);
  }
  for (const RestoredNative& native : natives_) {
    const auto known = volumes_.find(native.original);
    const std::string volume = known == volumes_.end() ? native.original : known->second.now.name;
    RestoredVolume row = row_of_native(native, volume);
    if (const auto holder = holders.find(volume); holder != holders.end()) {
      row.claim = holder->second;
    } else if (const auto former = in_backup.find(native.original); former != in_backup.end()) {
      row.claim = former->second;
    }
    // The object that was to name the new volume could not be made: that is in the results.
    if (known != volumes_.end() && known->second.end == End::kFailed && row.result != result::kFailed) {
      row.result = result::kFailed;
      row.message = "its PersistentVolume could not be restored: see the results";
    }
    if (row.claim.name.empty()) {
      rest_.push_back(std::move(row));
    } else {
      rows_.insert_or_assign(row.claim, std::move(row));
    }
  }
}

void RestoreVolumeInfoTracker::say(const HandledObject& claim, bool is_error, const std::string& message,
                                   Account& account) {
  account.missing.push_back(
      {.is_error = is_error,
       .name_space = claim.now.name_space,
       .text = fmt::format("persistentvolumeclaims {}/{}: {}", claim.now.name_space, claim.now.name, message)});
}

void RestoreVolumeInfoTracker::add_claim_row(const HandledObject& claim, const BackedUpVolume* backup,
                                             const ClusterVolumes& cluster, Account& account) {
  const auto live = cluster.claims.find(claim.now);
  if (claim.end != End::kCreated || live == cluster.claims.end() || rows_.contains(claim.now)) return;
  const std::string name = snapshot_of_claim(live->second);
  if (name.empty()) return;
  const bool is_in_backup = backup != nullptr && has_data(*backup);
  const auto found = cluster.snapshots.find({claim.now.name_space, name});
  RestoredVolume row = row_of_csi_snapshot(found == cluster.snapshots.end() ? nullptr : &found->second);
  row.claim = claim.now;
  if (found != cluster.snapshots.end()) {
    // One that the claim was made of long before it was backed up brings what it was then.
    const auto label = k8s::ObjectView(found->second).labels().get(std::string(api::label::kRestoreName));
    if (is_in_backup && label != k8s::label_safe(request_.restore)) return;
  } else if (!cluster.has_snapshots) {
    row.result.clear();
    row.message = "its VolumeSnapshot could not be read, so that nobody knows whether it has its data";
  } else if (json::string_or(live->second, {"status", "phase"}, "") != "Bound") {
    row.result = result::kFailed;
    row.message = fmt::format("it is to be made of VolumeSnapshot {}, which is not there", name);
    if (is_in_backup) say(claim, true, row.message, account);
  }
  rows_.emplace(claim.now, std::move(row));
}

std::optional<HandledObject> RestoreVolumeInfoTracker::volume_of(const HandledObject& claim,
                                                                 const BackedUpVolume* backup,
                                                                 const ClusterVolumes& cluster) const {
  if (backup == nullptr) return {};
  if (const auto found = volumes_.find(backup->volume); found != volumes_.end()) return found->second;
  // One that the restore leaves out may have stayed in the cluster, and the claim has found it again.
  const auto live = cluster.claims.find(claim.now);
  if (backup->volume.empty() || live == cluster.claims.end()) return {};
  const bool is_bound_to_it = json::string_or(live->second, {"status", "phase"}, "") == "Bound" &&
                              json::string_or(live->second, {"spec", "volumeName"}, "") == backup->volume;
  if (!is_bound_to_it) return {};
  return HandledObject{.original = {"", backup->volume}, .now = {"", backup->volume}, .end = End::kFound};
}

std::string RestoreVolumeInfoTracker::unknown(const HandledObject& claim, const BackedUpVolume* backup,
                                              const ClusterVolumes& cluster) {
  if (claim.end != End::kCreated || backup == nullptr || !has_data(*backup)) return "";
  if (backup->method != method::kCsiSnapshot) return "";
  const bool is_read = backup->is_data_moved ? cluster.has_downloads : cluster.claims.contains(claim.now);
  return is_read ? "" : "the cluster could not be read, so that nobody knows whether it has its data";
}

void RestoreVolumeInfoTracker::explain(const HandledObject& claim, const BackedUpVolume* backup,
                                       const ClusterVolumes& cluster, Account& account) {
  RestoredVolume row;
  row.claim = claim.now;
  const auto operation = operations_.find(claim.now);
  const bool is_expected = claim.end == End::kCreated && backup != nullptr && has_data(*backup);
  if (is_expected && operation != operations_.end()) {
    row.result = result::kInProgress;
    row.message = "an operation of " + operation->second + " is about it";
  } else {
    row.message = unknown(claim, backup, cluster);
  }
  if (row.message.empty()) {
    const std::optional<HandledObject> volume = volume_of(claim, backup, cluster);
    WithoutData why = why_without_data(claim, backup, volume ? &*volume : nullptr, request_.wish);
    if (why.say != WithoutData::Say::kNothing) {
      say(claim, why.say == WithoutData::Say::kError, why.message, account);
    }
    row.result = std::move(why.result);
    row.message = std::move(why.message);
  }
  rows_.emplace(claim.now, std::move(row));
}

void RestoreVolumeInfoTracker::close(RestoredVolume& row) const {
  if (row.result != result::kInProgress) return;
  const bool was_waited_for = row.method == method::kPodVolumeRestore;
  if (!request_.wish.is_cut_off && !was_waited_for) return;
  row.result = result::kFailed;
  if (request_.wish.is_cut_off) row.message = "the restore was canceled before all of its data came";
  if (row.message.empty()) row.message = "it did not end in time";
}

RestoreVolumeInfoTracker::Account RestoreVolumeInfoTracker::generate(const BackedUpClaims& backup,
                                                                     const std::stop_token& stop) {
  const ClusterVolumes cluster = read_cluster_volumes(
      client_,
      {.name_space = request_.name_space, .restore = request_.restore, .uid = request_.uid, .claims = wanted_claims()},
      log_, stop);
  add_unnamed(cluster);
  add_natives(cluster, backup);
  for (const Json& one : cluster.data_downloads) {
    RestoredVolume row = row_of_data_download(one);
    if (!row.claim.name.empty()) rows_.insert_or_assign(row.claim, std::move(row));
  }
  Account account;
  for (const HandledObject& claim : claims_) {
    const BackedUpVolume* of_backup = backup.of(claim.original);
    add_claim_row(claim, of_backup, cluster, account);
    if (!rows_.contains(claim.now)) explain(claim, of_backup, cluster, account);
    // It came, as far as it is there; that is a warning of the restore.
    RestoredVolume& row = rows_[claim.now];
    const bool is_damaged = of_backup != nullptr && of_backup->result == result::kFailed;
    if (is_damaged && row.result == result::kSucceeded) row.message = "the backup does not have all of its data";
  }
  const std::string now = format_rfc3339(clock_.wall_now());
  for (auto& [name, row] : rows_) {
    if (const auto live = cluster.claims.find(name); live != cluster.claims.end()) add_claim(row, live->second, now);
    account.rows.push_back(std::move(row));
  }
  std::ranges::move(rest_, std::back_inserter(account.rows));
  for (RestoredVolume& row : account.rows) close(row);
  rows_.clear();
  rest_.clear();
  return account;
}

}  // namespace landfall::volume_info
