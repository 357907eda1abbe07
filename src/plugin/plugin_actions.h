#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "extension/item_action.h"
#include "plugin/messages.h"
#include "plugin/plugin_host.h"
#include "plugin/process_slot.h"

namespace landfall::plugin {

// What all actions of a Session share.
struct ActionParts {
  std::shared_ptr<ProcessSlot> slot;
  std::string name;
  std::shared_ptr<OwnerText> owners;
  Duration first_call_limit;
};

// Each asks the plugin what its action is for (AppliesTo), and is ready then.
Result<std::unique_ptr<extension::BackupItemAction>> open_backup_action(const ActionParts& parts, bool is_v2,
                                                                        const std::stop_token& stop);
Result<std::unique_ptr<extension::RestoreItemAction>> open_restore_action(const ActionParts& parts, bool is_v2,
                                                                          const std::stop_token& stop);
Result<std::unique_ptr<extension::DeleteItemAction>> open_delete_action(const ActionParts& parts,
                                                                        const std::stop_token& stop);
Result<std::unique_ptr<extension::ItemBlockAction>> open_item_block_action(const ActionParts& parts,
                                                                           const std::stop_token& stop);

}  // namespace landfall::plugin
