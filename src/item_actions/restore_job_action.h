#pragma once

#include <memory>

#include "extension/item_action.h"

namespace landfall::item_actions {

// "velero.io/job": a Job's selector and pod template lose the label with the UID of the Job that it was; the server
// sets the one of the Job that it becomes.
std::unique_ptr<extension::RestoreItemAction> make_restore_job_action();

}  // namespace landfall::item_actions
