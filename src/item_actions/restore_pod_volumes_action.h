#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/log.h"
#include "extension/item_action.h"
#include "item_actions/restore_plugin_configs.h"
#include "json/json_fwd.h"
#include "kube/client.h"

namespace landfall::item_actions {

// "velero.io/pod-volume-restore": a pod whose volumes the backup has files of gets an init container, `restore-wait`,
// that holds it back until they are restored; those that an earlier restore has left go. The image is the server's own;
// the ConfigMap of the action sets it, and resources, security context and command. What it says wrongly is logged, and
// the default counts: no pod is lost over it.
struct PodVolumesActionContext {
  kube::Client& client;
  std::string name_space;                            // the server's
  const std::vector<json::Json>* volumes = nullptr;  // PodVolumeBackups; null: nobody would ever let a pod go on
  Logger log;
};
std::unique_ptr<extension::RestoreItemAction> make_restore_pod_volumes_action(const PodVolumesActionContext& context,
                                                                              std::shared_ptr<PluginConfigs> configs);

}  // namespace landfall::item_actions
