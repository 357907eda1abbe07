#pragma once

#include <memory>

#include "extension/item_action.h"
#include "item_actions/restore_plugin_configs.h"

namespace landfall::item_actions {

// "velero.io/change-image-name": renames container images, also in pod templates. Each value of its ConfigMap is
// "OLD,NEW"; the first whose OLD is part of an image's name replaces all its occurrences by NEW. The order is that of
// the ConfigMap's keys, where Velero's is by chance. Values without a comma or without OLD or NEW are ignored.
std::unique_ptr<extension::RestoreItemAction> make_restore_image_action(std::shared_ptr<PluginConfigs> configs);

}  // namespace landfall::item_actions
