#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "json/json_fwd.h"

// Who takes the data of volumes. The engine decides which volumes are taken and how (volume_choice.h); these do it.
// Where there is none, what would have been its work is skipped, with that reason.
namespace landfall::backup {

// Copies volumes of running pods file by file. Thread-safe.
class PodVolumeTaker {
 public:
  PodVolumeTaker() = default;
  PodVolumeTaker(const PodVolumeTaker&) = delete;
  PodVolumeTaker& operator=(const PodVolumeTaker&) = delete;
  virtual ~PodVolumeTaker() = default;

  struct Refusal {
    std::string volume;
    std::string why;
  };
  // Begins with volumes of a pod and returns those that cannot be taken; that fails the pod.
  virtual std::vector<Refusal> begin(const json::Json& pod, const std::vector<std::string>& volumes,
                                     const std::stop_token& stop) = 0;
  // Returns when those of the pod are done, well or not: hooks that undo a freeze run after this.
  virtual void wait_for(const json::Json& pod, const std::stop_token& stop) = 0;
};

// Takes snapshots of PersistentVolumes. Thread-safe.
class SnapshotTaker {
 public:
  SnapshotTaker() = default;
  SnapshotTaker(const SnapshotTaker&) = delete;
  SnapshotTaker& operator=(const SnapshotTaker&) = delete;
  virtual ~SnapshotTaker() = default;

  // Nothing when it was taken, else why it was not. An error fails the PersistentVolume.
  virtual Result<std::optional<std::string>> take(const json::Json& volume, const std::stop_token& stop) = 0;
};

}  // namespace landfall::backup
