#include "cli/describe_pod_volumes.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/status.h"
#include "base/strings.h"
#include "cli/describe_parts.h"
#include "json/access.h"
#include "json/json.h"

namespace landfall::cli {

using json::Json;

namespace {

std::string volume_text(const Json& object, std::string_view phase) {
  const std::string name = text_at(object, {"spec", "volume"});
  const auto total = json::int_or(object, {"status", "progress", "totalBytes"}, 0);
  const auto done = json::int_or(object, {"status", "progress", "bytesDone"}, 0);
  if (phase == "InProgress" && total != 0) {
    return fmt::format("{} ({:.2f}%)", name, static_cast<double>(done) / static_cast<double>(total) * 100);
  }
  if (phase != "Completed") return name;
  const auto incremental = json::int_or(object, {"status", "incrementalBytes"}, 0);
  if (incremental > 0) return fmt::format("{} (size: {}, incremental size: {})", name, total, incremental);
  return total > 0 ? fmt::format("{} (size: {})", name, total) : name;
}

std::string phase_or_new(const Json& object) {
  const std::string phase = api::status_text(object, api::field::kPhase);
  return phase.empty() ? "New" : phase;
}

void add(PodVolumes& group, const Json& object, std::string_view phase) {
  const std::string pod =
      text_at(object, {"spec", "pod", "namespace"}) + "/" + text_at(object, {"spec", "pod", "name"});
  auto found = std::ranges::find(group.pods, pod, &PodVolumes::Pod::name);
  if (found == group.pods.end()) found = group.pods.insert(group.pods.end(), {.name = pod});
  found->volumes.push_back(volume_text(object, phase));
  ++group.count;
}

}  // namespace

std::vector<PodVolumes> pod_volumes_by_phase(const std::vector<Json>& all, std::span<const std::string_view> phases) {
  std::vector<PodVolumes> groups;
  for (const std::string_view phase : phases) {
    PodVolumes group{.phase = phase == "InProgress" ? "In Progress" : phase};
    for (const Json& object : all) {
      if (phase_or_new(object) == phase) add(group, object, phase);
    }
    if (group.count > 0) groups.push_back(std::move(group));
  }
  return groups;
}

std::string pod_volumes_text(std::vector<PodVolumes> all, std::string_view indent, bool details) {
  std::string part;
  for (PodVolumes& group : all) {
    if (!details) {
      part += fmt::format("{}{}:\t{}\n", indent, group.phase, group.count);
      continue;
    }
    part += fmt::format("{}{}:\n", indent, group.phase);
    std::ranges::sort(group.pods, {}, &PodVolumes::Pod::name);
    for (PodVolumes::Pod& pod : group.pods) {
      std::ranges::sort(pod.volumes);
      part += fmt::format("{}\t{}: {}\n", indent, pod.name, join(pod.volumes, ", "));
    }
  }
  return part;
}

}  // namespace landfall::cli
