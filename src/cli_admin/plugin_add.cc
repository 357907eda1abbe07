#include <algorithm>
#include <memory>
#include <string>

#include "base/quote.h"
#include "base/random.h"
#include "cli/cluster.h"
#include "cli/confirm.h"
#include "cli_admin/admin_commands.h"
#include "cli_admin/plugin_name.h"
#include "cli_admin/server_deployment.h"
#include "json/access.h"
#include "json/json.h"

namespace landfall::cli {
namespace {

using json::Json;

constexpr const char* kVolume = "plugins";

struct Flags {
  std::string image;
  std::string pull_policy = "IfNotPresent";
  bool confirm = false;
};

bool has(const Json& list, const char* field, const std::string& value) {
  return std::ranges::any_of(list, [&](const Json& one) { return json::string_or(one, {field}, "") == value; });
}

// The server finds its plugins in /plugins.
void ensure_volume(Json& deployment) {
  Json& volumes = pod_list(deployment, "volumes");
  if (has(volumes, "name", kVolume)) return;
  volumes.push_back({{"name", kVolume}, {"emptyDir", Json::object()}});
  for (Json& container : pod_list(deployment, "containers")) {
    if (json::string_or(container, {"name"}, "") != "velero") continue;
    if (!container["volumeMounts"].is_array()) container["volumeMounts"] = Json::array();
    container["volumeMounts"].push_back({{"name", kVolume}, {"mountPath", "/plugins"}});
  }
}

// A second one of a name gets another, as in Velero; which of two versions of a plugin is used is then up to chance, so
// we ask for the old one to be removed first.
Result<std::string> free_name(const Json& present, const std::string& image, const Context& context) {
  const std::string name = plugin_container_name(image);
  if (!has(present, "name", name)) return name;
  if (!context.called_as_velero()) {
    return fail(Code::kAlreadyExists, "the server has a plugin " + quote(name) + " already: remove it first with '" +
                                          context.program + " plugin remove " + name + "'");
  }
  constexpr std::size_t kRoom = 57;  // of 63 for a name, before "-xxxxx"
  while (true) {
    std::string another = name.substr(0, kRoom) + "-" + name_suffix(system_random());
    if (!has(present, "name", another)) return another;
  }
}

Status add(const Flags& flags, const GlobalFlags& global, const Context& context) {
  if (!flags.confirm) {
    TRY("", context.out.write(context.program +
                              " plugin add changes the server's Deployment, and so restarts the server.\n"));
    TRY_ASSIGN(const bool is_wanted, "", confirm(context));
    if (!is_wanted) return {};
  }
  TRY_ASSIGN(const auto cluster, "", Cluster::of(global, context));
  std::string name;
  const auto change = [&](Json& deployment) -> Status {
    ensure_volume(deployment);
    Json& present = pod_list(deployment, "initContainers");
    TRY_ASSIGN(name, "", free_name(present, flags.image, context));
    present.push_back({{"name", name},
                       {"image", flags.image},
                       {"imagePullPolicy", flags.pull_policy},
                       {"resources", Json::object()},
                       {"volumeMounts", Json::array({{{"name", kVolume}, {"mountPath", "/target"}}})}});
    return {};
  };
  TRY("", change_server_deployment(cluster->client(), global.namespace_name, change, context));
  if (context.called_as_velero()) return {};
  return context.out.write("Plugin " + quote(name) + " was added. The server restarts with it.\n");
}

}  // namespace

Command add_plugin_add(const Command& group, const std::string& word) {
  const auto flags = std::make_shared<Flags>();
  const Command command = group.leaf(word, "Add a plugin to the server, which restarts it");
  command.argument("IMAGE", flags->image, "The plugin's container image");
  command.choice("--image-pull-policy", flags->pull_policy, {"Always", "IfNotPresent", "Never"},
                 "When the image is fetched (IfNotPresent)");
  command.flag("--confirm", flags->confirm, "Do not ask");
  command.action([flags](const Context& context, const GlobalFlags& global) { return add(*flags, global, context); });
  return command;
}

}  // namespace landfall::cli
