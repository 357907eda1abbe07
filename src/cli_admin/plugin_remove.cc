#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/quote.h"
#include "base/strings.h"
#include "cli/cluster.h"
#include "cli_admin/admin_commands.h"
#include "cli_admin/server_deployment.h"
#include "json/access.h"
#include "json/json.h"

namespace landfall::cli {
namespace {

using json::Json;

Error not_found(const Json& present, const std::string& which) {
  std::vector<std::string> names;
  for (const Json& one : present) names.push_back(json::string_or(one, {"name"}, ""));
  return Error(Code::kNotFound, "plugin " + quote(which) + " not found in the server's Deployment; there are: " +
                                    (names.empty() ? "none" : join(names, ", ")));
}

Status remove(const std::string& which, const GlobalFlags& global, const Context& context) {
  TRY_ASSIGN(const auto cluster, "", Cluster::of(global, context));
  const auto change = [&](Json& deployment) -> Status {
    Json& present = pod_list(deployment, "initContainers");
    const auto found = std::ranges::find_if(present, [&](const Json& one) {
      return json::string_or(one, {"name"}, "") == which || json::string_or(one, {"image"}, "") == which;
    });
    if (found == present.end()) return tl::unexpected(not_found(present, which));
    present.erase(found);
    return {};
  };
  TRY("", change_server_deployment(cluster->client(), global.namespace_name, change, context));
  if (context.called_as_velero()) return {};
  return context.out.write("Plugin " + quote(which) + " was removed. The server restarts without it.\n");
}

}  // namespace

Command add_plugin_remove(const Command& group, const std::string& word) {
  const auto which = std::make_shared<std::string>();
  const Command command = group.leaf(word, "Remove a plugin from the server, which restarts it");
  command.argument("NAME|IMAGE", *which, "The plugin, by the name of its init container or by its image");
  command.action(
      [which](const Context& context, const GlobalFlags& global) { return remove(*which, global, context); });
  return command;
}

}  // namespace landfall::cli
