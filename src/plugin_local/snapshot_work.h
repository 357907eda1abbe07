#pragma once

#include "base/result.h"
#include "plugin_local/task.h"
#include "plugin_local/task_meter.h"

namespace landfall::plugin_local {

// Copies the directory of a volume into the folder of its snapshot, going on behind what a worker before has finished.
// Leaves the data, the manifest and its digest in the task; the caller holds the lock and writes the task down.
Status copy_snapshot(const Layout& layout, Task& task, TaskMeter& meter);
// Takes away what it has copied.
Status discard_snapshot(const Layout& layout, const Task& task);

// The snapshot of the same volume that was completed last; empty when there is none.
std::string previous_of(const Layout& layout, const Task& task);

// Which start of the machine this is: what was written before another one may not have reached the disk.
std::string boot_id();

}  // namespace landfall::plugin_local
