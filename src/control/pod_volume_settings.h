#pragma once

#include <chrono>
#include <string>

#include "base/clock.h"
#include "json/json_fwd.h"

namespace landfall::control {

// How volumes of pods are copied: what the server's flags say.
struct PodVolumeSettings {
  std::string uploader_type = "restic";
  Duration timeout = std::chrono::hours(4);  // --fs-backup-timeout
  Duration resource_timeout = std::chrono::minutes(10);
};

// How long it may take to write down that a volume is to be copied.
inline constexpr Duration kPodVolumeMakeTime = std::chrono::seconds(30);
// How long volumes that are told to end may take.
inline constexpr Duration kPodVolumeEndTime = std::chrono::seconds(30);

// How long all volumes of a Backup or Restore may take: its annotation velero.io/pod-volume-timeout wins. What is no
// duration does not count.
Duration pod_volume_timeout(const json::Json& operation, const PodVolumeSettings& settings);

}  // namespace landfall::control
