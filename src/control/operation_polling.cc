#include "control/operation_polling.h"

#include <utility>

namespace landfall::control {

using operation::ItemOperation;
using operation::OperationPhase;

namespace {

void end(ItemOperation& operation, std::string error) {
  operation.phase = error.empty() ? OperationPhase::kCompleted : OperationPhase::kFailed;
  operation.error = std::move(error);
}

}  // namespace

void ask_operation(const Context& context, ItemOperation& operation, extension::Waitable* waitable,
                   const json::Json& owner, Duration timeout, const std::stop_token& stop) {
  if (waitable == nullptr) return end(operation, "this server has no action " + operation.action + " to ask");
  const WallTime now = context.clock.wall_now();
  auto progress = waitable->progress(operation.operation_id, owner, stop);
  if (progress) {
    operation.done = progress->done;
    operation.total = progress->total;
    operation.units = progress->units;
    operation.description = progress->description;
    if (progress->started) operation.started = progress->started;
    operation.updated = progress->updated.value_or(now);
    if (progress->is_completed) return end(operation, progress->error);
    if (operation.started) operation.phase = OperationPhase::kInProgress;
  } else {
    // It may answer the next time; what never does runs into its timeout.
    context.log.warning("Operation does not answer",
                        {{"operation", operation.operation_id}, LogField(progress.error())});
  }
  if (operation.created && now - *operation.created > timeout) {
    cancel_operation(context, operation, waitable, owner, stop);
    end(operation, "it took longer than spec.itemOperationTimeout");
  }
}

void cancel_operation(const Context& context, const ItemOperation& operation, extension::Waitable* waitable,
                      const json::Json& owner, const std::stop_token& stop) {
  if (is_final(operation.phase) || waitable == nullptr) return;
  if (const Status told = waitable->cancel(operation.operation_id, owner, stop); !told) {
    context.log.warning("Operation could not be canceled",
                        {{"operation", operation.operation_id}, LogField(told.error())});
  }
}

}  // namespace landfall::control
