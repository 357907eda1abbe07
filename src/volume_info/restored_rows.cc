#include "volume_info/restored_rows.h"

#include <algorithm>
#include <utility>

#include "api/labels.h"
#include "base/quantity.h"
#include "json/access.h"
#include "k8s/object_view.h"

namespace landfall::volume_info {

using json::Json;

namespace {

constexpr std::string_view kSnapshotGroup = "snapshot.storage.k8s.io";

std::string text_at(const Json& object, const json::Path& path) { return json::string_or(object, path, ""); }

std::string annotation(const Json& object, std::string_view key) {
  return std::string(k8s::ObjectView(object).annotations().get(std::string(key)).value_or(""));
}

// Of a PodVolumeRestore or a DataDownload; they have the same phases and fields.
void add_transfer(RestoredVolume& row, const Json& transfer) {
  const std::string phase = text_at(transfer, {"status", "phase"});
  row.started = text_at(transfer, {"status", "startTimestamp"});
  row.completed = text_at(transfer, {"status", "completionTimestamp"});
  if (json::has(transfer, {"status", "progress"})) {
    row.bytes_restored = std::max<std::int64_t>(json::int_or(transfer, {"status", "progress", "bytesDone"}, 0), 0);
  }
  if (phase == "Completed") {
    row.result = result::kSucceeded;
    return;
  }
  row.message = text_at(transfer, {"status", "message"});
  if (phase != "Failed" && phase != "Canceled") {
    row.result = result::kInProgress;
    return;
  }
  row.result = result::kFailed;
  if (row.message.empty()) row.message = phase == "Canceled" ? "canceled" : "it has failed, and does not say why";
}

std::int64_t bytes_of(const Json& object, const json::Path& path) {
  if (const auto number = json::int_or(object, path, 0); number > 0) return number;
  const auto quantity = Quantity::parse(text_at(object, path));
  return quantity ? quantity->value() : 0;
}

}  // namespace

RestoredVolume row_of_native(const RestoredNative& native, const std::string& volume) {
  RestoredVolume row;
  row.claim = native.claim;
  row.volume = volume;
  row.method = method::kNativeSnapshot;
  row.native = native.snapshot;
  row.result = native.result;
  row.message = native.message;
  row.started = native.started;
  row.completed = native.completed;
  if (native.snapshot.progress) row.bytes_restored = native.snapshot.progress->done;
  return row;
}

RestoredVolume row_of_pod_volume_restore(const Json& one) {
  RestoredVolume row;
  row.method = method::kPodVolumeRestore;
  // The phase is empty there, as in Velero.
  row.pod_volume = {.handle = text_at(one, {"spec", "snapshotID"}),
                    .size = json::int_or(one, {"status", "progress", "totalBytes"}, 0),
                    .incremental_size = 0,
                    .uploader = text_at(one, {"spec", "uploaderType"}),
                    .volume = text_at(one, {"spec", "volume"}),
                    .pod = {text_at(one, {"spec", "pod", "namespace"}), text_at(one, {"spec", "pod", "name"})},
                    .node = {},
                    .phase = {}};
  if (std::string claim = annotation(one, api::annotation::kPvcName); !claim.empty()) {
    row.claim = {row.pod_volume->pod.name_space, std::move(claim)};
  }
  add_transfer(row, one);
  return row;
}

RestoredVolume row_of_data_download(const Json& one) {
  RestoredVolume row;
  row.claim = {text_at(one, {"spec", "targetVolume", "namespace"}), text_at(one, {"spec", "targetVolume", "pvc"})};
  row.volume = text_at(one, {"spec", "targetVolume", "pv"});
  row.method = method::kCsiSnapshot;
  row.is_data_moved = true;
  const std::string mover = text_at(one, {"spec", "datamover"});
  const auto operation = k8s::ObjectView(one).labels().get(std::string(api::label::kAsyncOperationId));
  // The phase is empty there, as in Velero, who knows of one uploader only.
  row.movement = {.data_mover = mover.empty() ? "velero" : mover,
                  .uploader = "kopia",
                  .retained_snapshot = {},
                  .handle = text_at(one, {"spec", "snapshotID"}),
                  .operation = std::string(operation.value_or("")),
                  .size = json::int_or(one, {"status", "progress", "totalBytes"}, 0),
                  .incremental_size = 0,
                  .phase = {}};
  add_transfer(row, one);
  return row;
}

std::string snapshot_of_claim(const Json& claim) {
  if (text_at(claim, {"spec", "dataSource", "kind"}) != "VolumeSnapshot") return "";
  if (text_at(claim, {"spec", "dataSource", "apiGroup"}) != kSnapshotGroup) return "";
  return text_at(claim, {"spec", "dataSource", "name"});
}

RestoredVolume row_of_csi_snapshot(const Json* snapshot) {
  RestoredVolume row;
  row.method = method::kCsiSnapshot;
  row.result = result::kInProgress;
  // Velero's command line takes it for granted in a row of this method.
  row.csi.emplace();
  if (snapshot == nullptr) return row;
  row.csi = {.handle = annotation(*snapshot, api::annotation::kSnapshotHandle),
             .size = bytes_of(*snapshot, {"status", "restoreSize"}),
             .driver = annotation(*snapshot, api::annotation::kCsiDriverName),
             .content = text_at(*snapshot, {"spec", "source", "volumeSnapshotContentName"}),
             .operation = {},
             .is_ready = {},
             .group_handle = {}};
  return row;
}

void add_claim(RestoredVolume& row, const Json& claim, const std::string& now) {
  const bool is_bound = text_at(claim, {"status", "phase"}) == "Bound";
  if (is_bound) {
    if (std::string volume = text_at(claim, {"spec", "volumeName"}); !volume.empty()) row.volume = std::move(volume);
  }
  // A provisioner binds the claim when it has made a volume of the snapshot, and says nothing before.
  if (row.method != method::kCsiSnapshot || row.is_data_moved || row.result != result::kInProgress) return;
  row.started = text_at(claim, {"metadata", "creationTimestamp"});
  if (!is_bound) {
    if (row.message.empty()) row.message = "its claim is not bound yet";
    return;
  }
  row.result = result::kSucceeded;
  row.message.clear();
  row.completed = now;
  if (row.csi && row.csi->size > 0) row.bytes_restored = row.csi->size;
}

}  // namespace landfall::volume_info
