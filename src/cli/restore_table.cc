#include "cli/restore_table.h"

#include <fmt/format.h>

#include <optional>

#include "api/progress_fields.h"
#include "api/status.h"
#include "base/rfc3339.h"
#include "base/strings.h"
#include "cli/restore_words.h"
#include "cli/table.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/label_selector_json.h"
#include "k8s/object_view.h"
#include "progress/format.h"

namespace landfall::cli {

using json::Json;

namespace {

std::string time_text(std::optional<WallTime> time) { return time ? format_go_time(*time) : "<nil>"; }

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return text;
}

std::string last_part(const std::string& label) {
  const std::size_t slash = label.rfind('/');
  return slash == std::string::npos ? label : label.substr(slash + 1);
}

std::string labels_text(const k8s::StringMapView& labels) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : labels.copy()) parts.push_back(key + "=" + value);
  return parts.empty() ? "<none>" : join(parts, ",");
}

std::vector<std::string> progress_cells(const Json& restore, const Context& context) {
  const auto progress = api::read_item_progress(restore);
  if (!progress || !progress->items.total) return {"-", "-"};
  const progress::ItemCounts& items = progress->items;
  const auto& end = progress->estimated_completion;
  const WallTime now = context.clock.wall_now();
  return {fmt::format("{}/{} ({} %)", items.done, *items.total, progress::percent(items.done, *items.total)),
          end && *end > now && !is_over(restore) ? progress::format_duration(*end - now) : "-"};
}

std::vector<std::string> row(const Json& restore, const RestoreTableOptions& options, const Context& context) {
  const k8s::ObjectView view(restore);
  std::vector<std::string> cells = {
      std::string(view.name()),
      json::string_or(restore, {"spec", "backupName"}, ""),
      shown_phase(restore, context),
      time_text(api::status_time(restore, api::field::kStartTimestamp)),
      time_text(api::status_time(restore, api::field::kCompletionTimestamp)),
      std::to_string(api::status_count(restore, api::field::kErrors)),
      std::to_string(api::status_count(restore, api::field::kWarnings)),
      time_text(view.creation_timestamp()),
      k8s::format_label_selector(json::find(restore, {"spec", "labelSelector"})),
  };
  if (options.wide) {
    for (std::string& cell : progress_cells(restore, context)) cells.push_back(std::move(cell));
  }
  for (const std::string& label : options.label_columns) {
    cells.emplace_back(view.labels().get(label).value_or("<none>"));
  }
  if (options.show_labels) cells.push_back(labels_text(view.labels()));
  return cells;
}

}  // namespace

std::string restore_table(const std::vector<Json>& restores, const RestoreTableOptions& options,
                          const Context& context) {
  std::vector<std::string> headers = {"NAME",   "BACKUP",   "STATUS",  "STARTED", "COMPLETED",
                                      "ERRORS", "WARNINGS", "CREATED", "SELECTOR"};
  if (options.wide) headers.insert(headers.end(), {"PROGRESS", "LEFT"});
  for (const std::string& label : options.label_columns) headers.push_back(upper(last_part(label)));
  if (options.show_labels) headers.emplace_back("LABELS");
  Table table(std::move(headers));
  for (const Json& restore : restores) table.add(row(restore, options, context));
  return table.text();
}

}  // namespace landfall::cli
