#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "api/restore.h"
#include "base/clock.h"
#include "base/log.h"
#include "extension/item_action.h"
#include "io/log_sink.h"
#include "item_actions/restore_actions.h"
#include "kube/discovery.h"
#include "restore/restore_job.h"
#include "selection/restore_priorities.h"

namespace landfall::control {

// The item actions of a restore, made anew for each: those that are built in, later those of plugins. What the context
// refers to outlives them.
using MakeActionsOfRestore = std::function<std::vector<std::unique_ptr<extension::RestoreItemAction>>(
    const item_actions::RestoreActionContext& context, const kube::Discovery& discovery)>;

// How this server restores: what its flags say.
struct RestoreSettings {
  api::RestoreDefaults defaults;
  Duration resource_timeout = std::chrono::minutes(10);
  Duration terminating_timeout = std::chrono::minutes(10);
  Duration operation_sync_frequency = std::chrono::seconds(10);
  selection::RestorePriorities priorities = selection::RestorePriorities::defaults();
  restore::ManagedFields managed_fields = restore::ManagedFields::kApplied;
  bool chooses_versions = false;  // feature EnableAPIGroupVersions
  bool has_csi = false;           // feature EnableCSI
  int workers = 64;
  std::string spool_directory = "/tmp";
  io::LogFormat log_format = io::LogFormat::kText;
  LogLevel log_level = LogLevel::kInfo;

  // None: no actions but velero.io/init-restore-hook, which is always among them.
  MakeActionsOfRestore make_actions;
};

}  // namespace landfall::control
