#include "built_in_plugins/built_in_plugins.h"

#include <string_view>
#include <vector>

#include "built_in_plugins/backup_plugins.h"
#include "built_in_plugins/lazy_cluster.h"
#include "built_in_plugins/restore_plugins.h"
#include "plugin_kit/plugin_kit.h"

namespace landfall::built_in_plugins {
namespace {

// Whose names the actions have. A Velero that has actions of these names itself refuses a second one of each.
constexpr const char* kDomain = "LANDFALL_PLUGIN_DOMAIN";

}  // namespace

bool is_called(int argc, char** argv) {
  const std::vector<std::string_view> words(argv, argv + argc);
  if (words.empty()) return false;
  const std::string_view name = words[0].substr(words[0].rfind('/') + 1);
  return name == "landfall-plugins" || (words.size() > 1 && words[1] == "run-plugins");
}

int run(int argc, char** argv) {
  std::unique_ptr<LazyCluster> cluster;
  return plugin_kit::serve(argc, argv, [&](plugin_kit::Plugins& plugins, const plugin_kit::Context& context) {
    cluster = std::make_unique<LazyCluster>(context.environment, context.clock, context.log);
    const std::string domain = context.environment.get_or(kDomain, "velero.io");
    for (const Status& added :
         {add_backup_actions(plugins, *cluster, domain), add_restore_actions(plugins, *cluster, domain)}) {
      if (!added) context.log.error("Actions cannot be offered", {LogField(added.error())});
    }
  });
}

}  // namespace landfall::built_in_plugins
