#include "control/transfer_waitable.h"

#include "control/plugin_transfers.h"
#include "json/json.h"

namespace landfall::control {

using State = TransferSight::State;

std::shared_ptr<Snapshotters> TransferWaitable::snapshotters_of(const json::Json& owner) {
  if (!snapshotters_) {
    snapshotters_ = sessions_->of(context_, owner, context_.log);
    // A plugin that could not be started the last time may be there now.
    snapshotters_->forget_failures();
  }
  return snapshotters_;
}

Result<extension::OperationProgress> TransferWaitable::progress(const std::string& operation_id,
                                                                const json::Json& owner, const std::stop_token& stop) {
  TRY_ASSIGN(PluginTransfer transfer, "", read_operation_id(operation_id));
  // Without a log: who asks again and again says so once.
  PluginTransfers transfers(context_, snapshotters_of(owner), owner, Logger());
  const TransferSight sight = transfers.look(transfer, stop);
  if (sight.state == State::kUnclear) return fail(Code::kUnavailable, sight.message);
  extension::OperationProgress progress{.is_completed = is_over(sight) || sight.state == State::kUnknown,
                                        .error = {},
                                        .done = sight.bytes_done,
                                        .total = sight.total_bytes,
                                        .units = "Bytes",
                                        .description = sight.message,
                                        .started = sight.started,
                                        .updated = {}};
  if (sight.state == State::kFailed) progress.error = failure_text(sight);
  return progress;
}

Status TransferWaitable::cancel(const std::string& operation_id, const json::Json& owner, const std::stop_token& stop) {
  TRY_ASSIGN(PluginTransfer transfer, "", read_operation_id(operation_id));
  PluginTransfers transfers(context_, snapshotters_of(owner), owner, Logger());
  return transfers.cancel(transfer, stop);
}

}  // namespace landfall::control
