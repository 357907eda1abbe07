#pragma once

#include "extension/item_action.h"
#include "kube/client.h"
#include "kube/discovery.h"

namespace landfall::item_actions {

// "velero.io/crd-remap-version": a CustomResourceDefinition that was made as v1beta1 may not be valid as v1, so it is
// stored as v1beta1 where the server still serves that. Kubernetes stopped doing so with 1.22: there the action does
// nothing.
class CrdRemapAction final : public extension::BackupItemAction {
 public:
  // Whether there is anything to do on such a server.
  static bool is_needed(const kube::Discovery& discovery);

  // Borrows the client; the discovery is needed only during the call.
  CrdRemapAction(kube::Client& client, const kube::Discovery& discovery)
      : client_(client), is_needed_(is_needed(discovery)) {}

  std::string name() const override { return "velero.io/crd-remap-version"; }
  extension::ActionScope scope() const override {
    return {.included_resources = {"customresourcedefinitions.apiextensions.k8s.io"}};
  }
  Result<extension::BackupActionResult> execute(const json::Json& item, const json::Json& backup,
                                                const std::stop_token& stop) override;

 private:
  kube::Client& client_;
  const bool is_needed_;
};

}  // namespace landfall::item_actions
