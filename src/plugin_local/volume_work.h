#pragma once

#include "base/result.h"
#include "plugin_local/task.h"
#include "plugin_local/task_meter.h"

namespace landfall::plugin_local {

// Makes the directory of a new volume of a snapshot, every file checked against its checksum. It gets its name when it
// is whole, so that no pod ever sees half of it; what a worker before has left is checked and used. The caller holds
// the lock and writes the task down.
Status fill_volume(const Layout& layout, Task& task, TaskMeter& meter);
// Takes away what is not whole.
Status discard_volume(const Task& task);

}  // namespace landfall::plugin_local
