#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/status.h"
#include "base/go_duration.h"
#include "cli/get_cells.h"
#include "cli/get_command.h"
#include "cli/operation_words.h"
#include "cli_backup/backup_commands.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/label_selector_json.h"
#include "k8s/object_view.h"

namespace landfall::cli {
namespace {

using json::Json;

std::optional<WallTime> expiration_of(const Json& backup) {
  if (const auto time = api::status_time(backup, api::field::kExpiration)) return time;
  const auto created = k8s::ObjectView(backup).creation_timestamp();
  const auto ttl = parse_go_duration(json::string_or(backup, {"spec", "ttl"}, ""));
  if (!created || !ttl || *ttl <= Duration(0)) return std::nullopt;
  return *created + *ttl;
}

std::string status_cell(const Json& backup, const Context& context) {
  if (k8s::ObjectView(backup).is_being_deleted()) return "Deleting";
  return shown_phase(backup, context);
}

std::vector<std::string> cells(const Json& backup, const Context& context) {
  const std::int64_t place = api::status_count(backup, api::field::kQueuePosition);
  return {std::string(k8s::ObjectView(backup).name()),
          status_cell(backup, context),
          std::to_string(api::status_count(backup, api::field::kErrors)),
          std::to_string(api::status_count(backup, api::field::kWarnings)),
          time_cell(api::status_time(backup, api::field::kStartTimestamp)),
          from_now_cell(expiration_of(backup), context.clock.wall_now()),
          json::string_or(backup, {"spec", "storageLocation"}, ""),
          place == 0 ? "" : std::to_string(place),
          k8s::format_label_selector(json::find(backup, {"spec", "labelSelector"}))};
}

// The name without the time that a schedule has put behind it, and that: {"daily", "-20260520100000"}.
std::pair<std::string_view, std::string_view> parts_of(std::string_view name) {
  constexpr std::size_t kSuffix = 15;
  if (name.size() < kSuffix) return {name, ""};
  const std::string_view suffix = name.substr(name.size() - kSuffix);
  const bool is_time =
      suffix.front() == '-' && std::ranges::all_of(suffix.substr(1), [](char c) { return c >= '0' && c <= '9'; });
  return is_time ? std::pair(name.substr(0, name.size() - kSuffix), suffix) : std::pair(name, std::string_view());
}

// By name; those that one schedule has made, the newest first.
void sort(std::vector<Json>& backups) {
  std::ranges::stable_sort(backups, [](const Json& a, const Json& b) {
    const std::string_view one = k8s::ObjectView(a).name();
    const std::string_view other = k8s::ObjectView(b).name();
    const auto [prefix, time] = parts_of(one);
    const auto [other_prefix, other_time] = parts_of(other);
    const bool are_of_one = !time.empty() && !other_time.empty() && prefix == other_prefix;
    return are_of_one ? time > other_time : one < other;
  });
}

}  // namespace

GetCommand backup_get() {
  return {.noun = kBackups,
          .headers = {"Name", "Status", "Errors", "Warnings", "Created", "Expires", "Storage Location",
                      "Queue Position", "Selector"},
          .cells = cells,
          .wide_headers = {"Progress", "Left"},
          .wide_cells = progress_cells,
          .sort = sort};
}

Command add_backup_get(const Command& group, const std::string& word) { return add_get(group, word, backup_get()); }

}  // namespace landfall::cli
