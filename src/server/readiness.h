#pragma once

#include <string>

#include "base/clock.h"
#include "base/guarded.h"

namespace landfall::server {

// What a replica is at.
enum class Stage {
  kStarting,  // looks at the cluster
  kWaiting,   // for the lease: another replica works
  kSyncing,   // has the lease, and reads what is there
  kWorking,
  kStopping,
};

// Whether this replica is ready, for the probe of its pod. A replica that waits for the lease is: it would take over in
// a moment, and a rollout that brings the new pod up before the old one goes must not wait for its lease. Thread-safe.
class Readiness {
 public:
  explicit Readiness(const Clock& clock) : clock_(clock) {}

  // Nothing comes after kStopping.
  void set(Stage stage);
  Stage stage() const { return state_.copy().stage; }

  struct Verdict {
    bool is_ready = false;
    std::string why;  // for people
  };
  Verdict verdict() const;

 private:
  struct State {
    Stage stage = Stage::kStarting;
    SteadyTime since;
  };
  const Clock& clock_;
  Guarded<State> state_;
};

}  // namespace landfall::server
