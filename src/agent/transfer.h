#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "agent/active_transfers.h"
#include "agent/agent_context.h"
#include "api/phases.h"
#include "base/result.h"
#include "json/json.h"
#include "progress/byte_reporter.h"

namespace landfall::agent {

// How a transfer came out that went to its end.
struct TransferOutcome {
  ByteCount total;
  std::string message;  // for status.message; may be empty
  std::string failure;  // why it is not whole all the same; empty: it is
  // Optional: writes what else the object's status says about it.
  std::function<Status(json::Json& object)> note;
};

// One PodVolumeBackup or PodVolumeRestore, from the moment that this agent takes it to its end: its turn, phases,
// times, finalizer, progress, cancelling. What is copied where is the business of `work`.
//
// A stop of the process leaves the object InProgress: whoever comes next begins anew.
class Transfer {
 public:
  Transfer(const AgentContext& context, ActiveTransfers& active, api::Kind kind, json::Json object);

  struct Work {
    // Looks for what is needed, before it begins. An error that may pass is one of run(), any other refuses the object.
    std::function<Status(const std::stop_token& stop)> prepare;
    std::function<Result<TransferOutcome>(progress::ByteReporter& reporter, const std::stop_token& stop)> copy;
  };
  // Waits for its turn, and does it. An error is one of the API server's: try again. What went wrong with the work is
  // in the object. What the work has come to is written even when a stop is asked for meanwhile, and again and again
  // while the API server does not answer.
  Status run(const Work& work, const std::stop_token& stop);

  // These end it without having begun.
  Status refuse(const std::string& why, const std::stop_token& stop);
  Status cancel(const std::stop_token& stop);
  // It was done by a process that did not come to say so.
  Status note_done(const std::stop_token& stop);
  // It is over: whoever deletes it need not wait for us.
  Status release(const std::stop_token& stop);

 private:
  struct Ending {
    api::TransferPhase phase;
    std::string message;
    std::optional<ByteCount> total;  // all of which is done
    std::function<Status(json::Json& object)> note;
  };
  Status leave(const ActiveTransfers::Entry& entry, const std::stop_token& stop);
  Status begin(const std::stop_token& stop);
  Status copy(const Work& work, const ActiveTransfers::Entry& entry, const std::stop_token& either,
              const std::stop_token& stop);
  Status end(const Ending& ending, const std::stop_token& stop);
  Status end_surely(const Ending& ending, const std::stop_token& stop);
  Result<bool> refresh(const std::stop_token& stop);
  Status change(const std::function<Status(json::Json& object)>& make, const std::stop_token& stop);

  const AgentContext& context_;
  ActiveTransfers& active_;
  const api::Kind kind_;
  const kube::Resource objects_;
  json::Json object_;
  const Logger log_;
};

// Whether its end has come; a phase that we do not know is not ours to go on from.
bool is_over(const json::Json& object);
// Whether somebody wants its end to come.
bool is_cancel_wanted(const json::Json& object);

}  // namespace landfall::agent
