#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "plugin_local/tree.h"

namespace landfall::plugin_local {

// Visits every path of a tree: a directory before what is in it, names in the order of their bytes. The visitor says
// whether the path is a directory to look into. What has gone since its name was read is the visitor's to see.
Status walk(Tree& tree, const std::function<Result<bool>(const std::string& path)>& visit);

}  // namespace landfall::plugin_local
