#include "control/settled_volumes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "api/labels.h"
#include "base/rfc3339.h"
#include "control/plugin_transfer.h"
#include "control/restored_natives.h"
#include "json/access.h"
#include "k8s/object_view.h"
#include "volume_info/cluster_volumes.h"
#include "volume_info/restored_rows.h"

namespace landfall::control {

using json::Json;
using operation::ItemOperation;
using operation::OperationPhase;
using volume_info::RestoredNative;
using volume_info::RestoredVolume;
namespace method = volume_info::method;
namespace result = volume_info::result;

namespace {

bool is_open(const RestoredVolume& row) { return row.result == result::kInProgress; }
bool lacks_volume(const RestoredVolume& row) {
  return row.volume.empty() && !row.claim.name.empty() && row.result != result::kFailed;
}

class Settling {
 public:
  Settling(const Context& context, const Json& restore, const std::vector<ItemOperation>& operations, const Logger& log,
           const std::stop_token& stop)
      : context_(context), restore_(restore), log_(log), stop_(stop) {
    for (const ItemOperation& one : operations) {
      if (one.item.resource.resource == "persistentvolumeclaims") {
        by_claim_[{one.item.name_space, one.item.name}] = &one;
      }
      if (one.action != kVolumeAction) continue;
      if (const auto transfer = read_operation_id(one.operation_id)) by_snapshot_[transfer->snapshot] = &one;
    }
  }

  void read(const std::vector<RestoredVolume>& rows) {
    volume_info::VolumesWanted wanted{.name_space = context_.name_space,
                                      .restore = std::string(k8s::ObjectView(restore_).name()),
                                      .uid = std::string(k8s::ObjectView(restore_).uid()),
                                      .claims = {}};
    bool has_native = false;
    for (const RestoredVolume& row : rows) {
      if (!is_open(row) && !lacks_volume(row)) continue;
      if (!row.claim.name.empty()) wanted.claims.insert(row.claim);
      has_native = has_native || (is_open(row) && row.native);
    }
    cluster_ = volume_info::read_cluster_volumes(context_.client, wanted, log_, stop_);
    for (const Json& one : cluster_.data_downloads) {
      RestoredVolume row = volume_info::row_of_data_download(one);
      downloads_.insert_or_assign(row.claim, std::move(row));
    }
    if (has_native) read_plugin_restores();
  }

  void settle(RestoredVolume& row) const {
    if (is_open(row) && row.native) settle_native(row);
    if (is_open(row) && row.is_data_moved) {
      if (const auto found = downloads_.find(row.claim); found != downloads_.end()) {
        std::string volume = std::exchange(row.volume, {});
        row = found->second;
        if (row.volume.empty()) row.volume = std::move(volume);
      }
    }
    if (const auto operation = by_claim_.find(row.claim); row.method.empty() && operation != by_claim_.end()) {
      settle_by_operation(row, *operation->second);
    }
    const auto claim = cluster_.claims.find(row.claim);
    if (claim == cluster_.claims.end()) return;
    if (is_open(row) || lacks_volume(row)) {
      volume_info::add_claim(row, claim->second, format_rfc3339(context_.clock.wall_now()));
    }
  }

 private:
  void read_plugin_restores() {
    const std::string selector = fmt::format("{}={}", api::label::kRestoreUid, k8s::ObjectView(restore_).uid());
    const auto found = context_.objects(api::kVolumePluginRestore).list({.label_selector = selector}, stop_);
    if (!found) {
      log_.warning("Volume information lacks what could not be read",
                   {{"resource", "volumepluginrestores"}, LogField(found.error())});
      return;
    }
    for (const Json& one : found->items) {
      resources_.insert_or_assign(json::string_or(one, {"spec", "snapshotID"}, ""), one);
    }
  }

  // The resource tells most; without one the operation tells how it ended.
  void settle_native(RestoredVolume& row) const {
    RestoredNative native{.original = {},
                          .claim = row.claim,
                          .snapshot = *row.native,
                          .result = row.result,
                          .message = row.message,
                          .started = row.started,
                          .completed = row.completed};
    if (const auto found = resources_.find(row.native->handle); found != resources_.end()) {
      add_sight(native, std::string(k8s::ObjectView(found->second).name()), sight_of(found->second));
    }
    row = volume_info::row_of_native(native, row.volume);
    const auto operation = by_snapshot_.find(row.native->handle);
    if (operation != by_snapshot_.end()) settle_by_operation(row, *operation->second);
  }

