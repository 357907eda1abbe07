#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "control/context.h"
#include "control/operation_polling.h"
#include "control/plugin_transfer.h"
#include "control/snapshotters.h"
#include "extension/item_action.h"

namespace landfall::control {

// What volume snapshotters do after their calls, as something that is waited for with all other operations. Made for
// each look at the operations of one Backup or Restore.
class TransferWaitable final : public extension::Waitable {
 public:
  // Without sessions this server does not deal with snapshots.
  TransferWaitable(const Context& context, std::shared_ptr<SnapshotSessions> sessions)
      : context_(context), sessions_(std::move(sessions)) {}

  Result<extension::OperationProgress> progress(const std::string& operation_id, const json::Json& owner,
                                                const std::stop_token& stop) override;
  Status cancel(const std::string& operation_id, const json::Json& owner, const std::stop_token& stop) override;

  // Itself for operations of its own, else what the actions have.
  template <class Actions>
  extension::Waitable* or_of(const Actions& actions, const std::string& name) {
    if (name != kSnapshotAction && name != kVolumeAction) return waitable_of(actions, name);
    return sessions_ ? this : nullptr;
  }

 private:
  std::shared_ptr<Snapshotters> snapshotters_of(const json::Json& owner);

  const Context& context_;
  const std::shared_ptr<SnapshotSessions> sessions_;
  std::shared_ptr<Snapshotters> snapshotters_;  // of the owner
};

}  // namespace landfall::control
