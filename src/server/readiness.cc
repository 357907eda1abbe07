#include "server/readiness.h"

#include <chrono>

namespace landfall::server {
namespace {

// A replica that is alone gets the lease at once: it is ready when it works, and not for a moment before.
constexpr Duration kAlone = std::chrono::seconds(1);

}  // namespace

void Readiness::set(Stage stage) {
  state_.with([&](State& state) {
    if (state.stage != Stage::kStopping) state = {.stage = stage, .since = clock_.now()};
  });
}

Readiness::Verdict Readiness::verdict() const {
  const State state = state_.copy();
  switch (state.stage) {
    case Stage::kStarting:
      return {.is_ready = false, .why = "starting"};
    case Stage::kWaiting:
      return {.is_ready = clock_.now() - state.since >= kAlone, .why = "waiting for the lease"};
    case Stage::kSyncing:
      return {.is_ready = false, .why = "reading the cluster's objects"};
    case Stage::kWorking:
      return {.is_ready = true, .why = "working"};
    case Stage::kStopping:
      break;
  }
  return {.is_ready = false, .why = "stopping"};
}

}  // namespace landfall::server
