#include <string>
#include <vector>

#include "api/status.h"
#include "cli/get_cells.h"
#include "cli/get_command.h"
#include "cli/operation_words.h"
#include "cli_restore/restore_commands.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/label_selector_json.h"
#include "k8s/object_view.h"

namespace landfall::cli {
namespace {

using json::Json;

std::vector<std::string> cells(const Json& restore, const Context& context) {
  const k8s::ObjectView view(restore);
  return {
      std::string(view.name()),
      json::string_or(restore, {"spec", "backupName"}, ""),
      shown_phase(restore, context),
      time_cell(api::status_time(restore, api::field::kStartTimestamp)),
      time_cell(api::status_time(restore, api::field::kCompletionTimestamp)),
      std::to_string(api::status_count(restore, api::field::kErrors)),
      std::to_string(api::status_count(restore, api::field::kWarnings)),
      time_cell(view.creation_timestamp()),
      k8s::format_label_selector(json::find(restore, {"spec", "labelSelector"})),
  };
}

// As Velero does it, in documents as well.
void mark_deleting(Json& restore) {
  if (!k8s::ObjectView(restore).is_being_deleted()) return;
  restore["status"]["phase"] = json::string_or(restore, {"status", "phase"}, "") + " (Deleting)";
}

}  // namespace

GetCommand restore_get() {
  return {.noun = kRestores,
          .headers = {"Name", "Backup", "Status", "Started", "Completed", "Errors", "Warnings", "Created", "Selector"},
          .cells = cells,
          .wide_headers = {"Progress", "Left"},
          .wide_cells = progress_cells,
          .mark = mark_deleting};
}

Command add_restore_get(const Command& group, const std::string& word) { return add_get(group, word, restore_get()); }

}  // namespace landfall::cli
