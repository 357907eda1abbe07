#pragma once

#include "extension/item_action.h"

namespace landfall::item_actions {

// "velero.io/pod": with a pod go its PriorityClass and the PersistentVolumeClaims of its volumes. The pod stays as it
// is.
class PodAction final : public extension::BackupItemAction {
 public:
  std::string name() const override { return "velero.io/pod"; }
  extension::ActionScope scope() const override { return {.included_resources = {"pods"}}; }
  Result<extension::BackupActionResult> execute(const json::Json& item, const json::Json& backup,
                                                const std::stop_token& stop) override;
};

}  // namespace landfall::item_actions
