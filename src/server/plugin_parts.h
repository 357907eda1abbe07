#pragma once

#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/guarded.h"
#include "control/plugin_actions.h"
#include "control/server_status_reconciler.h"
#include "location/drivers.h"
#include "plugin/plugin_host.h"
#include "server/options.h"

namespace landfall::server {

// What the server needs of plugins: which there are, and one Session for each use of them. Thread-safe.
class PluginParts final : public control::PluginActions {
 public:
  // What is referred to is borrowed.
  PluginParts(const ServerOptions& options, const Environment& environment, Clock& clock, io::ProcessRunner& processes,
              Logger log);

  // Looks into --plugin-dir, once. Before that there are no plugins. The stop is the server's: it ends what opens
  // something.
  void discover(const std::stop_token& stop);

  // The same world, in which plugins are there. Not to outlive this.
  location::World with_plugins(location::World world);
  // What `velero plugin get` shows of them.
  std::vector<control::ServerStatusReconciler::Plugin> listed() const;

  Result<control::PluginBackupActions> actions_of_backup(const Logger& log, const std::stop_token& stop) override;
  Result<std::vector<std::unique_ptr<extension::BackupItemAction>>> backup_actions(
      const Logger& log, const std::stop_token& stop) override;
  Result<std::vector<std::unique_ptr<extension::RestoreItemAction>>> restore_actions(
      const Logger& log, const std::stop_token& stop) override;
  Result<std::vector<std::unique_ptr<extension::DeleteItemAction>>> delete_actions(
      const Logger& log, const std::stop_token& stop) override;

 private:
  struct Found {
    std::shared_ptr<const plugin::Registry> registry = std::make_shared<const plugin::Registry>();
    std::stop_token stop;
  };

  plugin::Session session(const Logger& log) const;

  const ServerOptions& options_;
  const Logger log_;
  const bool without_csi_;
  const plugin::Host host_;
  Guarded<Found> found_;
};

}  // namespace landfall::server
