#pragma once

#include <string>

#include "cli/command.h"
#include "cli/get_command.h"

namespace landfall::cli {

// The words below `schedule`, each in the file of its name.
Command add_schedule_create(const Command& group, const std::string& word);
Command add_schedule_get(const Command& group, const std::string& word);
Command add_schedule_describe(const Command& group, const std::string& word);
Command add_schedule_delete(const Command& group, const std::string& word);
Command add_schedule_pause(const Command& group, const std::string& word);
Command add_schedule_unpause(const Command& group, const std::string& word);

// What `schedule get` shows of them; `schedule create -o table` shows the one so that it would make.
GetCommand schedule_get();

}  // namespace landfall::cli
