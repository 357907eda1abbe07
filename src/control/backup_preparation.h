#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "api/backup.h"
#include "control/backup_settings.h"
#include "control/context.h"
#include "control/locations.h"
#include "json/json.h"
#include "kube/discovery.h"
#include "selection/backup_filter.h"
#include "selection/resource_policies.h"

namespace landfall::control {

// A Backup that has been looked at: with its defaults and what follows from the cluster written in, as Velero does, so
// that users see what is done.
struct PreparedBackup {
  json::Json backup;
  std::vector<std::string> problems;  // for status.validationErrors; without any, the rest is there
  std::vector<std::string> warnings;  // for the log of the run
  bool is_location_away = false;      // one of the problems is that, and it may pass

  api::BackupSpec spec;
  std::optional<FoundLocation> location;
  std::shared_ptr<const kube::Discovery> discovery;
  selection::ResourcePolicies policies;
  std::optional<selection::BackupFilter> filter;
};

// Checks all that can be checked before anything is started. An error is one of the cluster, and worth another try.
Result<PreparedBackup> prepare_backup(const Context& context, const BackupSettings& settings,
                                      kube::DiscoveryCache& discovery, json::Json backup, const std::stop_token& stop);

}  // namespace landfall::control
