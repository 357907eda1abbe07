#include "server/plugin_parts.h"

#include <map>
#include <string>
#include <utility>

#include "location/snapshot_location.h"

namespace landfall::server {
namespace {

// Plugins write their resources where this says; the server's namespace may come from a flag alone.
std::map<std::string, std::string> environment_of(const ServerOptions& options, const Environment& environment) {
  auto variables = environment.all();
  variables["VELERO_NAMESPACE"] = options.name_space;
  return variables;
}

}  // namespace

PluginParts::PluginParts(const ServerOptions& options, const Environment& environment, Clock& clock,
                         io::ProcessRunner& processes, Logger log)
    : options_(options),
      log_(std::move(log)),
      without_csi_(!has_feature(options, kFeatureCsi)),
      host_({.environment = environment_of(options, environment),
             .temp_dir = environment.get_or("TMPDIR", "/tmp"),
             .log_level = options.log_level,
             .features = options.features},
            clock, processes) {}

void PluginParts::discover(const std::stop_token& stop) {
  auto registry = std::make_shared<const plugin::Registry>(host_.discover(options_.plugin_dir, log_, stop));
  found_.with([&](Found& found) { found = {.registry = std::move(registry), .stop = stop}; });
}

plugin::Session PluginParts::session(const Logger& log) const { return host_.session(*found_.copy().registry, log); }

location::World PluginParts::with_plugins(location::World world) {
  world.open_plugin_store = [this](const std::string& provider, const location::Config& config, const Logger& log) {
    return session(log).object_store(provider, config, found_.copy().stop);
  };
  world.open_plugin_snapshotter = [this](const std::string& provider, const location::Config& config,
                                         const Logger& log) {
    return session(log).volume_snapshotter(provider, config, found_.copy().stop);
  };
  for (const std::string& provider : options_.object_store_plugins) {
    world.plugin_stores.insert(location::full_provider(provider));
  }
  return world;
}

std::vector<control::ServerStatusReconciler::Plugin> PluginParts::listed() const {
  std::vector<control::ServerStatusReconciler::Plugin> all;
  for (const plugin::PluginId& one : found_.copy().registry->plugins) {
    all.push_back({.name = one.name, .kind = one.kind});
  }
  return all;
}

Result<control::PluginBackupActions> PluginParts::actions_of_backup(const Logger& log, const std::stop_token& stop) {
  plugin::Session opened = session(log);
  control::PluginBackupActions actions;
  TRY_ASSIGN(actions.items, "", opened.backup_item_actions(without_csi_, stop));
  TRY_ASSIGN(actions.blocks, "", opened.item_block_actions(without_csi_, stop));
  return actions;
}

Result<std::vector<std::unique_ptr<extension::BackupItemAction>>> PluginParts::backup_actions(
    const Logger& log, const std::stop_token& stop) {
  return session(log).backup_item_actions(without_csi_, stop);
}

Result<std::vector<std::unique_ptr<extension::RestoreItemAction>>> PluginParts::restore_actions(
    const Logger& log, const std::stop_token& stop) {
  return session(log).restore_item_actions(without_csi_, stop);
}

Result<std::vector<std::unique_ptr<extension::DeleteItemAction>>> PluginParts::delete_actions(
    const Logger& log, const std::stop_token& stop) {
  return session(log).delete_item_actions(without_csi_, stop);
}

}  // namespace landfall::server
