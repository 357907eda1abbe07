#pragma once

#include <string>

#include "base/result.h"
#include "built_in_plugins/lazy_cluster.h"
#include "plugin_kit/plugin_kit.h"

namespace landfall::built_in_plugins {

// Velero's built-in actions on restores. The cluster outlives them.
Status add_restore_actions(plugin_kit::Plugins& plugins, LazyCluster& cluster, const std::string& domain);

}  // namespace landfall::built_in_plugins
