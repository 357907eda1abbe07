#pragma once

#include <string>

#include "cli/command.h"
#include "cli/get_command.h"

namespace landfall::cli {

// The words below `restore`, each in the file of its name. `word` is what it is called by in the group: "get" below
// `restore`, "restores" below `get`.
Command add_restore_create(const Command& group, const std::string& word);
Command add_restore_get(const Command& group, const std::string& word);
Command add_restore_describe(const Command& group, const std::string& word);
Command add_restore_logs(const Command& group, const std::string& word);
Command add_restore_watch(const Command& group, const std::string& word);
Command add_restore_plan(const Command& group, const std::string& word);
Command add_restore_cancel(const Command& group, const std::string& word);
Command add_restore_delete(const Command& group, const std::string& word);
Command add_restore_run(const Command& group, const std::string& word);

// What `restore get` shows of them; `restore create -o table` shows the one so that it would make.
GetCommand restore_get();

}  // namespace landfall::cli
