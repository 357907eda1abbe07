#pragma once

#include "extension/item_action.h"
#include "item_actions/cluster_role_bindings.h"

namespace landfall::item_actions {

// "velero.io/service-account": with a service account go the ClusterRoleBindings that name it, and their ClusterRoles.
// Made anew for each backup: the bindings are those of the first service account's moment.
class ServiceAccountAction final : public extension::BackupItemAction {
 public:
  ServiceAccountAction(kube::Client& client, const kube::Discovery& discovery) : bindings_(client, discovery) {}

  std::string name() const override { return "velero.io/service-account"; }
  extension::ActionScope scope() const override { return {.included_resources = {"serviceaccounts"}}; }
  Result<extension::BackupActionResult> execute(const json::Json& item, const json::Json& backup,
                                                const std::stop_token& stop) override;

 private:
  ClusterRoleBindings bindings_;
};

}  // namespace landfall::item_actions
