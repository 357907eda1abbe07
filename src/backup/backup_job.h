#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "api/backup.h"
#include "backup/volume_takers.h"
#include "base/clock.h"
#include "base/log.h"
#include "extension/item_action.h"
#include "hooks/hook_runner.h"
#include "json/json_fwd.h"
#include "kube/client.h"
#include "kube/discovery.h"
#include "progress/item_reporter.h"
#include "selection/backup_filter.h"
#include "selection/resource_policies.h"

namespace landfall::backup {

// What to back up. Everything is borrowed.
struct BackupJob {
  const json::Json& backup;  // the Backup as it stands in the cluster, with its defaults filled in
  const api::BackupSpec& spec;
  const selection::BackupFilter& filter;
  const selection::ResourcePolicies& policies;
  const kube::Discovery& discovery;
};

// What to do it with. Everything that is referred to outlives the run.
struct BackupTools {
  kube::Client& client;
  Clock& clock;
  Logger log;  // the run's own: its errors and warnings decide how the backup ends
  progress::ItemReporter& progress;
  hooks::HookRunner& hooks;
  const std::vector<std::unique_ptr<extension::BackupItemAction>>& actions;
  PodVolumeTaker* pod_volumes = nullptr;
  SnapshotTaker* snapshots = nullptr;
  std::span<const std::unique_ptr<extension::ItemBlockAction>> block_actions = {};

  std::string spool_directory;
  int workers = 1;
  std::int64_t page_size = 500;
};

}  // namespace landfall::backup
