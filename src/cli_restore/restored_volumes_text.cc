#include "cli_restore/restored_volumes_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "api/names.h"
#include "api/phases.h"
#include "api/progress_fields.h"
#include "api/status.h"
#include "base/rfc3339.h"
#include "base/strings.h"
#include "cli/describe_plugin_volumes.h"
#include "cli/describe_pod_volumes.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "progress/format.h"
#include "terminal/text_width.h"

namespace landfall::cli {

using json::Json;
using terminal::printable;
using volume_info::RestoredVolume;

namespace {

constexpr std::string_view kMore = " (specify --details for more information)";

std::string claim_text(const RestoredVolume& row) {
  const std::string claim = printable(row.claim.name);
  return row.claim.name_space.empty() || claim.empty() ? claim : printable(row.claim.name_space) + "/" + claim;
}

// By the claim; else by the PersistentVolume, else by the pod's volume.
std::string name_text(const RestoredVolume& row) {
  const std::string claim = claim_text(row);
  const std::string volume = printable(row.volume);
  if (!claim.empty()) return volume.empty() ? claim : fmt::format("{} ({})", claim, volume);
  if (!volume.empty()) return volume;
  return row.pod_volume ? "a volume without a claim" : "a volume without a name";
}

std::string with_value(std::string_view words, const std::string& value) {
  return value.empty() ? std::string(words) : fmt::format("{} {}", words, printable(value));
}

std::string in_brackets(const std::vector<std::string>& values) {
  std::vector<std::string> said;
  for (const std::string& value : values) {
    if (!value.empty()) said.push_back(printable(value));
  }
  return said.empty() ? "" : fmt::format(" ({})", join(said, ", "));
}

std::string files_text(const RestoredVolume& row) {
  if (!row.pod_volume) return "files of a pod's volume";
  const volume_info::PodVolume& from = *row.pod_volume;
  const std::string pod = printable(from.pod.name_space + "/" + from.pod.name);
  return fmt::format("files of pod {}, {}{}", pod, with_value("volume", from.volume), in_brackets({from.uploader}));
}

std::string method_text(const RestoredVolume& row) {
  namespace method = volume_info::method;
  if (row.method == method::kPodVolumeRestore) return files_text(row);
  if (row.method == method::kNativeSnapshot) {
    return with_value("native snapshot", row.native ? row.native->handle : "");
  }
  if (row.method != method::kCsiSnapshot) return printable(row.method);
  if (row.is_data_moved) {
    return "data movement" +
           (row.movement ? in_brackets({row.movement->data_mover, row.movement->uploader}) : std::string());
  }
  return row.csi ? with_value("CSI snapshot", row.csi->handle) + in_brackets({row.csi->driver}) : "CSI snapshot";
}

// "1m20s"; empty where the row does not say.
std::string duration_of(const RestoredVolume& row) {
  const auto started = parse_rfc3339(row.started);
  const auto completed = parse_rfc3339(row.completed);
  return started && completed && *started <= *completed ? progress::format_duration(*completed - *started) : "";
}

std::string restored_text(const VolumeEntry& entry) {
  const std::string bytes = entry.bytes ? to_string(*entry.bytes) : "";
  const std::string duration = duration_of(entry.row);
  if (duration.empty()) return bytes;
  return bytes.empty() ? "in " + duration : fmt::format("{} in {}", bytes, duration);
}

std::string transfer_text(const Json& transfer, WallTime now) {
  const bool is_plugins = k8s::ObjectView(transfer).kind() == api::kVolumePluginRestore.name;
  const auto progress = is_plugins ? plugin_volume_progress(transfer, now) : api::read_byte_progress(transfer);
  const std::string phase = api::status_text(transfer, api::field::kPhase);
  const bool is_moving =
      phase == "InProgress" && progress && progress->bytes.total.value_or(ByteCount(1)) > ByteCount();
  if (is_moving) return progress::format_line(*progress, now);
  return phase.empty() ? "New" : printable(phase);
}

std::string under_way_text(const VolumeEntry& entry, WallTime now) {
  if (entry.transfer != nullptr) return transfer_text(*entry.transfer, now);
  const auto progress = entry.row.native ? entry.row.native->progress : std::nullopt;
  if (!progress || progress->total <= 0) return "";
  return fmt::format("{} of {} ({} %)", to_string(ByteCount(progress->done)), to_string(ByteCount(progress->total)),
                     progress::percent(progress->done, progress->total));
}

std::string outcome_text(const VolumeEntry& entry, WallTime now) {
  switch (entry.state) {
    case VolumeState::kRestored:
      return restored_text(entry);
    case VolumeState::kUnderWay:
      return under_way_text(entry, now);
    case VolumeState::kFailed: {
      const std::string duration = duration_of(entry.row);
      return duration.empty() ? "" : "after " + duration;
    }
    case VolumeState::kWithoutData:
      return "";
    case VolumeState::kUnknown:
      return printable(entry.row.result);
  }
  return "";
}

struct Group {
  VolumeState state;
  std::string_view heading;
  std::string_view words;  // behind a count
};
constexpr auto kGroups = std::to_array<Group>({
    {VolumeState::kRestored, "Restored", "restored"},
    {VolumeState::kUnderWay, "Under way", "under way"},
    {VolumeState::kFailed, "Failed", "failed"},
    {VolumeState::kWithoutData, "Without data", "without data"},
    {VolumeState::kUnknown, "Result not recorded", "whose result is not recorded"},
});

std::vector<std::string> texts_of(const RestoredVolumes& volumes, VolumeState state, WallTime now) {
  std::vector<std::string> texts;
  for (const VolumeEntry& entry : volumes.entries) {
    if (entry.state == state) texts.push_back(volume_entry_text(entry, now));
  }
  const auto add = [&](std::vector<std::string> more) { std::ranges::move(more, std::back_inserter(texts)); };
  if (state == VolumeState::kUnderWay) {
    add(pod_volumes_under_way(volumes.other_pod_volumes, now));
    add(plugin_volumes_under_way(volumes.other_plugin_volumes, now));
  }
  if (state == VolumeState::kFailed) {
    add(pod_volumes_without_data(volumes.other_pod_volumes));
    add(plugin_volumes_without_data(volumes.other_plugin_volumes));
  }
  return texts;
}

std::string list_part(std::string_view heading, const std::vector<std::string>& texts) {
  return texts.empty() ? "" : fmt::format("\n{}:\n\t{}\n", heading, join(texts, "\n\t"));
}

// As long as there are no rows.
std::string live_part(const RestoreDescription& what, const RestoredVolumes& volumes, WallTime now) {
  const auto phase = api::phase_of<api::RestorePhase>(what.restore);
  const bool should_have_rows = phase == api::RestorePhase::kCompleted || phase == api::RestorePhase::kPartiallyFailed;
  std::string part;
  const bool is_preview = json::bool_or(what.restore, {"spec", "preview"}, false);
  if (should_have_rows && !is_preview && what.volume_infos.is_missing()) {
    part = "\nVolumes:\t<no volume information: this restore has no such file>\n";
  }
  return part + list_part("Volumes under way", texts_of(volumes, VolumeState::kUnderWay, now)) +
         list_part("Volumes without data", texts_of(volumes, VolumeState::kFailed, now));
}

std::string counts_text(const RestoredVolumes& volumes, WallTime now) {
  std::vector<std::string> texts;
  for (const Group& group : kGroups) {
    const std::size_t count = texts_of(volumes, group.state, now).size();
    if (count == 0) continue;
    texts.push_back(fmt::format("{} {}", count, group.words));
    const auto bytes = volumes.bytes();
    if (group.state == VolumeState::kRestored && bytes) texts.back() += fmt::format(" ({})", to_string(*bytes));
  }
  return join(texts, ", ");
}

}  // namespace

std::string volume_entry_text(const VolumeEntry& entry, WallTime now) {
  std::vector<std::string> said;
  for (std::string text : {method_text(entry.row), outcome_text(entry, now), printable(entry.reason)}) {
    if (!text.empty()) said.push_back(std::move(text));
  }
  return name_text(entry.row) + (said.empty() ? "" : ": " + join(said, ", "));
}

std::string restored_volumes_part(const RestoreDescription& what, WallTime now) {
  const RestoredVolumes volumes = read_restored_volumes(what);
  if (volumes.entries.empty()) return live_part(what, volumes, now);
  if (!what.details) {
    return fmt::format("\nVolumes:\t{}{}\n", counts_text(volumes, now), kMore) +
           list_part("Volumes under way", texts_of(volumes, VolumeState::kUnderWay, now)) +
           list_part("Volumes that failed", texts_of(volumes, VolumeState::kFailed, now));
  }
  std::string part = "\nVolumes:\n";
  for (const Group& group : kGroups) {
    const std::vector<std::string> texts = texts_of(volumes, group.state, now);
    if (!texts.empty()) part += fmt::format("\t{}:\n\t\t{}\n", group.heading, join(texts, "\n\t\t"));
  }
  return part;
}

}  // namespace landfall::cli
