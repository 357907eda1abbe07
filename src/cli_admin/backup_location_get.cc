#include <memory>
#include <string>
#include <vector>

#include "api/status.h"
#include "cli/get_command.h"
#include "cli_admin/admin_commands.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::cli {
namespace {

using json::Json;

std::string or_else(std::string text, std::string_view fallback) { return text.empty() ? std::string(fallback) : text; }

std::vector<std::string> cells(const Json& location, const Context& /*context*/) {
  const std::string prefix = json::string_or(location, {"spec", "objectStorage", "prefix"}, "");
  const auto validated = api::status_time(location, api::field::kLastValidationTime);
  return {std::string(k8s::ObjectView(location).name()),
          json::string_or(location, {"spec", "provider"}, ""),
          json::string_or(location, {"spec", "objectStorage", "bucket"}, "") + (prefix.empty() ? "" : "/" + prefix),
          or_else(api::status_text(location, api::field::kPhase), "Unknown"),
          validated ? time_cell(validated) : "Unknown",
          or_else(json::string_or(location, {"spec", "accessMode"}, ""), "ReadWrite"),
          json::bool_or(location, {"spec", "default"}, false) ? "true" : ""};
}

}  // namespace

GetCommand backup_location_get() {
  const auto default_only = std::make_shared<bool>(false);
  return {
      .noun = kBackupLocations,
      .headers = {"Name", "Provider", "Bucket/Prefix", "Phase", "Last Validated", "Access Mode", "Default"},
      .cells = cells,
      .add_flags =
          [default_only](const Command& command) { command.flag("--default", *default_only, "Only the default one"); },
      .keeps =
          [default_only](const Json& location) {
            return !*default_only || json::bool_or(location, {"spec", "default"}, false);
          }};
}

Command add_backup_location_get(const Command& group, const std::string& word) {
  return add_get(group, word, backup_location_get());
}

}  // namespace landfall::cli
