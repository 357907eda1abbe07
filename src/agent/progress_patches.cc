#include "agent/progress_patches.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "api/progress_fields.h"
#include "control/change.h"

namespace landfall::agent {

using progress::ByteCounts;
using progress::ByteProgress;
using progress::ByteStep;

namespace {

// What is to be said when nobody knows more: people look at the two ends first.
constexpr const char* kNothingMoves =
    "nothing has moved since: the storage may not answer, or the volume may not be readable or writable";

ByteCounts counts_of(const json::Json& object) {
  const auto shown = api::read_byte_progress(object);
  return shown ? shown->bytes : ByteCounts();
}

bool is_complete(const ByteProgress& now) {
  return now.step == ByteStep::kFinishing && now.bytes.total == std::optional(now.bytes.done);
}

}  // namespace

ProgressPatches::ProgressPatches(kube::Resource objects, json::Json object)
    : objects_(std::move(objects)), object_(std::move(object)), shown_(counts_of(object_)) {}

Status ProgressPatches::write(ByteProgress now, const std::stop_token& stop) {
  if (!is_complete(now)) {
    now.bytes.done = std::max(now.bytes.done, shown_.done);
    if (shown_.total) now.bytes.total = std::max(now.bytes.total.value_or(*shown_.total), *shown_.total);
  }
  if (now.stalled && now.stalled->reason.empty()) now.stalled->reason = kNothingMoves;
  json::Json after = object_;
  TRY("", api::set_byte_progress(after, now));
  TRY("", control::write_change(objects_, object_, after, stop));
  object_ = std::move(after);
  return {};
}

}  // namespace landfall::agent
