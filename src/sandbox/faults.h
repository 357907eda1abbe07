#pragma once

#include <cstdint>
#include <optional>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/random.h"
#include "base/result.h"
#include "json/json_fwd.h"

namespace landfall::sandbox {

// What goes wrong on purpose. Shares are from 0 to 1.
struct FaultPlan {
  std::uint64_t seed = 1;
  Duration latency{};         // added to every answer
  Duration latency_spread{};  // and up to so much more
  double throttled = 0;       // share of requests that begin a burst of 429s
  int throttle_burst = 1;     // requests in a row that get one
  int retry_after_seconds = 1;
  double failed = 0;   // share of requests that get a 500
  double dropped = 0;  // share of watches that are cut, looked at once a second

  bool is_active() const;
  // {"seed":1,"latencyMs":20,"latencySpreadMs":5,"throttled":0.1,"throttleBurst":3,"retryAfterSeconds":1,"failed":0.01,
  //  "droppedWatches":0.05}; what is missing is off. kInvalid names the field.
  static Result<FaultPlan> from_json(const json::Json& document);
  json::Json to_json() const;
};

// Decides for each request. The same seed and order of requests give the same faults. Thread-safe.
class Faults {
 public:
  void set(const FaultPlan& plan);
  FaultPlan plan() const;

  struct Verdict {
    Duration delay{};
    std::optional<Error> refusal;
  };
  Verdict next();
  bool drops_watch();

 private:
  struct State {
    FaultPlan plan;
    std::uint64_t state = 1;  // of the generator
    int burst_left = 0;
  };
  Guarded<State> state_;
};

}  // namespace landfall::sandbox
