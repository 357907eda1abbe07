#pragma once

#include <stop_token>

#include "agent/agent_context.h"
#include "api/phases.h"
#include "api/status.h"
#include "json/json.h"
#include "progress/byte_reporter.h"

namespace landfall::agent {

// An agent that died while it was at `object` may have left a lock; that is best effort.
inline void unlock_after_death(const AgentContext& context, const json::Json& object, extension::Uploader& uploader,
                               const extension::RepositoryAccess& repository, const std::stop_token& stop) {
  if (api::phase_of<api::TransferPhase>(object) != api::TransferPhase::kInProgress) return;
  const Status unlocked = uploader.unlock(repository, stop);
  if (!unlocked) context.log.warning("locks of the agent before were not taken away", {LogField(unlocked.error())});
}

// Calls `work`, again and again while somebody has the repository for himself. The reporter hears why nothing happens.
template <class Work>
auto when_unlocked(const AgentContext& context, progress::ByteReporter& reporter, const std::stop_token& stop,
                   const Work& work) -> decltype(work()) {
  const SteadyTime deadline = context.clock.after(context.locked_patience);
  while (true) {
    auto outcome = work();
    if (outcome || outcome.error().code() != Code::kConflict || context.clock.now() >= deadline) return outcome;
    reporter.blame(outcome.error().message());
    if (!context.clock.sleep_for(context.locked_retry, stop)) return outcome;
  }
}

}  // namespace landfall::agent
