#pragma once

#include <algorithm>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "control/context.h"
#include "extension/item_action.h"
#include "json/json_fwd.h"
#include "operation/item_operation.h"

// How operations that item actions have started are waited for, of backups and of restores.
namespace landfall::control {

// What the action of that name is to be asked; null when there is no such action, or nothing to ask.
template <class Actions>
extension::Waitable* waitable_of(const Actions& actions, const std::string& name) {
  const auto found = std::ranges::find_if(actions, [&](const auto& action) { return action->name() == name; });
  return found == actions.end() ? nullptr : (*found)->waitable();
}

inline std::int64_t count(const std::vector<operation::ItemOperation>& operations, operation::OperationPhase phase) {
  return std::ranges::count(operations, phase, &operation::ItemOperation::phase);
}

// Asks how far an operation is that is not over. One that does not answer may do so the next time; after `timeout` it
// is told to stop and has failed. `owner` is the Backup or Restore, `waitable` may be null.
void ask_operation(const Context& context, operation::ItemOperation& operation, extension::Waitable* waitable,
                   const json::Json& owner, Duration timeout, const std::stop_token& stop);

// Tells an operation to stop; one that is over, or that nobody knows any more, is left alone.
void cancel_operation(const Context& context, const operation::ItemOperation& operation, extension::Waitable* waitable,
                      const json::Json& owner, const std::stop_token& stop);

}  // namespace landfall::control
