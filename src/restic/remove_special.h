#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace landfall::restic {

// Removes what is at that path below the directory, when it is a link, a pipe, a socket or a device. No link is
// followed on the way: what is behind one is not of the directory. Nothing there is no error.
Status remove_special(const std::string& directory, std::string_view path);

}  // namespace landfall::restic
