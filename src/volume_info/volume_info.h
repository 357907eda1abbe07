#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "json/json.h"
#include "k8s/object_ref.h"

// What became of one volume in a backup or a restore: the rows of `NAME-volumeinfo.json.gz`.
//
// The names and types of the fields are Velero's, odd capitals included, and are read by programs that nobody here
// knows of: fields are added, and never changed or taken away (volume_info_test.cc holds the list). Fields that Velero
// does not have are marked as such. Times are RFC 3339.
namespace landfall::volume_info {

// `backupMethod` and `restoreMethod`.
namespace method {
inline constexpr std::string_view kNativeSnapshot = "NativeSnapshot";
inline constexpr std::string_view kCsiSnapshot = "CSISnapshot";  // data movement as well
inline constexpr std::string_view kPodVolumeBackup = "PodVolumeBackup";
inline constexpr std::string_view kPodVolumeRestore = "PodVolumeRestore";
}  // namespace method

// `result`. Velero has the first two, of backups.
namespace result {
inline constexpr std::string_view kSucceeded = "succeeded";
inline constexpr std::string_view kFailed = "failed";    // the volume should have its data, and has it not
inline constexpr std::string_view kSkipped = "skipped";  // there was no data to bring, or none was wanted
inline constexpr std::string_view kInProgress = "inProgress";
}  // namespace result

struct CsiSnapshot {
  std::string handle;
  std::int64_t size = 0;
  std::string driver;
  std::string content;  // the VolumeSnapshotContent
  std::string operation;
  std::optional<bool> is_ready;
  std::string group_handle;
};

struct DataMovement {
  std::string data_mover;
  std::string uploader;
  std::string retained_snapshot;
  std::string handle;
  std::string operation;
  std::int64_t size = 0;
  std::int64_t incremental_size = 0;
  std::string phase;
};

struct Bytes {
  std::int64_t done = 0;
  std::int64_t total = 0;
};

struct NativeSnapshot {
  std::string handle;
  std::string volume_type;
  std::string zone;
  std::string iops = "0";
  std::string phase;
  // Not Velero's: the VolumePluginBackup or -Restore that tells how far it is, and what it said last.
  std::string progress_resource;
  std::optional<Bytes> progress;
};

struct PodVolume {
  std::string handle;
  std::int64_t size = 0;
  std::int64_t incremental_size = 0;
  std::string uploader;
  std::string volume;
  k8s::NamespacedName pod;
  std::string node;
  std::string phase;
};

// What rows of backups and of restores have in common.
struct Volume {
  k8s::NamespacedName claim;  // empty: a volume of a pod that has none
  std::string volume;         // the PersistentVolume
  std::string method;
  bool is_data_moved = false;
  std::string started;    // Velero has these three for backups only
  std::string completed;  //
  std::string result;     //
  std::optional<CsiSnapshot> csi;
  std::optional<DataMovement> movement;
  std::optional<NativeSnapshot> native;
  std::optional<PodVolume> pod_volume;
};

struct BackedUpVolume : Volume {
  bool keeps_local_snapshot = false;
  bool is_skipped = false;
  std::string skipped_reason;
  struct Traits {
    std::string reclaim_policy;
    json::Json labels;  // null: none
  };
  std::optional<Traits> traits;  // of the PersistentVolume
};

struct RestoredVolume : Volume {
  // Not Velero's.
  std::string message;  // why it has no data, or what went wrong
  std::optional<std::int64_t> bytes_restored;
};

json::Json to_json(const BackedUpVolume& volume);
json::Json to_json(const RestoredVolume& volume);

// Takes what is there, as far as it has the right type; fields that are not known are no error.
BackedUpVolume read_backed_up(const json::Json& row);
RestoredVolume read_restored(const json::Json& row);

// Reclaim policy and labels of a PersistentVolume, as a row keeps them.
BackedUpVolume::Traits traits_of(const json::Json& persistent_volume);

}  // namespace landfall::volume_info
