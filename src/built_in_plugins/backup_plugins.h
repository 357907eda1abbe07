#pragma once

#include <string>

#include "base/result.h"
#include "built_in_plugins/lazy_cluster.h"
#include "plugin_kit/plugin_kit.h"

namespace landfall::built_in_plugins {

// "velero.io/pod" of the domain "velero.io" and the action "velero.io/pod".
std::string name_in(const std::string& domain, const std::string& name);

// Velero's built-in actions on backups. The cluster outlives them.
Status add_backup_actions(plugin_kit::Plugins& plugins, LazyCluster& cluster, const std::string& domain);

}  // namespace landfall::built_in_plugins
