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

// Counts what a worker has done, keeps to the speed that the settings allow, and hears when it is to stop.
//
// What is counted can fall: a worker begins again at nothing, with what one before it has copied, and a copy that turns
// out to be wrong is counted back. What is shown, in progress.json and in the resource, never does.
//
// counts(), shown() and cancel() are for any thread, all else for the one that copies.
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
  // What was written down last, at first by a worker before. Never ahead of that: who goes on after a kill begins
  // there.
  Counts shown() const { return shown_.copy(); }
  void cancel() { is_cancelled_ = true; }
  bool is_cancelled() const { return is_cancelled_; }
  // Writes the counts down now, with at least as many bytes done as before.
  void flush();

 private:
  const Layout& layout_;
  const Task& task_;
  Clock& clock_;
  const std::stop_token stop_;
  Guarded<Counts> counts_;
  Guarded<Counts> shown_;
  std::atomic<bool> is_cancelled_ = false;
  SteadyTime began_;
  SteadyTime next_look_;
  std::int64_t passed_ = 0;
};

}  // namespace landfall::plugin_local
