#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "control/context.h"
#include "control/locations.h"
#include "control/restore_settings.h"
#include "json/json.h"
#include "kube/discovery.h"
#include "modifiers/resource_modifiers.h"
#include "selection/resource_policies.h"
#include "selection/restore_filter_spec.h"

namespace landfall::control {

// A Restore that has been looked at: with its defaults and what follows from its backup written in, as Velero does, so
// that users see what is done.
struct PreparedRestore {
  json::Json restore;
  std::vector<std::string> problems;  // for status.validationErrors; without any, the rest is there
  std::vector<std::string> warnings;  // for the log of the run
  bool is_location_away = false;      // one of the problems is that, and it may pass

  json::Json backup;
  std::optional<FoundLocation> location;  // of the backup
  std::shared_ptr<const kube::Discovery> discovery;
  selection::RestoreFilterSpec filter;
  std::optional<selection::ResourcePolicies> policies;
  std::optional<modifiers::ResourceModifiers> modifiers;
};

// Checks all that can be checked before anything is started. An error is one of the cluster, and worth another try.
// One that an earlier server has begun names its backup already, whatever it was asked for by.
Result<PreparedRestore> prepare_restore(const Context& context, const RestoreSettings& settings,
                                        kube::DiscoveryCache& discovery, json::Json restore, bool is_second_try,
                                        const std::stop_token& stop);

}  // namespace landfall::control
