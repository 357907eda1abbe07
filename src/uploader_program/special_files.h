#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/descriptor.h"

// Volumes hold what their owners put there, and the programs run as root: a link where a file or a directory is
// restored would lead them out of the volume, a pipe would let them wait for ever. Nothing here follows a link.
namespace landfall::uploader_program {

// Opens a directory in another one. Nothing where there is none of that name: not there, or a link, or anything else.
Result<io::Descriptor> open_directory(int parent, const std::string& name);
// The same by a path of names, for each of which that holds. An empty path is the directory itself.
Result<io::Descriptor> open_below(int directory, std::string_view path);

// Removes what has that name, when it is special: neither a file nor a directory, but a link, a pipe, a socket, a
// device.
Status remove_special(int directory, const std::string& name);

// Called with a special file: the directory that it is in, the path of that from the root ("" or "a/b"), and its name.
using VisitSpecial = std::function<Status(int directory, const std::string& path, const std::string& name)>;
// Calls for all of them below a directory, however deep; those of a directory are known before the first of them is
// visited, so that a visit may move or remove it. The first error ends it, as does a stop (kCancelled).
Status for_each_special(const io::Descriptor& root, const VisitSpecial& visit, const std::stop_token& stop);

}  // namespace landfall::uploader_program
