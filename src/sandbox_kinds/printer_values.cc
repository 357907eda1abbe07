#include "sandbox_kinds/printer_values.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/rfc3339.h"
#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/label_selector_json.h"
#include "sandbox_kinds/document_parts.h"

namespace landfall::sandbox {
namespace {

using json::Json;

std::string two_parts(std::int64_t large, char large_unit, std::int64_t small, char small_unit) {
  std::string text = std::to_string(large) + large_unit;
  if (small != 0) {
    text += std::to_string(small) + small_unit;
  }
  return text;
}

std::string of_containers(const Json* pod_spec, std::string_view field) {
  std::vector<std::string> parts;
  if (pod_spec != nullptr) {
    each_object(*pod_spec, "containers", [&](const Json& container) { parts.emplace_back(text_in(container, field)); });
  }
  return join(parts, ",");
}

}  // namespace

std::string human_duration(Duration duration) {
  constexpr std::int64_t kMinute = 60;
  constexpr std::int64_t kHour = 60 * kMinute;
  constexpr std::int64_t kDay = 24 * kHour;
  constexpr std::int64_t kYear = 365 * kDay;
  const std::int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(duration).count();
  if (seconds < -1) {
    return "<invalid>";
  }
  if (seconds < 2 * kMinute) {
    return std::to_string(std::max<std::int64_t>(seconds, 0)) + "s";
  }
  if (seconds < 10 * kMinute) {
    return two_parts(seconds / kMinute, 'm', seconds % kMinute, 's');
  }
  if (seconds < 3 * kHour) {
    return std::to_string(seconds / kMinute) + "m";
  }
  if (seconds < 8 * kHour) {
    return two_parts(seconds / kHour, 'h', seconds / kMinute % 60, 'm');
  }
  if (seconds < 2 * kDay) {
    return std::to_string(seconds / kHour) + "h";
  }
  if (seconds < 8 * kDay) {
    return two_parts(seconds / kDay, 'd', seconds / kHour % 24, 'h');
  }
  if (seconds < 2 * kYear) {
    return std::to_string(seconds / kDay) + "d";
  }
  if (seconds < 8 * kYear) {
    return two_parts(seconds / kYear, 'y', seconds / kDay % 365, 'd');
  }
  return std::to_string(seconds / kYear) + "y";
}

std::string age_text(std::string_view timestamp, WallTime now) {
  const auto time = parse_rfc3339(timestamp);
  return time ? human_duration(now - *time) : "<unknown>";
}

std::string age_of(const Json& object, WallTime now) {
  return age_text(json::string_or(object, {"metadata", "creationTimestamp"}, ""), now);
}

std::string labels_text(const Json* labels) {
  std::vector<std::string> parts;
  if (labels != nullptr && labels->is_object()) {
    for (const auto& [key, value] : labels->items()) {
      parts.push_back(key + "=" + (value.is_string() ? value.get<std::string>() : ""));
    }
  }
  return parts.empty() ? "<none>" : join(parts, ",");
}

std::string selector_text(const Json* selector) {
  return selector == nullptr ? "<none>" : k8s::format_label_selector(selector);
}

std::string access_modes_text(const Json* modes) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kShort = {{
      {"ReadWriteOnce", "RWO"},
      {"ReadOnlyMany", "ROX"},
      {"ReadWriteMany", "RWX"},
      {"ReadWriteOncePod", "RWOP"},
  }};
  std::vector<std::string> parts;
  for (const auto& [name, abbreviation] : kShort) {
    if (modes != nullptr && modes->is_array() && std::ranges::find(*modes, Json(name)) != modes->end()) {
      parts.emplace_back(abbreviation);
    }
  }
  return join(parts, ",");
}

std::string text_or_none(std::string_view text) { return text.empty() ? "<none>" : std::string(text); }

std::string container_names(const Json* pod_spec) { return of_containers(pod_spec, "name"); }
std::string container_images(const Json* pod_spec) { return of_containers(pod_spec, "image"); }

}  // namespace landfall::sandbox
