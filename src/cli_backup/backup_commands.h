#pragma once

#include <string>

#include "cli/command.h"
#include "cli/get_command.h"

namespace landfall::cli {

// The words below `backup`, each in the file of its name. `word` is what it is called by in the group: "get" below
// `backup`, "backups" below `get`.
Command add_backup_create(const Command& group, const std::string& word);
Command add_backup_get(const Command& group, const std::string& word);
Command add_backup_describe(const Command& group, const std::string& word);
Command add_backup_delete(const Command& group, const std::string& word);
Command add_backup_download(const Command& group, const std::string& word);
Command add_backup_logs(const Command& group, const std::string& word);
Command add_backup_watch(const Command& group, const std::string& word);
Command add_backup_verify(const Command& group, const std::string& word);
Command add_backup_cancel(const Command& group, const std::string& word);

// What `backup get` shows of them; `backup create -o table` shows the one so that it would make.
GetCommand backup_get();

}  // namespace landfall::cli
