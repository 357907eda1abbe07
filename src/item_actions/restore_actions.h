#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/restore.h"
#include "base/log.h"
#include "extension/item_action.h"
#include "json/json_fwd.h"
#include "kube/client.h"
#include "kube/discovery.h"

namespace landfall::item_actions {

// What the built-in restore actions need to know. Client and spec outlive them.
struct RestoreActionContext {
  kube::Client& client;
  std::string name_space;  // the server's: its ConfigMaps set up some actions, and the Backup is there
  const api::RestoreSpec& spec;
  // Whose files are brought back; null: nobody's, and no pod is to wait for any.
  const std::vector<json::Json>* pod_volume_backups = nullptr;
  bool has_csi = false;  // EnableCSI: without it velero.io/csi-* are left out
  Logger log;            // hears what could not be done and does not fail an object
};

// Velero's built-in restore actions, in its order: by name. Only velero.io/init-restore-hook is elsewhere, in `hooks`.
// Make them anew for each restore: what they look up is kept. No server is asked during the call, but when an object
// needs it for the first time; the discovery is needed only during the call.
//
// What would do nothing in this restore is left out: the actions on bindings without a namespace mapping.
std::vector<std::unique_ptr<extension::RestoreItemAction>> built_in_restore_actions(const RestoreActionContext& context,
                                                                                    const kube::Discovery& discovery);

// All names, in order.
std::vector<std::string_view> built_in_restore_action_names();

}  // namespace landfall::item_actions
