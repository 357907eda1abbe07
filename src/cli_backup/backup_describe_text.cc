#include <fmt/format.h>

#include <algorithm>

#include "api/phases.h"
#include "api/progress_fields.h"
#include "api/status.h"
#include "cli/describe_files.h"
#include "cli/describe_parts.h"
#include "cli/describe_progress.h"
#include "cli/operation_words.h"
#include "cli_backup/backup_description.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "terminal/tab_text.h"
#include "terminal/text_width.h"

namespace landfall::cli {

using api::BackupPhase;
using json::Json;

namespace {

constexpr std::string_view kGlobalPolicies = "velero.io/global-backup-volume-policy-configmap";

// A backup that is deleted as an object says so only here: Velero's requests set the phase.
std::string shown_backup_phase(const Json& backup, const Context& context) {
  const std::string phase = text_at(backup, {"status", "phase"});
  if (!context.called_as_velero() && phase != api::to_string(BackupPhase::kDeleting)) {
    return terminal::printable(shown_phase(backup, context));
  }
  return phase.empty() ? "New" : phase;
}

std::string phase_part(const BackupDescription& what, const Context& context) {
  const Paint paint(what.is_colorized);
  const Json& backup = what.backup;
  const auto phase = api::phase_of<BackupPhase>(backup);
  std::string text = shown_backup_phase(backup, context);
  const bool is_bad = phase == BackupPhase::kFailed || phase == BackupPhase::kPartiallyFailed;
  if (phase == BackupPhase::kCompleted) text = paint.green(text);
  if (is_bad || phase == BackupPhase::kFailedValidation) text = paint.red(text);
  if (is_bad) {
    text += fmt::format(" (run `{} backup logs {}` for more information)", context.program,
                        text_at(backup, {"metadata", "name"}));
  }
  std::string part = fmt::format("Phase:\t{}\n", text);
  if (phase == BackupPhase::kQueued) {
    part += fmt::format("Queue position:\t{}\n", api::status_count(backup, api::field::kQueuePosition));
  }
  const std::string reason = text_at(backup, {"status", "failureReason"});
  if (context.called_as_velero() || reason.empty() || api::is_canceled(backup)) return part;
  return part + fmt::format("Failure reason:\t{}\n", reason);
}

std::string settings_part(const BackupDescription& what) {
  const Json& spec = spec_of(what.backup);
  std::string part = apart(reference_part("Resource policies", spec, "resourcePolicy"));
  if (const std::string name = global_policies_of(what.backup); !name.empty()) {
    part += fmt::format("\nGlobal volume policies:\n\tType:\tconfigmap\n\tName:\t{}\n", terminal::printable(name));
  }
  part += apart(uploader_part(spec));
  return part + apart(validation_part(what.backup, Paint(what.is_colorized)));
}

std::string results_part(const BackupDescription& what) {
  const auto errors = api::status_count(what.backup, api::field::kErrors);
  const auto warnings = api::status_count(what.backup, api::field::kWarnings);
  if (!what.results.is_wanted) return "";
  // Of backups that are older than the file.
  if (what.results.is_missing()) return fmt::format("Errors:\t{}\nWarnings:\t{}\n", errors, warnings);
  if (!what.results.document) {
    return fmt::format("Warnings:\t<error getting warnings: {0}>\n\nErrors:\t<error getting errors: {0}>\n",
                       what.results.why_not());
  }
  std::string part;
  if (warnings > 0) part += "\n" + result_part("Warnings", json::find(*what.results.document, {"warnings"}));
  if (errors > 0) part += "\n" + result_part("Errors", json::find(*what.results.document, {"errors"}));
  return part;
}

std::string counts_part(const Json& backup) {
  if (!json::has(backup, {"status", "progress"})) return "";
  const auto total = json::int_or(backup, {"status", "progress", "totalItems"}, 0);
  const auto done = json::int_or(backup, {"status", "progress", "itemsBackedUp"}, 0);
  return api::phase_of<BackupPhase>(backup) == BackupPhase::kInProgress
             ? fmt::format("Estimated total items to be backed up:\t{}\nItems backed up so far:\t{}\n\n", total, done)
             : fmt::format("Total items to be backed up:\t{}\nItems backed up:\t{}\n\n", total, done);
}

// What Velero's servers do not say: they write no step.
std::string progress_part(const Json& backup, const Context& context) {
  if (context.called_as_velero() || is_over(backup) || !json::has(backup, {"status", "progress", "step"})) return "";
  const auto progress = api::read_item_progress(backup);
  if (!progress) return "";
  std::string part = "Progress:\n";
  if (progress->items.total) part += fmt::format("\tRemaining:\t{}\n", *progress->items.total - progress->items.done);
  return part + pace_lines(*progress, context.clock.wall_now()) + "\n";
}

std::string status_part(const BackupDescription& what, const Context& context) {
  const Json& backup = what.backup;
  const auto time = [&](std::string_view field, std::string_view none) {
    return time_or(api::status_time(backup, field), none);
  };
  std::string part = fmt::format("Backup Format Version:\t{}\n\n", text_at(backup, {"status", "formatVersion"}));
  part += fmt::format("Started:\t{}\nCompleted:\t{}\n\nExpiration:\t{}\n\n", time(api::field::kStartTimestamp, "<n/a>"),
                      time(api::field::kCompletionTimestamp, "<n/a>"), time(api::field::kExpiration, "<nil>"));
  part += counts_part(backup) + progress_part(backup, context);
  part += operations_part("Backup", backup, what.details, what.item_operations);
  if (what.resource_list.is_wanted) part += resource_list_part("Backup", what.resource_list) + "\n";
  part += backup_volumes_part(what, context);
  if (!json::has(backup, {"status", "hookStatus"})) return part;
  return part + fmt::format("\nHooksAttempted:\t{}\nHooksFailed:\t{}\n",
                            json::int_or(backup, {"status", "hookStatus", "hooksAttempted"}, 0),
                            json::int_or(backup, {"status", "hookStatus", "hooksFailed"}, 0));
}

std::string deletions_part(const std::vector<Json>& requests) {
  if (requests.empty()) return "";
  const std::size_t failed = failed_deletions(requests);
  std::string part = fmt::format("\nDeletion Attempts{}:\n", failed > 0 ? fmt::format(" ({} failed)", failed) : "");
  bool is_first = true;
  for (const Json& request : requests) {
    part += fmt::format("{}\t{}: {}\n", is_first ? "" : "\n",
                        time_or(k8s::ObjectView(request).creation_timestamp(), "<nil>"),
                        text_at(request, {"status", "phase"}));
    is_first = false;
    const Json* errors = json::find(request, {"status", "errors"});
    if (errors == nullptr || !errors->is_array() || errors->empty()) continue;
    part += "\tErrors:\n";
    for (const Json& error : *errors) part += fmt::format("\t\t{}\n", text_at(error, {}));
  }
  return part;
}

}  // namespace

std::size_t failed_deletions(const std::vector<Json>& requests) {
  return static_cast<std::size_t>(std::ranges::count_if(requests, [](const Json& request) {
    const Json* errors = json::find(request, {"status", "errors"});
    return api::phase_of<api::DeletionPhase>(request) == api::DeletionPhase::kProcessed && errors != nullptr &&
           !errors->empty();
  }));
}

std::string global_policies_of(const Json& backup) {
  return json::string_or(backup, {"metadata", "annotations", kGlobalPolicies}, "");
}

std::string describe_backup(const BackupDescription& what, const Context& context) {
  std::string text = metadata_part(what.backup, Paint(what.is_colorized)) + "\n" + phase_part(what, context);
  text += settings_part(what) + "\n" + results_part(what) + "\n";
  text += backup_spec_part(spec_of(what.backup)) + "\n" + status_part(what, context);
  return terminal::align_tabs(text + deletions_part(what.delete_requests));
}

}  // namespace landfall::cli
