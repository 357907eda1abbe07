#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/environment.h"
#include "base/result.h"
#include "extension/uploader.h"

namespace landfall::uploader_program {

// What a program finds the keys of a bucket in; nothing for a directory. Secret.
std::map<std::string, std::string> storage_environment(const extension::RepositoryAccess& repository);

// What of our environment a program needs to find its way: proxies, and where the system keeps its authorities.
std::map<std::string, std::string> network_environment(const Environment& ours);

// Snapshots have hexadecimal names. Anything else must not be given to a program: it might take it for a flag. kInvalid
// names the program.
Status check_snapshot(std::string_view id, std::string_view program);

}  // namespace landfall::uploader_program
