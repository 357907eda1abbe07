#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "extension/object_store.h"
#include "plugin/plugin_host.h"
#include "plugin/process_slot.h"

namespace landfall::plugin {

// The bucket of a location, through a plugin. Initialises it.
Result<std::unique_ptr<extension::ObjectStore>> open_object_store(std::shared_ptr<ProcessSlot> slot,
                                                                  const std::string& name, const Config& config,
                                                                  Duration first_call_limit,
                                                                  const std::stop_token& stop);

}  // namespace landfall::plugin
