#pragma once

#include "cli/command.h"

namespace landfall::cli {

// One function a command, each in the file of its name.
void add_archive_command(const Command& root);
void add_client_command(const Command& root);
void add_install_command(const Command& root);
void add_server_command(const Command& root);
void add_version_command(const Command& root);

}  // namespace landfall::cli
