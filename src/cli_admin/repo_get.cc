#include <string>
#include <vector>

#include "api/status.h"
#include "base/rfc3339.h"
#include "cli/get_command.h"
#include "cli_admin/admin_commands.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::cli {
namespace {

std::vector<std::string> cells(const json::Json& repository, const Context& /*context*/) {
  const std::string phase = api::status_text(repository, api::field::kPhase);
  const auto maintained = api::status_time(repository, "lastMaintenanceTime");
  return {std::string(k8s::ObjectView(repository).name()), phase.empty() ? "New" : phase,
          maintained ? format_go_time(*maintained) : "<never>"};
}

}  // namespace

Command add_repo_get(const Command& group, const std::string& word) {
  return add_get(group, word,
                 {.noun = kRepositories,
                  .headers = {"Name", "Status", "Last Maintenance"},
                  .cells = cells,
                  .is_of_all_namespaces = true});
}

}  // namespace landfall::cli
