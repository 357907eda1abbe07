#pragma once

#include "cli/command.h"

namespace landfall::cli {

// The words below `restore`, each in the file of its name.
void add_restore_create(const Command& group);
void add_restore_get(const Command& group);
void add_restore_describe(const Command& group);
void add_restore_logs(const Command& group);
void add_restore_plan(const Command& group);
void add_restore_cancel(const Command& group);
void add_restore_delete(const Command& group);
void add_restore_run(const Command& group);

}  // namespace landfall::cli
