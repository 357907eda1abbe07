#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api/backup.h"
#include "base/log.h"
#include "control/plugin_actions.h"
#include "control/pod_volume_settings.h"
#include "control/snapshotters.h"
#include "extension/item_action.h"
#include "io/log_sink.h"
#include "kube/client.h"
#include "kube/discovery.h"

namespace landfall::control {

// The item actions of a backup, made anew for each: those that are built in.
using MakeBackupActions = std::function<std::vector<std::unique_ptr<extension::BackupItemAction>>(
    kube::Client& client, const kube::Discovery& discovery)>;

// How this server makes backups: what its flags say.
struct BackupSettings {
  api::BackupDefaults defaults;
  std::string default_location = "default";
  std::map<std::string, std::string> default_snapshot_locations;  // by provider
  std::string global_policies;                                    // a ConfigMap of the server's namespace; may be empty
  Duration resource_timeout = std::chrono::minutes(10);
  Duration operation_sync_frequency = std::chrono::seconds(10);
  std::int64_t page_size = 500;
  int workers = 0;  // 0: one for each processor
  std::string spool_directory = "/tmp";
  io::LogFormat log_format = io::LogFormat::kText;
  LogLevel log_level = LogLevel::kInfo;

  MakeBackupActions make_actions;                // none: no actions
  PluginActions* plugins = nullptr;              // whose actions come after those
  std::optional<PodVolumeSettings> pod_volumes;  // none: there are no node agents
  std::shared_ptr<SnapshotSessions> snapshots;   // none: this server takes no snapshots; shared by all reconcilers
};

}  // namespace landfall::control
