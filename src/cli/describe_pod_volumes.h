#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "json/json_fwd.h"

namespace landfall::cli {

// PodVolumeBackups or -Restores as `describe` shows them: by phase, and within a phase by pod.
struct PodVolumes {
  struct Pod {
    std::string name;                  // "shop/db-0"
    std::vector<std::string> volumes;  // "data (33.30%)", "logs (size: 1000, incremental size: 50)"
  };
  std::string_view phase;  // as it is shown: "In Progress"
  std::size_t count = 0;
  std::vector<Pod> pods;
};

// The phases that there are any of, in the order of `phases` (as status.phase has them; none counts as New). Pods and
// volumes are in the order of the list.
std::vector<PodVolumes> pod_volumes_by_phase(const std::vector<json::Json>& all,
                                             std::span<const std::string_view> phases);

// Those that have ended without their data, and why: "shop/db-0, volume data: failed, the disk is full".
std::vector<std::string> pod_volumes_without_data(const std::vector<json::Json>& all);

// Those that are not over: how far they are, or what they wait for:
// "shop/db-0, volume data: transferring 1.5 GiB/4.0 GiB (37 %), 52.1 MiB/s, about 50s left".
std::vector<std::string> pod_volumes_under_way(const std::vector<json::Json>& all, WallTime now);

// How many there are, or with details which: lines before terminal::align_tabs().
std::string pod_volumes_text(std::vector<PodVolumes> all, std::string_view indent, bool details);

}  // namespace landfall::cli
