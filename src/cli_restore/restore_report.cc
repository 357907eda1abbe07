#include "cli_restore/restore_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "cli/operation_words.h"
#include "json/access.h"
#include "json/json.h"
#include "progress/format.h"
#include "terminal/text_width.h"

namespace landfall::cli {

using json::Json;
using progress::format_count;

namespace {

constexpr std::size_t kMostNamed = 20;

std::string verdict(const LocalRestore::Outcome& outcome) {
  if (outcome.product.is_cut_off) return "was canceled";
  return outcome.product.results.errors.empty() ? "completed" : "completed with errors";
}

std::string items_text(const progress::ItemCounts& items) {
  const std::int64_t total = items.total.value_or(0);
  std::string text = fmt::format("  {} of {} items: {}\n", format_count(items.done), format_count(total),
                                 outcomes_text(items.outcomes));
  if (items.done < total) text += fmt::format("  {} items were not begun\n", format_count(total - items.done));
  if (items.not_selected == 0) return text;
  std::string list;
  for (const auto& [reason, count] : items.not_selected_by_reason) {
    list += fmt::format("{}{} {}", list.empty() ? "" : ", ", format_count(count), reason);
  }
  return text + fmt::format("  {} items of the backup were not selected: {}\n", format_count(items.not_selected),
                            terminal::printable(list));
}

void collect(const Json* texts, std::string_view where, std::vector<std::string>& lines) {
  if (texts == nullptr || !texts->is_array()) return;
  for (const Json& text : *texts) {
    lines.push_back(terminal::printable(fmt::format("{}{}", where, json::string_or(text, {}, ""))));
  }
}

// A block of warnings or errors, sorted by where they belong.
std::string list_text(std::string_view heading, const operation::ResultList& list, bool details) {
  if (list.empty()) return "";
  const Json document = list.to_json();
  std::vector<std::string> lines;
  collect(json::find(document, {"velero"}), "", lines);
  collect(json::find(document, {"cluster"}), "", lines);
  if (const Json* namespaces = json::find(document, {"namespaces"}); namespaces != nullptr && namespaces->is_object()) {
    for (const auto& [name, texts] : namespaces->items()) collect(&texts, name + ": ", lines);
  }
  std::string text = fmt::format("{} ({}):\n", heading, format_count(list.count()));
  const std::size_t shown = details ? lines.size() : std::min(lines.size(), kMostNamed);
  for (std::size_t i = 0; i < shown; ++i) text += "  " + lines[i] + "\n";
  if (const auto rest = list.count() - static_cast<std::int64_t>(shown); rest > 0) {
    text += fmt::format("  and {} more: the log has them all\n", format_count(rest));
  }
  return text;
}

}  // namespace

std::string restore_report(const LocalRestore::Outcome& outcome, const RestoreReportOptions& options) {
  std::string text = fmt::format("Restore {} of backup {} {}\n", terminal::printable(options.name),
                                 terminal::printable(options.backup), verdict(outcome));
  text += items_text(outcome.progress.items);
  if (outcome.hooks.attempted > 0) {
    text += fmt::format("  {} hooks were run, {} failed\n", outcome.hooks.attempted, outcome.hooks.failed);
  }
  text += list_text("Warnings", outcome.product.results.warnings, options.details);
  text += list_text("Errors", outcome.product.results.errors, options.details);
  return text + "Log: " + terminal::printable(options.log_path) + "\n";
}

}  // namespace landfall::cli
