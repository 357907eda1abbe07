#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "extension/volume_snapshotter.h"
#include "plugin/plugin_host.h"
#include "plugin/process_slot.h"

namespace landfall::plugin {

// The snapshotter of a location, through a plugin. Initialises it.
Result<std::unique_ptr<extension::VolumeSnapshotter>> open_snapshotter(std::shared_ptr<ProcessSlot> slot,
                                                                       const std::string& name, const Config& config,
                                                                       Duration first_call_limit,
                                                                       const std::stop_token& stop);

}  // namespace landfall::plugin
