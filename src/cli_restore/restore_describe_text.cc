#include "cli_restore/restore_describe_text.h"

#include <fmt/format.h>

#include <cstdint>

#include "api/phases.h"
#include "api/progress_fields.h"
#include "api/status.h"
#include "base/strings.h"
#include "cli/describe_parts.h"
#include "cli_restore/restore_describe_volumes.h"
#include "cli_restore/restore_words.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/label_selector_json.h"
#include "k8s/object_view.h"
#include "progress/format.h"
#include "terminal/tab_text.h"
#include "terminal/text_width.h"

namespace landfall::cli {

using api::RestorePhase;
using json::Json;
using progress::format_count;

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

std::string pace_lines(const progress::ItemProgress& progress, WallTime now) {
  std::string part = fmt::format("\tStep:\t{}\n", progress::to_string(progress.step));
  if (!progress.current.empty()) part += fmt::format("\tNow:\t{}\n", terminal::printable(progress.current));
  if (progress.items_per_minute) {
    part += fmt::format("\tRate:\t{} items a minute\n", format_count(*progress.items_per_minute));
  }
  if (const auto& end = progress.estimated_completion) {
    const std::string in = *end > now ? fmt::format(" (in {})", progress::format_duration(*end - now)) : "";
    part += fmt::format("\tEstimated completion:\t{}{}\n", time_or(end, ""), in);
  }
  if (const auto& stall = progress.stalled) {
    const std::string why = stall->reason.empty() ? "the reason is not known" : stall->reason;
    const std::string item = stall->item.empty() ? "" : " (" + stall->item + ")";
    part += fmt::format("\tStalled:\tfor {}: {}\n", progress::format_duration(now - stall->since),
                        terminal::printable(why + item));
  }
  return part;
}

// What Velero's servers do not say.
std::string progress_part(const Json& restore, const Context& context) {
  if (context.called_as_velero() || !json::has(restore, {"status", "progress", "itemsInBackup"})) return "";
  const auto progress = api::read_item_progress(restore);
  if (!progress) return "";
  std::string part = "\nProgress:\n" + selection_lines(progress->items);
  return is_over(restore) ? part : part + pace_lines(*progress, context.clock.wall_now());
}

std::string validation_part(const Json& restore, const Paint& paint) {
  const auto errors = json::string_list_at(restore, {"status", "validationErrors"});
  if (!errors || errors->empty()) return "";
  std::string part = "\nValidation errors:";
  for (const std::string& error : *errors) part += "\t" + paint.red(terminal::printable(error)) + "\n";
  return part;
}

std::string results_part(const RestoreDescription& what) {
  if (!what.results.is_wanted) return "";
  if (!what.results.document) {
    return fmt::format("Warnings:\t<error getting warnings: {0}>\n\nErrors:\t<error getting errors: {0}>\n",
                       what.results.error.empty() ? "file not found" : terminal::printable(what.results.error));
  }
  const Json nothing = Json::object();
  const auto list = [&](std::string_view name) {
    const Json* found = json::find(*what.results.document, {name});
    return found == nullptr ? nothing : *found;
  };
  std::string part;
  if (api::status_count(what.restore, api::field::kWarnings) > 0) {
    part += "\n" + result_part("Warnings", list("warnings"));
  }
  if (api::status_count(what.restore, api::field::kErrors) > 0) part += "\n" + result_part("Errors", list("errors"));
  return part;
}

std::string or_selectors_text(const Json& restore) {
  const Json* selectors = json::find(restore, {"spec", "orLabelSelectors"});
  if (selectors == nullptr || !selectors->is_array() || selectors->empty()) return "<none>";
  std::vector<std::string> texts;
  for (const Json& selector : *selectors) texts.push_back(k8s::format_label_selector(&selector));
  return join(texts, " or ");
}

std::string filters_part(const Json& restore) {
  const std::string all = "all namespaces found in the backup";
  std::string included = list_or(restore, "includedNamespaces", all);
  if (included == "*") included = all;
  std::string part =
      fmt::format("\nBackup:\t{}\n", terminal::printable(json::string_or(restore, {"spec", "backupName"}, "")));
  part += fmt::format("\nNamespaces:\n\tIncluded:\t{}\n\tExcluded:\t{}\n", included,
                      list_or(restore, "excludedNamespaces", "<none>"));
  part += fmt::format("\nResources:\n\tIncluded:\t{}\n\tExcluded:\t{}\n\tCluster-scoped:\t{}\n",
                      list_or(restore, "includedResources", "*"), list_or(restore, "excludedResources", "<none>"),
                      tristate_text(restore, "includeClusterResources", "excluded", "included", "auto"));
  part += "\n" + map_part("Namespace mappings", json::find(restore, {"spec", "namespaceMapping"}));
  part += fmt::format("\nLabel selector:\t{}\n",
                      terminal::printable(k8s::format_label_selector(json::find(restore, {"spec", "labelSelector"}))));
  part += fmt::format("\nOr label selector:\t{}\n", terminal::printable(or_selectors_text(restore)));
  return part + fmt::format("\nRestore PVs:\t{}\n", tristate_text(restore, "restorePVs", "false", "true", "auto"));
}

std::string reference_part(const Json& restore, std::string_view field, std::string_view name) {
  if (!json::has(restore, {"spec", field})) return "";
  return fmt::format("\n{}:\n\tType:\t{}\n\tName:\t{}\n", name,
                     terminal::printable(json::string_or(restore, {"spec", field, "kind"}, "")),
                     terminal::printable(json::string_or(restore, {"spec", field, "name"}, "")));
}

std::string manner_part(const Json& restore) {
  std::string part =
      fmt::format("\nExisting Resource Policy: \t{}\nItemOperationTimeout:\t{}\n",
                  terminal::printable(json::string_or(restore, {"spec", "existingResourcePolicy"}, "<none>")),
                  terminal::printable(json::string_or(restore, {"spec", "itemOperationTimeout"}, "0s")));
  part += fmt::format("\nPreserve Service NodePorts:\t{}\n",
                      tristate_text(restore, "preserveNodePorts", "false", "true", "auto"));
  part += reference_part(restore, "resourceModifier", "Resource modifier");
  part += reference_part(restore, "resourcePolicy", "Resource policies");
  if (json::has(restore, {"spec", "uploaderConfig"})) {
    part += "\nUploader config:\n";
    if (json::bool_or(restore, {"spec", "uploaderConfig", "writeSparseFiles"}, false)) {
      part += "\tWrite Sparse Files:\ttrue\n";
    }
    const auto parallel = json::int_or(restore, {"spec", "uploaderConfig", "parallelFilesDownload"}, 0);
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

std::string resource_list_part(const RestoreDescription& what) {
  if (!what.resource_list.is_wanted) return "";
  if (!what.resource_list.error.empty()) {
    return fmt::format("\nResource List:\t<error getting restore resource list: {}>\n",
                       terminal::printable(what.resource_list.error));
  }
  if (!what.resource_list.document || !what.resource_list.document->is_object()) {
    return "\nResource List:\t<restore resource list not found>\n";
  }
  std::string part = "\nResource List:\n";
  for (const auto& [kind, names] : what.resource_list.document->items()) {
    part += fmt::format("\t{}:\n", terminal::printable(kind));
    if (!names.is_array()) continue;
    for (const Json& name : names)
      part += fmt::format("\t\t- {}\n", terminal::printable(json::string_or(name, {}, "")));
  }
  return part;
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
  text += progress_part(restore, context) + validation_part(restore, paint) + results_part(what);
  text += filters_part(restore) + volumes_part(what) + manner_part(restore);
  text += "\n" + operations_part(what) + hooks_part(restore) + resource_list_part(what);
  return terminal::align_tabs(text);
}

}  // namespace landfall::cli
