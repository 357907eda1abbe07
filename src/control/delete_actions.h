#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "bucket/backup_store.h"
#include "control/problem_list.h"
#include "extension/item_action.h"
#include "json/json_fwd.h"
#include "kube/client.h"

namespace landfall::control {

struct DeleteActionsInput {
  std::vector<extension::DeleteItemAction*> actions;
  const json::Json& backup;
  bucket::BackupStore& store;
  kube::Client& client;         // tells what the names in scopes mean
  std::string spool_directory;  // the archive is kept there meanwhile
};

// Runs the actions over the items of a backup that is being deleted, each over those of its scope. What an action says
// of an item goes to the problems, and the others go on; an error means that the items could not be read. A backup
// without an archive has no items. Called again after an interruption it starts over: actions take that.
Status run_delete_actions(const DeleteActionsInput& input, ProblemList& problems, const std::stop_token& stop);

}  // namespace landfall::control
