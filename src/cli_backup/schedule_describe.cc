#include <fmt/format.h>

#include <string>
#include <vector>

#include "api/phases.h"
#include "api/status.h"
#include "base/strings.h"
#include "cli/describe_command.h"
#include "cli/describe_parts.h"
#include "cli_backup/backup_description.h"
#include "cli_backup/schedule_commands.h"
#include "json/access.h"
#include "json/json.h"
#include "terminal/tab_text.h"
#include "terminal/text_width.h"

namespace landfall::cli {
namespace {

using api::SchedulePhase;
using json::Json;

std::string phase_text(const Json& schedule, const Paint& paint) {
  const std::string phase = text_at(schedule, {"status", "phase"});
  const auto known = api::phase_of<SchedulePhase>(schedule);
  if (known == SchedulePhase::kEnabled) return paint.green(phase);
  if (known == SchedulePhase::kFailedValidation) return paint.red(phase);
  return phase.empty() ? "New" : phase;
}

// One level deeper, blank lines as well: so Velero has it.
std::string indented(std::string_view text) {
  std::string out;
  for (const std::string_view line : split(text, '\n')) out += "\t" + std::string(line) + "\n";
  return out;
}

std::string describe_schedule(const Json& schedule, const Paint& paint) {
  static const Json kNothing = Json::object();
  const Json* found = json::find(schedule, {"spec", "template"});
  const Json& spec = found == nullptr ? kNothing : *found;
  std::string text = metadata_part(schedule, paint) + fmt::format("\nPhase:\t{}\n", phase_text(schedule, paint));
  text += apart(reference_part("Resource policies", spec, "resourcePolicy"));
  text += apart(uploader_part(spec)) + apart(validation_part(schedule, paint));
  text += fmt::format("\nPaused:\t{}\n\nSchedule:\t{}\n\nBackup Template:\n",
                      json::bool_or(schedule, {"spec", "paused"}, false), text_at(schedule, {"spec", "schedule"}));
  const std::string part = backup_spec_part(spec);
  text += indented(std::string_view(part).substr(0, part.size() - 1));
  text += fmt::format("\nLast Backup:\t{}\n", time_or(api::status_time(schedule, api::field::kLastBackup), "<never>"));
  return terminal::align_tabs(text);
}

}  // namespace

Command add_schedule_describe(const Command& group, const std::string& word) {
  return add_describe(group, word,
                      {.noun = kSchedules,
                       .help = "Show a schedule in full: when it makes backups, and which",
                       .text = [](const DescribeRequest& request) -> Result<std::string> {
                         return describe_schedule(request.object, Paint(wants_colors(request.global, request.context)));
                       },
                       .has_files = false,
                       .is_of_all_namespaces = true});
}

}  // namespace landfall::cli
