#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace landfall::stories {

// All that is in a directory, by its path below it: type, mode, owner, time of change, size, where links lead, which
// names share a file, extended attributes, and a digest of the bytes. For comparing before and after.
std::map<std::string, std::string> file_tree(const std::filesystem::path& root);

}  // namespace landfall::stories
