#include "cli/describe_pod_volumes.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/phases.h"
#include "api/progress_fields.h"
#include "api/status.h"
#include "base/strings.h"
#include "cli/describe_parts.h"
#include "json/access.h"
#include "json/json.h"
#include "progress/format.h"

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

std::string pod_of(const Json& object) {
  return text_at(object, {"spec", "pod", "namespace"}) + "/" + text_at(object, {"spec", "pod", "name"});
}

void add(PodVolumes& group, const Json& object, std::string_view phase) {
  const std::string pod = pod_of(object);
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

std::vector<std::string> pod_volumes_without_data(const std::vector<Json>& all) {
  std::vector<std::string> texts;
  for (const Json& object : all) {
    const auto phase = api::phase_of<api::TransferPhase>(object);
    if (!phase || !api::is_final(*phase) || phase == api::TransferPhase::kCompleted) continue;
    const std::string message = text_at(object, {"status", "message"});
    texts.push_back(fmt::format("{}, volume {}: {}{}", pod_of(object), text_at(object, {"spec", "volume"}),
                                to_lower(api::to_string(*phase)), message.empty() ? "" : ", " + message));
  }
  std::ranges::sort(texts);
  return texts;
}

std::vector<std::string> pod_volumes_under_way(const std::vector<Json>& all, WallTime now) {
  std::vector<std::string> texts;
  for (const Json& object : all) {
    const auto phase = api::phase_of<api::TransferPhase>(object);
    if (phase && api::is_final(*phase)) continue;
    const std::string message = text_at(object, {"status", "message"});
    const auto progress = api::read_byte_progress(object);
    const bool has_bytes = progress && (!progress->bytes.total || *progress->bytes.total > ByteCount());
    const bool is_measured = phase == api::TransferPhase::kInProgress && has_bytes;
    const std::string state = is_measured ? progress::format_line(*progress, now) : phase_or_new(object);
    texts.push_back(fmt::format("{}, volume {}: {}{}", pod_of(object), text_at(object, {"spec", "volume"}), state,
                                message.empty() ? "" : ", " + message));
  }
  std::ranges::sort(texts);
  return texts;
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
