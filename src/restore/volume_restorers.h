#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "json/json_fwd.h"

// Who brings back the data of volumes. The engine decides what happens to a PersistentVolume (volume_decision.h); these
// do it. Where there is none, that is said: an error for a volume that has data which is not brought back.
namespace landfall::restore {

// Fills volumes of pods with what was copied file by file. Thread-safe.
class PodVolumeRestorer {
 public:
  PodVolumeRestorer() = default;
  PodVolumeRestorer(const PodVolumeRestorer&) = delete;
  PodVolumeRestorer& operator=(const PodVolumeRestorer&) = delete;
  virtual ~PodVolumeRestorer() = default;

  // Begins with the volumes of a pod that has just been created.
  virtual Status begin(const json::Json& pod, const std::string& original_namespace, const std::stop_token& stop) = 0;
  // Returns when all are done, with what went wrong.
  virtual std::vector<std::string> wait(const std::stop_token& stop) = 0;
};

// Makes volumes from snapshots of a storage provider. Thread-safe.
class SnapshotRestorer {
 public:
  SnapshotRestorer() = default;
  SnapshotRestorer(const SnapshotRestorer&) = delete;
  SnapshotRestorer& operator=(const SnapshotRestorer&) = delete;
  virtual ~SnapshotRestorer() = default;

  // Makes a volume of the snapshot of a PersistentVolume, and refers to it in the object.
  virtual Status restore(json::Json& volume, const std::stop_token& stop) = 0;
};

}  // namespace landfall::restore
