#pragma once

#include <string>
#include <vector>

#include "base/clock.h"
#include "base/environment.h"
#include "base/result.h"
#include "plugin_local/task.h"

namespace landfall::plugin_local {

// `PROGRAM worker DIRECTORY snapshot|volume ID`: leaves a process of its own behind that does the task, and ends when
// that holds the lock, or somebody else does. To be called first thing in main(), before there are threads. Returns the
// exit code; what is wrong is on standard error.
int run_worker(const std::vector<std::string>& arguments, const Environment& environment, Clock& clock);

// The words behind the program that make it do a task.
std::vector<std::string> worker_arguments(const Layout& layout, TaskKind kind, const std::string& id);

// Does the task to its end, in this process, whose lock it is; for tests too. The outcome is in the task's state.
Status do_task(const Layout& layout, TaskKind kind, const std::string& id, const Environment& environment,
               Clock& clock);

}  // namespace landfall::plugin_local
