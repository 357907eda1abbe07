#include "cli/describe_plugin_volumes.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "api/labels.h"
#include "api/names.h"
#include "api/phases.h"
#include "api/progress_fields.h"
#include "api/status.h"
#include "base/strings.h"
#include "cli/describe_parts.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "progress/format.h"
#include "terminal/text_width.h"

namespace landfall::cli {

using api::VolumePluginPhase;
using json::Json;

namespace {

std::string phase_or_new(const Json& object) {
  const std::string phase = text_at(object, {"status", "phase"});
  return phase.empty() ? "New" : phase;
}

bool is_over(const Json& object) {
  const auto phase = api::phase_of<VolumePluginPhase>(object);
  return phase && api::is_final(*phase);
}

bool is_restore(const Json& object) { return k8s::ObjectView(object).kind() == api::kVolumePluginRestore.name; }

std::string volume_of(const Json& object) {
  if (!is_restore(object)) return text_at(object, {"spec", "volume"});
  const auto label = k8s::ObjectView(object).labels().get(std::string(api::label::kPvName));
  return label ? terminal::printable(*label) : text_at(object, {"status", "volumeID"});
}

std::string snapshot_of(const Json& object) {
  return is_restore(object) ? text_at(object, {"spec", "snapshotID"}) : text_at(object, {"status", "snapshotID"});
}

bool has_bytes(const std::optional<progress::ByteProgress>& progress) {
  return progress && progress->bytes.total && *progress->bytes.total > ByteCount();
}

std::string bytes_text(const progress::ByteProgress& progress) {
  const ByteCount total = progress.bytes.total.value_or(ByteCount());
  return fmt::format("{} of {} ({} %)", to_string(progress.bytes.done), to_string(total),
                     progress::percent(progress.bytes.done.count(), total.count()));
}

std::string with_message(std::string text, const Json& object) {
  const std::string message = text_at(object, {"status", "message"});
  return message.empty() ? text : text + ", " + message;
}

// "Completed, 4.0 GiB of 4.0 GiB (100 %)"
std::string short_text(const Json& object, WallTime now) {
  const auto progress = plugin_volume_progress(object, now);
  return phase_or_new(object) + (has_bytes(progress) ? ", " + bytes_text(*progress) : "");
}

std::string pace_text(const progress::ByteProgress& progress, WallTime now, const std::string& indent) {
  std::string part;
  if (progress.bytes_per_second) part += fmt::format("{}Rate:\t{}/s\n", indent, to_string(*progress.bytes_per_second));
  if (const auto& end = progress.estimated_completion) {
    const std::string in = *end > now ? fmt::format(" (in {})", progress::format_duration(*end - now)) : "";
    part += fmt::format("{}Estimated completion:\t{}{}\n", indent, time_or(end, ""), in);
  }
  return part;
}

std::string full_text(const Json& object, const std::string& indent, WallTime now) {
  std::string part = fmt::format("{0}Plugin:\t{1}\n{0}Snapshot ID:\t{2}\n{0}Phase:\t{3}\n", indent,
                                 text_at(object, {"spec", "plugin"}), snapshot_of(object), phase_or_new(object));
  const std::string message = text_at(object, {"status", "message"});
  if (!message.empty()) part += fmt::format("{}Message:\t{}\n", indent, message);
  const auto progress = plugin_volume_progress(object, now);
  if (has_bytes(progress)) part += fmt::format("{}Bytes:\t{}\n", indent, bytes_text(*progress));
  if (progress && !is_over(object)) part += pace_text(*progress, now, indent);
  for (const auto& [title, field] :
       {std::pair("Started", api::field::kStartTimestamp), std::pair("Completed", api::field::kCompletionTimestamp)}) {
    if (const auto time = api::status_time(object, field)) {
      part += fmt::format("{}{}:\t{}\n", indent, title, time_or(time, ""));
    }
  }
  const Json* specific = json::find(object, {"spec", "pluginSpecific"});
  if (specific == nullptr || !specific->is_object()) return part;
  for (const auto& [key, value] : specific->items()) {
    if (!value.is_string()) continue;
    part += fmt::format("{}{}:\t{}\n", indent, terminal::printable(key), terminal::printable(value.get<std::string>()));
  }
  return part;
}

}  // namespace

std::string plugin_volume_name(const Json& object) {
  return fmt::format("{}, snapshot {}", volume_of(object), snapshot_of(object));
}

std::optional<progress::ByteProgress> plugin_volume_progress(const Json& object, WallTime now) {
  auto progress = api::read_byte_progress(object);
  const auto started = api::status_time(object, api::field::kStartTimestamp);
  const bool is_measured = progress && started && now > *started && progress->bytes.done > ByteCount();
  if (!is_measured || is_over(object) || progress->bytes_per_second) return progress;
  const double elapsed = std::chrono::duration<double>(now - *started).count();
  const double rate = static_cast<double>(progress->bytes.done.count()) / elapsed;
  if (rate < 1) return progress;
  progress->bytes_per_second = ByteCount(std::llround(rate));
  if (!has_bytes(progress)) return progress;
  const double left = static_cast<double>((*progress->bytes.total - progress->bytes.done).count()) / rate;
  // What takes years is no estimate.
  constexpr double kTooLong = 10.0 * 365 * 24 * 3600;
  if (left < kTooLong) progress->estimated_completion = now + std::chrono::seconds(std::llround(left));
  return progress;
}

std::vector<std::string> plugin_volumes_under_way(const std::vector<Json>& all, WallTime now) {
  std::vector<std::string> texts;
  for (const Json& object : all) {
    if (is_over(object)) continue;
    const auto progress = plugin_volume_progress(object, now);
    const bool is_moving = has_bytes(progress) && phase_or_new(object) != "New";
    texts.push_back(with_message(
        plugin_volume_name(object) + ": " + (is_moving ? progress::format_line(*progress, now) : phase_or_new(object)),
        object));
  }
  std::ranges::sort(texts);
  return texts;
}

std::vector<std::string> plugin_volumes_without_data(const std::vector<Json>& all) {
  std::vector<std::string> texts;
  for (const Json& object : all) {
    if (!is_over(object) || phase_or_new(object) == api::to_string(VolumePluginPhase::kCompleted)) continue;
    texts.push_back(with_message(plugin_volume_name(object) + ": " + to_lower(phase_or_new(object)), object));
  }
  std::ranges::sort(texts);
  return texts;
}

std::string plugin_volumes_text(const std::vector<Json>& all, std::string_view indent, bool details, WallTime now) {
  std::vector<std::string> parts;
  parts.reserve(all.size());
  for (const Json& object : all) {
    parts.push_back(details ? fmt::format("{}{}:\n{}", indent, volume_of(object),
                                          full_text(object, std::string(indent) + "\t", now))
                            : fmt::format("{}{}:\t{}\n", indent, volume_of(object), short_text(object, now)));
  }
  std::ranges::sort(parts);
  return join(parts, "");
}

Json plugin_volumes_document(const std::vector<Json>& all) {
  Json document = Json::object();
  for (const Json& object : all) {
    Json one = {{"plugin", text_at(object, {"spec", "plugin"})},
                {"snapshotID", snapshot_of(object)},
                {"phase", phase_or_new(object)}};
    const std::string message = text_at(object, {"status", "message"});
    if (!message.empty()) one["message"] = message;
    if (const auto progress = api::read_byte_progress(object)) {
      if (progress->bytes.total) one["totalBytes"] = progress->bytes.total->count();
      one["bytesDone"] = progress->bytes.done.count();
    }
    if (const Json* specific = json::find(object, {"spec", "pluginSpecific"})) one["pluginSpecific"] = *specific;
    document[volume_of(object)] = std::move(one);
  }
  return document;
}

}  // namespace landfall::cli
