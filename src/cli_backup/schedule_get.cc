#include <string>
#include <vector>

#include "api/status.h"
#include "cli/describe_parts.h"
#include "cli/get_cells.h"
#include "cli/get_command.h"
#include "cli_backup/schedule_commands.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/label_selector_json.h"
#include "k8s/object_view.h"

namespace landfall::cli {
namespace {

using json::Json;

std::vector<std::string> cells(const Json& schedule, const Context& context) {
  const k8s::ObjectView view(schedule);
  const std::string phase = api::status_text(schedule, api::field::kPhase);
  const Json* spec = json::find(schedule, {"spec", "template"});
  return {std::string(view.name()),
          phase.empty() ? "New" : phase,
          time_cell(view.creation_timestamp()),
          json::string_or(schedule, {"spec", "schedule"}, ""),
          spec == nullptr ? "0s" : duration_text(*spec, "ttl"),
          from_now_cell(api::status_time(schedule, api::field::kLastBackup), context.clock.wall_now()),
          k8s::format_label_selector(json::find(schedule, {"spec", "template", "labelSelector"})),
          json::bool_or(schedule, {"spec", "paused"}, false) ? "true" : "false"};
}

}  // namespace

GetCommand schedule_get() {
  return {.noun = kSchedules,
          .headers = {"Name", "Status", "Created", "Schedule", "Backup TTL", "Last Backup", "Selector", "Paused"},
          .cells = cells,
          .is_of_all_namespaces = true};
}

Command add_schedule_get(const Command& group, const std::string& word) { return add_get(group, word, schedule_get()); }

}  // namespace landfall::cli
