#pragma once

#include <string>
#include <thread>

#include "base/clock.h"
#include "base/environment.h"
#include "plugin_local/task.h"
#include "plugin_local/task_meter.h"

namespace landfall::plugin_local {

// Keeps the VolumePluginBackup or -Restore of a task up to date while it is worked on, once a second at most, in a
// thread of its own: a slow API server never makes the copy wait. Does nothing where resources are not wanted, or,
// unless they are asked for, no cluster knows them.
class ProgressReporter {
 public:
  // `task` is read when it starts; from then on only what the meter shows is.
  ProgressReporter(const Layout& layout, Task& task, TaskMeter& meter, const Environment& environment, Clock& clock);

  void start();
  void stop();
  // Writes how it ended, trying for a while. True when that is done, or nobody is to hear it.
  bool report_end(const Task& task);

 private:
  void run(Task task, const std::stop_token& stop);
  // Whether it makes sense to try again.
  bool may_pass(const Error& error) const;
  bool is_needed() const;

  Task& task_;
  TaskMeter& meter_;
  const Environment& environment_;
  Clock& clock_;
  const bool is_wanted_;
  bool has_given_up_ = false;
  std::string resource_;  // its name, once it is there
  std::jthread thread_;
};

}  // namespace landfall::plugin_local
