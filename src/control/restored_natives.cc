#include "control/restored_natives.h"

#include "base/rfc3339.h"

namespace landfall::control {

using State = TransferSight::State;

void add_sight(volume_info::RestoredNative& native, const std::string& resource, const TransferSight& sight) {
  if (sight.state == State::kUnknown) return;
  native.snapshot.progress_resource = resource;
  if (sight.state != State::kUnclear) {
    native.snapshot.progress = {.done = sight.bytes_done, .total = sight.total_bytes};
  }
  if (sight.started) native.started = format_rfc3339(*sight.started);
  native.completed = sight.completed ? format_rfc3339(*sight.completed) : "";
  native.message = sight.message;
  switch (sight.state) {
    case State::kCompleted:
      native.result = volume_info::result::kSucceeded;
      native.message.clear();
      break;
    case State::kFailed:
      native.result = volume_info::result::kFailed;
      native.message = failure_text(sight);
      break;
    default:
      native.result = volume_info::result::kInProgress;
  }
}

}  // namespace landfall::control
