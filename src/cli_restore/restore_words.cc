#include "cli_restore/restore_words.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "api/progress_fields.h"
#include "api/status.h"
#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "progress/format.h"
#include "terminal/text_width.h"

namespace landfall::cli {

using api::RestorePhase;
using json::Json;
using progress::format_count;

namespace {

constexpr int kBarWidth = 24;

std::string counted(std::int64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", format_count(count), count == 1 ? one : many);
}

std::string name_of(const Json& restore) { return terminal::printable(k8s::ObjectView(restore).name()); }

// ": 53 items (50 created, 3 unchanged)", with "of 69" while something is left.
std::string handled_text(const Json& restore) {
  const auto progress = api::read_item_progress(restore);
  if (!progress || !progress->items.total) return "";
  const progress::ItemCounts& items = progress->items;
  const std::string of = items.done < *items.total ? " of " + format_count(*items.total) : "";
  const std::string outcomes = items.outcomes.sum() > 0 ? " (" + outcomes_text(items.outcomes) + ")" : "";
  return fmt::format(": {}{} items{}", format_count(items.done), of, outcomes);
}

std::string problems_text(const Json& restore) {
  std::string text;
  if (const auto errors = api::status_count(restore, api::field::kErrors); errors > 0) {
    text += ", " + counted(errors, "error", "errors");
  }
  if (const auto warnings = api::status_count(restore, api::field::kWarnings); warnings > 0) {
    text += ", " + counted(warnings, "warning", "warnings");
  }
  return text;
}

std::string validation_text(const Json& restore) {
  const auto errors = json::string_list_at(restore, {"status", "validationErrors"});
  return errors && !errors->empty() ? ": " + terminal::printable(join(*errors, "; ")) : "";
}

}  // namespace

std::string shown_phase(const Json& restore, const Context& context) {
  std::string phase = api::status_text(restore, api::field::kPhase);
  if (phase.empty()) phase = "New";
  if (api::is_canceled(restore) && !context.called_as_velero()) phase = "Canceled";
  return phase + (k8s::ObjectView(restore).is_being_deleted() ? " (Deleting)" : "");
}

bool is_over(const Json& restore) {
  const auto phase = api::phase_of<RestorePhase>(restore);
  return phase && api::is_final(*phase);
}

std::string outcomes_text(const progress::OutcomeCounts& outcomes) {
  std::vector<std::string> parts;
  for (const auto& [count, word] : {std::pair(outcomes.created, "created"), std::pair(outcomes.updated, "updated"),
                                    std::pair(outcomes.unchanged, "unchanged"), std::pair(outcomes.skipped, "skipped"),
                                    std::pair(outcomes.failed, "failed")}) {
    if (count > 0) parts.push_back(format_count(count) + " " + word);
  }
  return parts.empty() ? "nothing" : join(parts, ", ");
}

std::string ending_text(const Json& restore) {
  const std::string name = name_of(restore);
  const auto phase = api::phase_of<RestorePhase>(restore);
  if (api::is_canceled(restore)) return fmt::format("Restore {} was canceled{}", name, handled_text(restore));
  if (phase == RestorePhase::kFailedValidation) {
    return fmt::format("Restore {} was refused (FailedValidation){}", name, validation_text(restore));
  }
  const std::string rest = handled_text(restore) + problems_text(restore);
  if (phase == RestorePhase::kCompleted) {
    const bool is_preview = json::bool_or(restore, {"spec", "preview"}, false);
    return is_preview ? fmt::format("Preview {} completed; nothing was restored", name)
                      : fmt::format("Restore {} completed{}", name, rest);
  }
  if (phase == RestorePhase::kPartiallyFailed) {
    return fmt::format("Restore {} completed with errors (PartiallyFailed){}", name, rest);
  }
  const std::string why = api::status_text(restore, api::field::kFailureReason);
  return fmt::format("Restore {} failed{}{}", name, why.empty() ? "" : ": " + terminal::printable(why), rest);
}

Status ending_status(const Json& restore, const Context& context) {
  if (context.called_as_velero() || api::phase_of<RestorePhase>(restore) == RestorePhase::kCompleted) return {};
  const std::string name = name_of(restore);
  if (api::is_canceled(restore)) return fail(Code::kCancelled, "restore " + name + " was canceled");
  if (api::phase_of<RestorePhase>(restore) == RestorePhase::kFailedValidation) {
    return fail(Code::kInvalid, "restore " + name + " was refused");
  }
  return fail(Code::kInternal, "restore " + name + " did not go well: " + more_text(name, context));
}

std::string live_text(const progress::ItemProgress& progress, const Context& context) {
  std::string text = progress::format_line(progress, context.clock.wall_now());
  const progress::ItemCounts& items = progress.items;
  if (!context.err_terminal.is_terminal) return text;
  if (items.total) text = progress::format_bar(items.done, items.total, kBarWidth) + " " + text;
  // At the end, where a narrow terminal cuts it off first. Other steps have it in their line.
  if (progress.step == progress::ItemStep::kRestoringItems && !progress.current.empty() && !progress.stalled) {
    text += ", now " + progress.current;
  }
  return text;
}

std::string more_text(const std::string& name, const Context& context) {
  return fmt::format("see '{0} restore describe {1}' and '{0} restore logs {1}'", context.program, name);
}

}  // namespace landfall::cli
