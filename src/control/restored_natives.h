#pragma once

#include <string>

#include "control/plugin_transfer.h"
#include "volume_info/restored_rows.h"

namespace landfall::control {

// Puts into a volume's account how far its bytes are, by what was seen last; `resource` is the VolumePluginRestore that
// tells it, if there is one. What nobody speaks of is left as it is. Pure.
void add_sight(volume_info::RestoredNative& native, const std::string& resource, const TransferSight& sight);

}  // namespace landfall::control
