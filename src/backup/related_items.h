#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "backup/action_set.h"
#include "backup/backup_job.h"
#include "backup/item_groups.h"
#include "backup/item_table.h"
#include "base/result.h"

namespace landfall::backup {

// Asks the block actions which of the collected objects belong together. Objects of kinds that no action sees are not
// even read. What was not collected is left to whoever else asks for it; an action that fails for an object is an error
// in the log. What is returned ends the backup: a stop, or a file that cannot be read. `bytes` reads an object.
Result<ItemGroups> find_related_items(const BackupJob& job, BackupTools& tools, const ItemTable& table,
                                      const std::function<Status(std::size_t index, std::string& into)>& bytes,
                                      const std::stop_token& stop);

}  // namespace landfall::backup
