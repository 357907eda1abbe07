#include "volume_info/backup_csi_rows.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "api/labels.h"
#include "api/names.h"
#include "base/quantity.h"
#include "base/rfc3339.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "volume_info/backup_rows.h"
#include "volume_info/volume_info.h"

namespace landfall::volume_info {

using json::Json;
using k8s::NamespacedName;
using operation::ItemOperation;
using operation::OperationPhase;

namespace {

// Velero's word for what is not known of a snapshot whose data is moved.
constexpr const char* kUnknown = "unknown";
constexpr const char* kBuiltInMover = "velero";
constexpr const char* kUploader = "kopia";  // Velero says so of every mover

std::string text_at(const Json& from, const json::Path& path) { return json::string_or(from, path, ""); }

// Empty for what is no time: readers of the file would give up over it.
std::string time_at(const Json& from, const json::Path& path) {
  const auto time = parse_rfc3339(text_at(from, path));
  return time ? format_rfc3339(*time) : "";
}

std::int64_t amount_at(const Json& from, const json::Path& path) {
  const std::string* text = json::find_string(from, path);
  if (text == nullptr) return json::int_or(from, path, 0);
  const auto quantity = Quantity::parse(*text);
  return quantity ? quantity->value() : 0;
}

using ByName = std::map<NamespacedName, const Json*>;

ByName by_name(const std::vector<Json>& objects) {
  ByName found;
  for (const Json& one : objects) {
    const k8s::ObjectView view(one);
    if (!view.name().empty()) found.try_emplace(view.namespaced_name(), &one);
  }
  return found;
}

const Json* find(const ByName& objects, const NamespacedName& name) {
  const auto found = objects.find(name);
  return found == objects.end() ? nullptr : found->second;
}

bool is_of_snapshot(const ItemOperation& one) {
  return one.item.resource.group == kSnapshotGroup && one.item.resource.resource == kSnapshotResource;
}

NamespacedName item_of(const ItemOperation& one) { return {one.item.name_space, one.item.name}; }

// The DataUpload that moves the data of a claim.
std::optional<NamespacedName> data_upload_of(const ItemOperation& one) {
  if (one.item.resource != k8s::GroupResource{"", "persistentvolumeclaims"}) return {};
  const auto found = std::ranges::find_if(one.after_operation, [](const k8s::ObjectRef& ref) {
    return ref.resource.group == api::kGroup && ref.resource.resource == api::kDataUpload.plural;
  });
  if (found == one.after_operation.end()) return {};
  return NamespacedName{found->name_space, found->name};
}

BackedUpVolume row_of_snapshot(const Json& snapshot, const Json& content, const std::string& operation) {
  const k8s::ObjectView view(snapshot);
  CsiSnapshot csi{.handle = text_at(content, {"status", "snapshotHandle"}),
                  .size = amount_at(snapshot, {"status", "restoreSize"}),
                  .driver = text_at(content, {"spec", "driver"}),
                  .content = std::string(k8s::ObjectView(content).name()),
                  .operation = operation,
                  .is_ready = {},
                  .group_handle = {}};
  if (const auto ready = json::bool_at(snapshot, {"status", "readyToUse"})) csi.is_ready = *ready;
  if (const auto group = view.annotations().get(std::string(api::annotation::kGroupSnapshotHandle))) {
    csi.group_handle = *group;
  }
  BackedUpVolume row;
  row.claim = {std::string(view.name_space()), text_at(snapshot, {"spec", "source", "persistentVolumeClaimName"})};
  row.method = method::kCsiSnapshot;
  row.keeps_local_snapshot = true;
  row.started = time_at(snapshot, {"status", "creationTime"});
  row.csi = std::move(csi);
  return row;
}

// `upload` may be null.
BackedUpVolume row_of_upload(const ItemOperation& operation, const Json* upload) {
  BackedUpVolume row;
  row.claim = item_of(operation);
  row.method = method::kCsiSnapshot;
  row.is_data_moved = true;
  row.csi = {.handle = kUnknown,
             .size = 0,
             .driver = {},
             .content = kUnknown,
             .operation = kUnknown,
             .is_ready = {},
             .group_handle = {}};
  row.movement = {.data_mover = kUnknown,
                  .uploader = kUploader,
                  .retained_snapshot = {},
                  .handle = {},
                  .operation = operation.operation_id,
                  .size = 0,
                  .incremental_size = 0,
                  .phase = {}};
  if (upload == nullptr) return row;
  const std::string mover = text_at(*upload, {"spec", "datamover"});
  row.movement->data_mover = mover.empty() ? kBuiltInMover : mover;
  row.movement->phase = text_at(*upload, {"status", "phase"});
  row.csi->driver = text_at(*upload, {"spec", "csiSnapshot", "driver"});
  row.started = time_at(*upload, {"status", "startTimestamp"});
  return row;
}

void set_unless_empty(Json& to, const char* key, const std::string& text) {
  if (!text.empty()) to[key] = text;
}

void set_ended(Json& row, bool is_success, const std::string& completed) {
  row["result"] = std::string(is_success ? result::kSucceeded : result::kFailed);
  set_unless_empty(row, "completionTimestamp", completed);
}

void end_by_operation(Json& row, const ItemOperation& operation) {
  if (!is_final(operation.phase)) return;
  set_ended(row, operation.phase == OperationPhase::kCompleted && operation.error.empty(),
            operation.updated ? format_rfc3339(*operation.updated) : "");
}

void end_by_upload(Json& row, const Json& upload) {
  Json& movement = row["snapshotDataMovementInfo"];
  const std::string phase = text_at(upload, {"status", "phase"});
  movement["snapshotHandle"] = text_at(upload, {"status", "snapshotID"});
  movement["size"] = json::int_or(upload, {"status", "progress", "totalBytes"}, 0);
  movement["Phase"] = phase;
  set_unless_empty(movement, "retainedSnapshot", text_at(upload, {"spec", "csiSnapshot", "volumeSnapshot"}));
  const std::int64_t incremental = json::int_or(upload, {"status", "incrementalBytes"}, 0);
  if (incremental != 0) movement["incrementalSize"] = incremental;
  if (text_at(movement, {"dataMover"}) == kUnknown) {
    const std::string mover = text_at(upload, {"spec", "datamover"});
    movement["dataMover"] = mover.empty() ? kBuiltInMover : mover;
  }
  set_ended(row, phase == "Completed", time_at(upload, {"status", "completionTimestamp"}));
}

}  // namespace

std::size_t add_csi_snapshots(Json& rows, const std::vector<Json>& snapshots, const std::vector<Json>& contents,
                              const Operations& operations) {
  const ByName known = by_name(contents);
  std::map<NamespacedName, std::string> operation_ids;
  for (const ItemOperation& one : operations) {
    if (is_of_snapshot(one)) operation_ids[item_of(one)] = one.operation_id;
  }
  std::vector<BackedUpVolume> found;
  for (const Json& snapshot : snapshots) {
    const Json* content =
        find(known, {.name_space = {}, .name = text_at(snapshot, {"status", "boundVolumeSnapshotContentName"})});
    // One that was not made of a claim is not one of the backup's volumes.
    if (content == nullptr || !json::has(snapshot, {"spec", "source", "persistentVolumeClaimName"})) continue;
    const auto operation = operation_ids.find(k8s::ObjectView(snapshot).namespaced_name());
    found.push_back(row_of_snapshot(snapshot, *content, operation == operation_ids.end() ? "" : operation->second));
  }
  // Of a backup that was run again, a snapshot of the first try may be left: the row of the volume is the other's.
  std::ranges::stable_partition(found, [](const BackedUpVolume& one) { return !one.csi->operation.empty(); });
  BackupRows all(rows);
  return static_cast<std::size_t>(
      std::ranges::count_if(found, [&](const BackedUpVolume& one) { return !all.put(one); }));
}

bool has_snapshots(const Operations& operations) { return std::ranges::any_of(operations, is_of_snapshot); }

bool has_data_uploads(const Operations& operations) {
  return std::ranges::any_of(operations, [](const ItemOperation& one) { return data_upload_of(one).has_value(); });
}

std::size_t add_data_uploads(Json& rows, const std::vector<Json>& data_uploads, const Operations& operations) {
  const ByName known = by_name(data_uploads);
  BackupRows all(rows);
  std::size_t left_out = 0;
  for (const ItemOperation& one : operations) {
    const auto upload = data_upload_of(one);
    if (upload && !all.put(row_of_upload(one, find(known, *upload)))) ++left_out;
  }
  return left_out;
}

void end_csi_rows(Json& rows, const std::vector<Json>& data_uploads, const Operations& operations) {
  if (!rows.is_array()) return;
  const ByName known = by_name(data_uploads);
  std::map<std::string, const ItemOperation*> of_snapshots;
  std::map<std::pair<std::string, NamespacedName>, const ItemOperation*> of_claims;
  for (const ItemOperation& one : operations) {
    if (is_of_snapshot(one)) of_snapshots[one.operation_id] = &one;
    if (data_upload_of(one)) of_claims[{one.operation_id, item_of(one)}] = &one;
  }
  for (Json& row : rows) {
    const BackedUpVolume volume = read_backed_up(row);
    if (volume.method != method::kCsiSnapshot) continue;
    if (volume.movement) {
      const auto operation = of_claims.find({volume.movement->operation, volume.claim});
      if (operation == of_claims.end()) continue;
      const Json* upload = find(known, *data_upload_of(*operation->second));
      if (upload == nullptr) {
        end_by_operation(row, *operation->second);
      } else {
        end_by_upload(row, *upload);
      }
    } else if (volume.csi) {
      const auto operation = of_snapshots.find(volume.csi->operation);
      if (operation != of_snapshots.end()) end_by_operation(row, *operation->second);
    }
  }
}

}  // namespace landfall::volume_info
