#pragma once

#include <string>

#include "cli/command.h"
#include "cli/get_command.h"

namespace landfall::cli {

// The words below `backup-location`, `snapshot-location`, `plugin` and so on, each in the file of its name.
Command add_backup_location_create(const Command& group, const std::string& word);
Command add_backup_location_set(const Command& group, const std::string& word);
Command add_backup_location_delete(const Command& group, const std::string& word);
Command add_snapshot_location_create(const Command& group, const std::string& word);
Command add_snapshot_location_set(const Command& group, const std::string& word);
Command add_backup_location_get(const Command& group, const std::string& word);
Command add_snapshot_location_get(const Command& group, const std::string& word);
Command add_repo_get(const Command& group, const std::string& word);
Command add_plugin_get(const Command& group, const std::string& word);
Command add_plugin_add(const Command& group, const std::string& word);
Command add_plugin_remove(const Command& group, const std::string& word);

// What `get` shows of them; `create -o table` shows the one so that it would make.
GetCommand backup_location_get();
GetCommand snapshot_location_get();

}  // namespace landfall::cli
