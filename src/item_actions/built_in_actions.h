#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "extension/item_action.h"
#include "kube/client.h"
#include "kube/discovery.h"

namespace landfall::item_actions {

// All names, in Velero's order.
inline constexpr std::array<std::string_view, 4> kBuiltInBackupActions = {
    "velero.io/crd-remap-version", "velero.io/pod", "velero.io/pv", "velero.io/service-account"};

// Velero's built-in actions, in its order: by name. Make them anew for each backup: what they look up is kept.
//
// What would do nothing on this server is left out, so that its kinds pass through as raw bytes: on Kubernetes 1.22 and
// later that is velero.io/crd-remap-version. The client must outlive the actions; the discovery is needed only during
// the call.
std::vector<std::unique_ptr<extension::BackupItemAction>> built_in_backup_actions(kube::Client& client,
                                                                                  const kube::Discovery& discovery);

}  // namespace landfall::item_actions
