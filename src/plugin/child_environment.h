#pragma once

#include <map>
#include <string>

#include "plugin/plugin_host.h"

namespace landfall::plugin {

// What a plugin finds in its environment: ours, less what is denied and what would change the protocol, with what tells
// it that it is a plugin and where to put its socket. One that is started with credentials of its own
// (`has_credentials`) sees none of those that are for others.
std::map<std::string, std::string> child_environment(const HostOptions& options, const std::string& socket_dir,
                                                     bool has_credentials);

}  // namespace landfall::plugin
