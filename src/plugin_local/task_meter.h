#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <stop_token>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/result.h"
#include "plugin_local/task.h"

namespace landfall::plugin_local {

// Counts what a worker has done, keeps to the speed that the settings allow, and hears when it is to stop. count() and
// add() are for the thread that copies; counts() and cancel() for any.
class TaskMeter {
 public:
  TaskMeter(const Layout& layout, const Task& task, Clock& clock, std::stop_token stop);

  // Bytes that have been gone through. kCancelled when somebody wants it.
  Status add(std::uint64_t bytes);
  // The same for bytes that a worker before has copied: they take no time.
  Status skip(std::uint64_t bytes);
  // Looks whether it is to stop, at most every so often.
  Status check();
  void change(const std::function<void(Counts&)>& change);
  Counts counts() const { return counts_.copy(); }
  void cancel() { is_cancelled_ = true; }
  bool is_cancelled() const { return is_cancelled_; }
  // Writes the counts down now.
  void flush();

 private:
  const Layout& layout_;
  const Task& task_;
  Clock& clock_;
  const std::stop_token stop_;
  Guarded<Counts> counts_;
  std::atomic<bool> is_cancelled_ = false;
  SteadyTime began_;
  SteadyTime next_look_;
  std::int64_t passed_ = 0;
};

}  // namespace landfall::plugin_local
