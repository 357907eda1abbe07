#include "cli_restore/restore_describe_text.h"

#include <fmt/format.h>

#include <cstdint>

#include "api/phases.h"
#include "api/progress_fields.h"
#include "api/status.h"
#include "cli/describe_files.h"
#include "cli/describe_parts.h"
#include "cli/describe_progress.h"
#include "cli/operation_words.h"
#include "cli_restore/restore_describe_volumes.h"
#include "cli_restore/restored_volumes_text.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "terminal/tab_text.h"
#include "terminal/text_width.h"

namespace landfall::cli {

using api::RestorePhase;
using json::Json;

namespace {

std::string phase_part(const RestoreDescription& what, const Context& context) {
  const Paint paint(what.is_colorized);
  const Json& restore = what.restore;
  const auto phase = api::phase_of<RestorePhase>(restore);
  std::string text = terminal::printable(shown_phase(restore, context));
  const bool is_bad = phase == RestorePhase::kFailed || phase == RestorePhase::kPartiallyFailed;
  if (phase == RestorePhase::kCompleted) text = paint.green(text);
  if (is_bad || phase == RestorePhase::kFailedValidation) text = paint.red(text);
  if (is_bad) {
    text += fmt::format(" (run '{} restore logs {}' for more information)", context.program,
                        terminal::printable(k8s::ObjectView(restore).name()));
  }
  std::string part = fmt::format("Phase:\t{}\n", text);
  if (!json::has(restore, {"status", "progress"})) return part;
  const std::int64_t total = json::int_or(restore, {"status", "progress", "totalItems"}, 0);
  const std::int64_t done = json::int_or(restore, {"status", "progress", "itemsRestored"}, 0);
  if (phase == RestorePhase::kInProgress) {
    return part + fmt::format("Estimated total items to be restored:\t{}\nItems restored so far:\t{}\n", total, done);
  }
  return part + fmt::format("Total items to be restored:\t{}\nItems restored:\t{}\n", total, done);
}

std::string reason_part(const Json& restore) {
  const std::string reason = api::status_text(restore, api::field::kFailureReason);
  return reason.empty() || api::is_canceled(restore)
             ? ""
             : fmt::format("Failure reason:\t{}\n", terminal::printable(reason));
}

std::string selection_lines(const progress::ItemCounts& items) {
  std::string part = fmt::format("\tItems in the backup:\t{}\n", items.in_backup);
  if (!items.total) return part;
  part += fmt::format("\tNot selected:\t{}\n", items.not_selected);
  for (const auto& [reason, count] : items.not_selected_by_reason) {
    part += fmt::format("\t  {}:\t{}\n", terminal::printable(reason), count);
  }
  if (items.not_in_backup > 0) part += fmt::format("\tAdded, not from the backup:\t{}\n", items.not_in_backup);
  const progress::OutcomeCounts& outcomes = items.outcomes;
  part += fmt::format("\tCreated:\t{}\n\tUpdated:\t{}\n\tUnchanged:\t{}\n\tSkipped:\t{}\n\tFailed:\t{}\n",
                      outcomes.created, outcomes.updated, outcomes.unchanged, outcomes.skipped, outcomes.failed);
  return part + fmt::format("\tRemaining:\t{}\n", *items.total - items.done);
}

// What Velero's servers do not say.
std::string progress_part(const Json& restore, const Context& context) {
  if (context.called_as_velero() || !json::has(restore, {"status", "progress", "itemsInBackup"})) return "";
  const auto progress = api::read_item_progress(restore);
  if (!progress) return "";
  std::string part = "\nProgress:\n" + selection_lines(progress->items);
  return is_over(restore) ? part : part + pace_lines(*progress, context.clock.wall_now());
}

std::string results_part(const RestoreDescription& what) {
  if (!what.results.is_wanted) return "";
  if (!what.results.document) {
    return fmt::format("Warnings:\t<error getting warnings: {0}>\n\nErrors:\t<error getting errors: {0}>\n",
                       what.results.why_not());
  }
  std::string part;
  if (api::status_count(what.restore, api::field::kWarnings) > 0) {
    part += "\n" + result_part("Warnings", json::find(*what.results.document, {"warnings"}));
  }
  if (api::status_count(what.restore, api::field::kErrors) > 0) {
    part += "\n" + result_part("Errors", json::find(*what.results.document, {"errors"}));
  }
  return part;
}

std::string filters_part(const Json& restore) {
  const Json& spec = spec_of(restore);
  const std::string all = "all namespaces found in the backup";
  std::string included = list_or(spec, "includedNamespaces", all);
  if (included == "*") included = all;
  std::string part = fmt::format("\nBackup:\t{}\n", text_at(spec, {"backupName"}));
  part += fmt::format("\nNamespaces:\n\tIncluded:\t{}\n\tExcluded:\t{}\n", included,
                      list_or(spec, "excludedNamespaces", "<none>"));
  part += fmt::format("\nResources:\n\tIncluded:\t{}\n\tExcluded:\t{}\n\tCluster-scoped:\t{}\n",
                      list_or(spec, "includedResources", "*"), list_or(spec, "excludedResources", "<none>"),
                      tristate_text(spec, "includeClusterResources", "excluded", "included", "auto"));
  part += "\n" + map_part("Namespace mappings", json::find(spec, {"namespaceMapping"}));
  part +=
      fmt::format("\nLabel selector:\t{}\n\nOr label selector:\t{}\n", selector_text(spec), or_selectors_text(spec));
  return part + fmt::format("\nRestore PVs:\t{}\n", tristate_text(spec, "restorePVs", "false", "true", "auto"));
}

std::string manner_part(const Json& restore) {
  const Json& spec = spec_of(restore);
  const std::string policy = text_at(spec, {"existingResourcePolicy"});
  std::string part = fmt::format("\nExisting Resource Policy: \t{}\nItemOperationTimeout:\t{}\n",
                                 policy.empty() ? "<none>" : policy, duration_text(spec, "itemOperationTimeout"));
  part += fmt::format("\nPreserve Service NodePorts:\t{}\n",
                      tristate_text(spec, "preserveNodePorts", "false", "true", "auto"));
  part += apart(reference_part("Resource modifier", spec, "resourceModifier"));
  part += apart(reference_part("Resource policies", spec, "resourcePolicy"));
  if (json::has(spec, {"uploaderConfig"})) {
    part += "\nUploader config:\n";
    if (json::bool_or(spec, {"uploaderConfig", "writeSparseFiles"}, false)) part += "\tWrite Sparse Files:\ttrue\n";
    const auto parallel = json::int_or(spec, {"uploaderConfig", "parallelFilesDownload"}, 0);
    if (parallel > 0) part += fmt::format("\tParallel Restore:\t{}\n", parallel);
  }
  return part;
}

std::string hooks_part(const Json& restore) {
  if (!json::has(restore, {"status", "hookStatus"})) return "";
  return fmt::format("\nHooksAttempted: \t{}\nHooksFailed: \t{}\n",
                     json::int_or(restore, {"status", "hookStatus", "hooksAttempted"}, 0),
                     json::int_or(restore, {"status", "hookStatus", "hooksFailed"}, 0));
}

}  // namespace

std::string describe_restore(const RestoreDescription& what, const Context& context) {
  const Json& restore = what.restore;
  const Paint paint(what.is_colorized);
  std::string text = metadata_part(restore, paint) + "\n" + phase_part(what, context);
  if (!context.called_as_velero()) text += reason_part(restore);
  text += fmt::format("\nStarted:\t{}\nCompleted:\t{}\n",
                      time_or(api::status_time(restore, api::field::kStartTimestamp), "<n/a>"),
                      time_or(api::status_time(restore, api::field::kCompletionTimestamp), "<n/a>"));
  text += progress_part(restore, context) + apart(validation_part(restore, paint)) + results_part(what);
  text += filters_part(restore) + volumes_part(what);
  if (!context.called_as_velero()) {
    const WallTime now = context.clock.wall_now();
    text += plugin_volumes_part(what, now) + restored_volumes_part(what, now);
  }
  text += manner_part(restore);
  text += "\n" + operations_part("Restore", restore, what.details, what.item_operations) + hooks_part(restore);
  if (what.resource_list.is_wanted) text += "\n" + resource_list_part("Restore", what.resource_list);
  return terminal::align_tabs(text);
}

}  // namespace landfall::cli
