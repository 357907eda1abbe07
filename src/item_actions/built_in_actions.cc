#include "item_actions/built_in_actions.h"

#include "item_actions/crd_remap_action.h"
#include "item_actions/pod_action.h"
#include "item_actions/pv_action.h"
#include "item_actions/service_account_action.h"

namespace landfall::item_actions {

std::vector<std::unique_ptr<extension::BackupItemAction>> built_in_backup_actions(kube::Client& client,
                                                                                  const kube::Discovery& discovery) {
  std::vector<std::unique_ptr<extension::BackupItemAction>> actions;
  if (CrdRemapAction::is_needed(discovery)) {
    actions.push_back(std::make_unique<CrdRemapAction>(client, discovery));
  }
  actions.push_back(std::make_unique<PodAction>());
  actions.push_back(std::make_unique<PvAction>());
  actions.push_back(std::make_unique<ServiceAccountAction>(client, discovery));
  return actions;
}

}  // namespace landfall::item_actions
