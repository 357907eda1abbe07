#include <string>
#include <vector>

#include "cli/get_command.h"
#include "cli_admin/admin_commands.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::cli {
namespace {

std::vector<std::string> cells(const json::Json& location, const Context& /*context*/) {
  return {std::string(k8s::ObjectView(location).name()), json::string_or(location, {"spec", "provider"}, "")};
}

}  // namespace

// Velero takes --selector here and passes it over; it counts with us.
GetCommand snapshot_location_get() {
  return {.noun = kSnapshotLocations, .headers = {"Name", "Provider"}, .cells = cells};
}

Command add_snapshot_location_get(const Command& group, const std::string& word) {
  return add_get(group, word, snapshot_location_get());
}

}  // namespace landfall::cli
