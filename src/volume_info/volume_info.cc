#include "volume_info/volume_info.h"

#include <utility>

#include "json/access.h"

namespace landfall::volume_info {

using json::Json;

namespace {

void set_unless_empty(Json& to, const char* key, const std::string& text) {
  if (!text.empty()) to[key] = text;
}
void set_unless_zero(Json& to, const char* key, std::int64_t number) {
  if (number != 0) to[key] = number;
}

std::string text_at(const Json& from, const json::Path& path) { return json::string_or(from, path, ""); }
std::int64_t number_at(const Json& from, const json::Path& path) { return json::int_or(from, path, 0); }

Json to_json(const Bytes& bytes) { return {{"totalBytes", bytes.total}, {"bytesDone", bytes.done}}; }

Json to_json(const CsiSnapshot& info) {
  Json out = {{"snapshotHandle", info.handle},
              {"size", info.size},
              {"driver", info.driver},
              {"vscName", info.content},
              {"ReadyToUse", info.is_ready ? Json(*info.is_ready) : Json()}};
  set_unless_empty(out, "operationID", info.operation);
  set_unless_empty(out, "volumeGroupSnapshotHandle", info.group_handle);
  return out;
}

Json to_json(const DataMovement& info) {
  Json out = {{"dataMover", info.data_mover},
              {"uploaderType", info.uploader},
              {"snapshotHandle", info.handle},
              {"operationID", info.operation},
              {"size", info.size},
              {"Phase", info.phase}};
  set_unless_empty(out, "retainedSnapshot", info.retained_snapshot);
  set_unless_zero(out, "incrementalSize", info.incremental_size);
  return out;
}

Json to_json(const NativeSnapshot& info) {
  Json out = {{"snapshotHandle", info.handle},
              {"volumeType", info.volume_type},
              {"volumeAZ", info.zone},
              {"iops", info.iops},
              {"Phase", info.phase}};
  set_unless_empty(out, "progressResource", info.progress_resource);
  if (info.progress) out["progress"] = to_json(*info.progress);
  return out;
}

Json to_json(const PodVolume& info) {
  Json out = {{"uploaderType", info.uploader},
              {"volumeName", info.volume},
              {"podName", info.pod.name},
              {"podNamespace", info.pod.name_space},
              {"Phase", info.phase}};
  set_unless_empty(out, "snapshotHandle", info.handle);
  set_unless_zero(out, "size", info.size);
  set_unless_zero(out, "incrementalSize", info.incremental_size);
  set_unless_empty(out, "nodeName", info.node);
  return out;
}

Json common(const Volume& volume, const char* method_key, const char* pod_volume_key) {
  Json row = {{"snapshotDataMoved", volume.is_data_moved}};
  set_unless_empty(row, "pvcName", volume.claim.name);
  set_unless_empty(row, "pvcNamespace", volume.claim.name_space);
  set_unless_empty(row, "pvName", volume.volume);
  set_unless_empty(row, method_key, volume.method);
  set_unless_empty(row, "startTimestamp", volume.started);
  set_unless_empty(row, "completionTimestamp", volume.completed);
  set_unless_empty(row, "result", volume.result);
  if (volume.csi) row["csiSnapshotInfo"] = to_json(*volume.csi);
  if (volume.movement) row["snapshotDataMovementInfo"] = to_json(*volume.movement);
  if (volume.native) row["nativeSnapshotInfo"] = to_json(*volume.native);
  if (volume.pod_volume) row[pod_volume_key] = to_json(*volume.pod_volume);
  return row;
}

CsiSnapshot read_csi(const Json& from) {
  CsiSnapshot info{.handle = text_at(from, {"snapshotHandle"}),
                   .size = number_at(from, {"size"}),
                   .driver = text_at(from, {"driver"}),
                   .content = text_at(from, {"vscName"}),
                   .operation = text_at(from, {"operationID"}),
                   .is_ready = {},
                   .group_handle = text_at(from, {"volumeGroupSnapshotHandle"})};
  if (const Json* ready = json::find(from, {"ReadyToUse"}); ready != nullptr && ready->is_boolean()) {
    info.is_ready = ready->get<bool>();
  }
  return info;
}

DataMovement read_movement(const Json& from) {
  return {.data_mover = text_at(from, {"dataMover"}),
          .uploader = text_at(from, {"uploaderType"}),
          .retained_snapshot = text_at(from, {"retainedSnapshot"}),
          .handle = text_at(from, {"snapshotHandle"}),
          .operation = text_at(from, {"operationID"}),
          .size = number_at(from, {"size"}),
          .incremental_size = number_at(from, {"incrementalSize"}),
          .phase = text_at(from, {"Phase"})};
}

NativeSnapshot read_native(const Json& from) {
  NativeSnapshot info{.handle = text_at(from, {"snapshotHandle"}),
                      .volume_type = text_at(from, {"volumeType"}),
                      .zone = text_at(from, {"volumeAZ"}),
                      .iops = json::string_or(from, {"iops"}, "0"),
                      .phase = text_at(from, {"Phase"}),
                      .progress_resource = text_at(from, {"progressResource"}),
                      .progress = {}};
  if (json::has(from, {"progress"})) {
    info.progress = {.done = number_at(from, {"progress", "bytesDone"}),
                     .total = number_at(from, {"progress", "totalBytes"})};
  }
  return info;
}

PodVolume read_pod_volume(const Json& from) {
  return {.handle = text_at(from, {"snapshotHandle"}),
          .size = number_at(from, {"size"}),
          .incremental_size = number_at(from, {"incrementalSize"}),
          .uploader = text_at(from, {"uploaderType"}),
          .volume = text_at(from, {"volumeName"}),
          .pod = {text_at(from, {"podNamespace"}), text_at(from, {"podName"})},
          .node = text_at(from, {"nodeName"}),
          .phase = text_at(from, {"Phase"})};
}

template <class Info, class Read>
void read_part(const Json& row, const char* key, std::optional<Info>& into, const Read& read) {
  const Json* found = json::find(row, {key});
  if (found != nullptr && found->is_object()) into = read(*found);
}

void read_common(const Json& row, const char* method_key, const char* pod_volume_key, Volume& volume) {
  volume.claim = {text_at(row, {"pvcNamespace"}), text_at(row, {"pvcName"})};
  volume.volume = text_at(row, {"pvName"});
  volume.method = text_at(row, {method_key});
  volume.is_data_moved = json::bool_or(row, {"snapshotDataMoved"}, false);
  volume.started = text_at(row, {"startTimestamp"});
  volume.completed = text_at(row, {"completionTimestamp"});
  volume.result = text_at(row, {"result"});
  read_part(row, "csiSnapshotInfo", volume.csi, read_csi);
  read_part(row, "snapshotDataMovementInfo", volume.movement, read_movement);
  read_part(row, "nativeSnapshotInfo", volume.native, read_native);
  read_part(row, pod_volume_key, volume.pod_volume, read_pod_volume);
}

}  // namespace

Json to_json(const BackedUpVolume& volume) {
  Json row = common(volume, "backupMethod", "pvbInfo");
  row["preserveLocalSnapshot"] = volume.keeps_local_snapshot;
  row["skipped"] = volume.is_skipped;
  set_unless_empty(row, "skippedReason", volume.skipped_reason);
  if (volume.traits) {
    row["pvInfo"] = {{"reclaimPolicy", volume.traits->reclaim_policy}, {"labels", volume.traits->labels}};
  }
  return row;
}

Json to_json(const RestoredVolume& volume) {
  Json row = common(volume, "restoreMethod", "pvrInfo");
  set_unless_empty(row, "message", volume.message);
  if (volume.bytes_restored) row["bytesRestored"] = *volume.bytes_restored;
  return row;
}

BackedUpVolume read_backed_up(const Json& row) {
  BackedUpVolume volume;
  read_common(row, "backupMethod", "pvbInfo", volume);
  volume.keeps_local_snapshot = json::bool_or(row, {"preserveLocalSnapshot"}, false);
  volume.is_skipped = json::bool_or(row, {"skipped"}, false);
  volume.skipped_reason = text_at(row, {"skippedReason"});
  read_part(row, "pvInfo", volume.traits, [](const Json& from) {
    BackedUpVolume::Traits traits{.reclaim_policy = text_at(from, {"reclaimPolicy"}), .labels = {}};
    if (const Json* labels = json::find(from, {"labels"}); labels != nullptr && labels->is_object()) {
      traits.labels = *labels;
    }
    return traits;
  });
  return volume;
}

RestoredVolume read_restored(const Json& row) {
  RestoredVolume volume;
  read_common(row, "restoreMethod", "pvrInfo", volume);
  volume.message = text_at(row, {"message"});
  if (json::has(row, {"bytesRestored"})) volume.bytes_restored = number_at(row, {"bytesRestored"});
  return volume;
}

BackedUpVolume::Traits traits_of(const Json& persistent_volume) {
  BackedUpVolume::Traits traits{.reclaim_policy = text_at(persistent_volume, {"spec", "persistentVolumeReclaimPolicy"}),
                                .labels = {}};
  if (const Json* labels = json::find(persistent_volume, {"metadata", "labels"})) traits.labels = *labels;
  return traits;
}

}  // namespace landfall::volume_info
