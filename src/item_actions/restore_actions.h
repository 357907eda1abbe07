#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/restore.h"
#include "extension/item_action.h"
#include "kube/client.h"
#include "kube/discovery.h"

namespace landfall::item_actions {

// What the built-in restore actions need to know. All of it outlives them.
struct RestoreActionContext {
  kube::Client& client;
  std::string name_space;  // the server's: its ConfigMaps set up some actions
  const api::RestoreSpec& spec;
  bool has_csi = false;  // EnableCSI: without it velero.io/csi-* are left out
};

// Velero's built-in restore actions, in its order: by name. velero.io/init-restore-hook is in `hooks`, and
// velero.io/pod-volume-restore with those who restore pod volumes. Make them anew for each restore: what they look up
// is kept.
std::vector<std::unique_ptr<extension::RestoreItemAction>> built_in_restore_actions(const RestoreActionContext& context,
                                                                                    const kube::Discovery& discovery);

// All names, in order.
std::vector<std::string_view> built_in_restore_action_names();

}  // namespace landfall::item_actions
