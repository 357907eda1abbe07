#include "cli/operation_words.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "api/phases.h"
#include "api/progress_fields.h"
#include "api/status.h"
#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "progress/format.h"
#include "terminal/text_width.h"

namespace landfall::cli {

using json::Json;
using progress::format_count;

namespace {

bool is_backup(const Json& operation) { return json::string_or(operation, {"kind"}, "") == api::kBackup.name; }

std::string phase_name(const Json& operation) { return api::status_text(operation, api::field::kPhase); }

std::string name_of(const Json& operation) { return terminal::printable(k8s::ObjectView(operation).name()); }

// "Restore x".
std::string subject_of(const Json& operation) {
  return fmt::format("{} {}", noun_of(operation).kind.name, name_of(operation));
}

// ": 53 items (50 created, 3 unchanged)", with "of 69" while something is left.
std::string handled_text(const Json& operation) {
  const auto progress = api::read_item_progress(operation);
  if (!progress || !progress->items.total) return "";
  const progress::ItemCounts& items = progress->items;
  const std::string of = items.done < *items.total ? " of " + format_count(*items.total) : "";
  const std::string outcomes = items.outcomes.sum() > 0 ? " (" + outcomes_text(items.outcomes) + ")" : "";
  return fmt::format(": {}{} items{}", format_count(items.done), of, outcomes);
}

std::string validation_text(const Json& operation) {
  const auto errors = json::string_list_at(operation, {"status", "validationErrors"});
  return errors && !errors->empty() ? ": " + terminal::printable(join(*errors, "; ")) : "";
}

// The phases that an operation ends in are the same four of both kinds.
bool is_in(const Json& operation, api::BackupPhase phase) { return phase_name(operation) == api::to_string(phase); }

}  // namespace

const Noun& noun_of(const Json& operation) { return is_backup(operation) ? kBackups : kRestores; }

std::string shown_phase(const Json& operation, const Context& context) {
  std::string phase = phase_name(operation);
  if (phase.empty()) phase = "New";
  if (api::is_canceled(operation) && !context.called_as_velero()) phase = "Canceled";
  return phase + (k8s::ObjectView(operation).is_being_deleted() ? " (Deleting)" : "");
}

bool is_new(const Json& operation) { return phase_name(operation).empty() || is_in(operation, api::BackupPhase::kNew); }

bool has_begun(const Json& operation) {
  return !is_new(operation) && !is_in(operation, api::BackupPhase::kQueued) &&
         !is_in(operation, api::BackupPhase::kReadyToStart);
}

bool is_over(const Json& operation) {
  if (is_backup(operation)) {
    const auto phase = api::phase_of<api::BackupPhase>(operation);
    return phase && api::is_final(*phase);
  }
  const auto phase = api::phase_of<api::RestorePhase>(operation);
  return phase && api::is_final(*phase);
}

bool is_completed(const Json& operation) { return is_in(operation, api::BackupPhase::kCompleted); }

std::string outcomes_text(const progress::OutcomeCounts& outcomes) {
  std::vector<std::string> parts;
  for (const auto& [count, word] : {std::pair(outcomes.created, "created"), std::pair(outcomes.updated, "updated"),
                                    std::pair(outcomes.unchanged, "unchanged"), std::pair(outcomes.skipped, "skipped"),
                                    std::pair(outcomes.failed, "failed")}) {
    if (count > 0) parts.push_back(format_count(count) + " " + word);
  }
  return parts.empty() ? "nothing" : join(parts, ", ");
}

std::string counted(std::int64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", format_count(count), count == 1 ? one : many);
}

std::string problems_text(const Json& operation) {
  std::vector<std::string> parts;
  if (const auto errors = api::status_count(operation, api::field::kErrors); errors > 0) {
    parts.push_back(counted(errors, "error", "errors"));
  }
  if (const auto warnings = api::status_count(operation, api::field::kWarnings); warnings > 0) {
    parts.push_back(counted(warnings, "warning", "warnings"));
  }
  return join(parts, ", ");
}

std::string ending_text(const Json& operation) {
  const std::string subject = subject_of(operation);
  if (api::is_canceled(operation)) {
    // Of a backup nothing is left.
    return subject + " was canceled" + (is_backup(operation) ? "" : handled_text(operation));
  }
  if (is_in(operation, api::BackupPhase::kFailedValidation)) {
    return fmt::format("{} was refused (FailedValidation){}", subject, validation_text(operation));
  }
  const std::string problems = problems_text(operation);
  const std::string rest = handled_text(operation) + (problems.empty() ? "" : ", " + problems);
  if (is_completed(operation)) {
    const bool is_preview = json::bool_or(operation, {"spec", "preview"}, false);
    return is_preview ? fmt::format("Preview {} completed; nothing was restored", name_of(operation))
                      : fmt::format("{} completed{}", subject, rest);
  }
  if (is_in(operation, api::BackupPhase::kPartiallyFailed)) {
    return fmt::format("{} completed with errors (PartiallyFailed){}", subject, rest);
  }
  const std::string why = api::status_text(operation, api::field::kFailureReason);
  return fmt::format("{} failed{}{}", subject, why.empty() ? "" : ": " + terminal::printable(why), rest);
}

Status ending_status(const Json& operation, const Context& context) {
  if (context.called_as_velero() || is_completed(operation)) return {};
  const std::string subject = fmt::format("{} {}", noun_of(operation).word, name_of(operation));
  if (api::is_canceled(operation)) return fail(Code::kCancelled, subject + " was canceled");
  if (is_in(operation, api::BackupPhase::kFailedValidation)) return fail(Code::kInvalid, subject + " was refused");
  return fail(Code::kInternal, subject + " did not go well: " + more_text(operation, context));
}

Status report_ending(const Json& operation, const Context& context) {
  if (context.called_as_velero()) {
    return context.out.write(fmt::format(
        "{0} completed with status: {1}. You may check for more information using the commands `velero {2} describe "
        "{3}` and `velero {2} logs {3}`.\n",
        noun_of(operation).kind.name, terminal::printable(phase_name(operation)), noun_of(operation).word,
        name_of(operation)));
  }
  TRY("", context.out.write(ending_text(operation) + "\n"));
  return ending_status(operation, context);
}

std::string more_text(const Json& operation, const Context& context) {
  return fmt::format("see '{0} {1} describe {2}' and '{0} {1} logs {2}'", context.program, noun_of(operation).word,
                     name_of(operation));
}

std::string watch_words(const Json& operation, const Context& context) {
  const std::string name_space(k8s::ObjectView(operation).name_space());
  return fmt::format(
      "{} {} watch {}{}", context.program, noun_of(operation).word, name_of(operation),
      name_space.empty() || name_space == api::kDefaultNamespace ? "" : " -n " + terminal::printable(name_space));
}

}  // namespace landfall::cli
