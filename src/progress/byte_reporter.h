#pragma once

#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/guarded.h"
#include "base/log.h"
#include "progress/byte_tracker.h"
#include "progress/pace.h"
#include "progress/publisher.h"

namespace landfall::progress {

// What an uploader talks to while it moves one volume: how much there is, how much is done. It is Scanning until the
// total is known and Transferring from then on.
//
// Life: subscribe; start(); work; finish(). Thread-safe; each call is a short lock.
class ByteReporter {
 public:
  ByteReporter(Clock& clock, Logger log, const Pace::Options& pace = {});

  void subscribe(std::string name, Publisher<ByteProgress>::Deliver deliver, Duration interval = kPublishInterval) {
    publisher_.subscribe(std::move(name), std::move(deliver), interval);
  }

  // The first publish: goes out at once. A volume that is taken up again after a restart says total() and done()
  // before.
  void start();

  // What ByteTracker says; see there.
  void total(ByteCount bytes);
  void done(ByteCount so_far);

  // All bytes are through, or as good as; what is left is of another kind (indexes, checks).
  void finishing();

  // What is being done, for people: a file's name.
  void doing(std::string what);
  // Work goes on although no count moves: scanning has found another file.
  void alive();
  // Why nothing moves, from whoever knows; shown once it counts as stalled, forgotten when something moves.
  void blame(std::string reason, std::string item = {});

  ByteProgress snapshot();

  // The volume is complete: the last publish says that all of the total is done. ByteTracker::finish() has the details.
  Status finish(std::optional<ByteCount> exact_total, SteadyTime deadline, const std::stop_token& stop);
  // It has ended without being complete: the last publish says how far it came.
  Status abandon(SteadyTime deadline, const std::stop_token& stop);

 private:
  struct State {
    explicit State(const Pace::Options& options) : pace(options) {}
    ByteTracker tracker;
    Pace pace;
    ByteStep step = ByteStep::kScanning;
    std::string doing;
    bool is_started = false;
    bool is_ended = false;
  };
  void enter(State& state, ByteStep step) const;
  ByteProgress read(State& state) const;

  Clock& clock_;
  Guarded<State> state_;
  Publisher<ByteProgress> publisher_;
};

}  // namespace landfall::progress