  static void settle_by_operation(RestoredVolume& row, const ItemOperation& one) {
    if (!is_open(row) || !is_final(one.phase)) return;
    row.result = one.phase == OperationPhase::kCompleted ? result::kSucceeded : result::kFailed;
    row.message = one.error;
    if (one.updated) row.completed = format_rfc3339(*one.updated);
  }

  const Context& context_;
  const Json& restore_;
  const Logger& log_;
  const std::stop_token& stop_;
  std::map<std::string, const ItemOperation*> by_snapshot_;
  std::map<k8s::NamespacedName, const ItemOperation*> by_claim_;
  volume_info::ClusterVolumes cluster_;
  std::map<k8s::NamespacedName, RestoredVolume> downloads_;
  std::map<std::string, Json> resources_;  // VolumePluginRestores, by their snapshots
};

// Fields that we do not know stay.
Json merged(const Json& before, const RestoredVolume& row) {
  Json after = before;
  for (const char* key : {"message", "completionTimestamp"}) after.erase(key);
  after.update(to_json(row));
  return after;
}

}  // namespace

bool settle_volume_rows(const Context& context, const Json& restore, const std::vector<ItemOperation>& operations,
                        Json& rows, const Logger& log, const std::stop_token& stop) {
  if (!rows.is_array()) return false;
  std::vector<RestoredVolume> read;
  read.reserve(rows.size());
  for (const Json& row : rows) read.push_back(volume_info::read_restored(row));
  // So that a restore whose volumes are done costs nothing.
  if (std::ranges::none_of(read, [](const RestoredVolume& row) { return is_open(row) || lacks_volume(row); })) {
    return false;
  }
  Settling settling(context, restore, operations, log, stop);
  settling.read(read);
  bool has_changed = false;
  for (std::size_t i = 0; i < read.size(); ++i) {
    if (!rows[i].is_object()) continue;
    settling.settle(read[i]);
    Json after = merged(rows[i], read[i]);
    has_changed = has_changed || after != rows[i];
    rows[i] = std::move(after);
  }
  return has_changed;
}

void cancel_volume_rows(RestoreFiles& files, const Logger& log, const std::stop_token& stop) {
  auto rows = files.read(bucket::RestoreArtifact::kVolumeInfos, stop);
  if (!rows || !*rows || !(*rows)->is_array()) return;
  bool has_changed = false;
  for (Json& row : **rows) {
    if (json::string_or(row, {"result"}, "") != result::kInProgress) continue;
    row["result"] = std::string(result::kFailed);
    row["message"] = "the restore was canceled before all of its data came";
    has_changed = true;
  }
  if (!has_changed) return;
  const Status stored = files.write(bucket::RestoreArtifact::kVolumeInfos, **rows, stop);
  if (!stored) log.warning("The volume information of a restore is not stored", {LogField(stored.error())});
}

bool fail_unbound_rows(const std::set<k8s::NamespacedName>& unbound, Json& rows) {
  if (!rows.is_array()) return false;
  bool has_changed = false;
  for (Json& one : rows) {
    const RestoredVolume row = volume_info::read_restored(one);
    const bool is_open_snapshot = is_open(row) && row.method == method::kCsiSnapshot && !row.is_data_moved;
    if (!is_open_snapshot || !unbound.contains(row.claim)) continue;
    one["result"] = std::string(result::kFailed);
    one["message"] = "its claim was not bound in time, so that it has no data";
    has_changed = true;
  }
  return has_changed;
}

namespace {

std::vector<VolumeNote> notes_of(const Json& rows, std::string_view result, std::string_view words) {
  std::vector<VolumeNote> notes;
  if (!rows.is_array()) return notes;
  for (const Json& one : rows) {
    const RestoredVolume row = volume_info::read_restored(one);
    if (row.result != result) continue;
    const std::string name = row.claim.name.empty()
                                 ? "volume " + row.volume
                                 : fmt::format("persistentvolumeclaims {}/{}", row.claim.name_space, row.claim.name);
    notes.push_back({row.claim.name_space, fmt::format("{}: {}: {}", name, words, row.message)});
  }
  return notes;
}

}  // namespace

std::vector<VolumeNote> failed_volumes(const Json& rows) {
  return notes_of(rows, result::kFailed, "its data is not restored");
}

std::vector<VolumeNote> unfinished_volumes(const Json& rows) {
  return notes_of(rows, result::kInProgress, "its data is not there yet");
}

}  // namespace landfall::control
