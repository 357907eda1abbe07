#pragma once

#include "extension/item_action.h"

namespace landfall::item_actions {

// "velero.io/pv": a bound PersistentVolumeClaim takes its PersistentVolume along, and loses what would keep it from
// being restored elsewhere: its data source, its selector (kept only where the storage class is the empty text, which
// asks for a volume made by hand) and the labels that earlier backups and restores have left.
class PvAction final : public extension::BackupItemAction {
 public:
  std::string name() const override { return "velero.io/pv"; }
  extension::ActionScope scope() const override { return {.included_resources = {"persistentvolumeclaims"}}; }
  Result<extension::BackupActionResult> execute(const json::Json& item, const json::Json& backup,
                                                const std::stop_token& stop) override;
};

}  // namespace landfall::item_actions
