#pragma once

#include <functional>

#include "cli/command.h"

namespace landfall::cli {

// One function a command, each in the file of its name.
void add_archive_command(const Command& root);
void add_backup_location_command(const Command& root);
void add_client_command(const Command& root);
void add_completion_command(const Command& root);
// It runs other commands, which are in modules that this one does not know: `all` adds them.
void add_debug_command(const Command& root, const std::function<void(const Command& root)>& all);
void add_install_command(const Command& root);
void add_node_agent_command(const Command& root);
void add_plugin_command(const Command& root);
void add_repo_command(const Command& root);
void add_server_command(const Command& root);
void add_snapshot_location_command(const Command& root);
void add_version_command(const Command& root);

}  // namespace landfall::cli
