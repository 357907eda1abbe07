#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "api/restore.h"
#include "base/clock.h"
#include "base/log.h"
#include "control/plugin_actions.h"
#include "control/pod_volume_settings.h"
#include "control/snapshotters.h"
#include "extension/item_action.h"
#include "io/log_sink.h"
#include "item_actions/restore_actions.h"
#include "kube/discovery.h"
#include "restore/restore_job.h"

namespace landfall::control {

// The item actions of a restore, made anew for each: those that are built in. What the context
// refers to outlives them.
using MakeActionsOfRestore = std::function<std::vector<std::unique_ptr<extension::RestoreItemAction>>(
    const item_actions::RestoreActionContext& context, const kube::Discovery& discovery)>;

// How this server restores: what its flags say.
struct RestoreSettings {
  api::RestoreDefaults defaults;
  Duration operation_sync_frequency = std::chrono::seconds(10);
  restore::RestoreOptions engine;  // version_priorities are read for each restore
  io::LogFormat log_format = io::LogFormat::kText;
  LogLevel log_level = LogLevel::kInfo;

  std::optional<PodVolumeSettings> pod_volumes;  // none: there are no node agents
  std::shared_ptr<SnapshotSessions> snapshots;   // none: no volumes are made of snapshots; shared by all reconcilers

  // None: no actions but velero.io/init-restore-hook, which is always among them.
  MakeActionsOfRestore make_actions;
  PluginActions* plugins = nullptr;  // whose actions are among them
};

}  // namespace landfall::control
