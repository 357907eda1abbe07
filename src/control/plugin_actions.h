#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "extension/item_action.h"

namespace landfall::control {

// What the items of a backup meet.
struct PluginBackupActions {
  std::vector<std::unique_ptr<extension::BackupItemAction>> items;
  std::vector<std::unique_ptr<extension::ItemBlockAction>> blocks;
};

// The item actions of plugins. Each call opens them for one use, and what they log goes to its logger; their processes
// end with the last of what is returned. An error means that a plugin does not say what it is for: then the operation
// cannot be done right. Thread-safe.
class PluginActions {
 public:
  PluginActions() = default;
  PluginActions(const PluginActions&) = delete;
  PluginActions& operator=(const PluginActions&) = delete;
  virtual ~PluginActions() = default;

  // Those that a backup runs with, in the same processes.
  virtual Result<PluginBackupActions> actions_of_backup(const Logger& log, const std::stop_token& stop) = 0;
  // For what they have started.
  virtual Result<std::vector<std::unique_ptr<extension::BackupItemAction>>> backup_actions(
      const Logger& log, const std::stop_token& stop) = 0;
  virtual Result<std::vector<std::unique_ptr<extension::RestoreItemAction>>> restore_actions(
      const Logger& log, const std::stop_token& stop) = 0;
  virtual Result<std::vector<std::unique_ptr<extension::DeleteItemAction>>> delete_actions(
      const Logger& log, const std::stop_token& stop) = 0;
};

}  // namespace landfall::control
