#pragma once

#include <functional>
#include <map>
#include <stop_token>
#include <thread>

#include "base/clock.h"
#include "base/guarded.h"

namespace landfall::plugin_kit {

// The calls that are being answered: each has a stop_token that is asked to stop within a fraction of a second when its
// host loses interest, or the program is to end. Thread-safe.
class Calls {
 public:
  explicit Calls(Clock& clock);

  // One call, for as long as it lives. `is_cancelled` is asked from another thread.
  class Call {
   public:
    Call(Calls& calls, std::function<bool()> is_cancelled);
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    std::stop_token stop() const { return stop_.get_token(); }

   private:
    friend class Calls;
    Calls& calls_;
    std::function<bool()> is_cancelled_;
    std::stop_source stop_;
  };

  // All that are under way, and all that come.
  void stop_all();

 private:
  struct State {
    std::map<Call*, bool> calls;  // those that have been stopped
    bool is_over = false;
  };
  void watch(const std::stop_token& stop);

  Clock& clock_;
  Monitor<State> state_;
  std::jthread watcher_;
};

}  // namespace landfall::plugin_kit
