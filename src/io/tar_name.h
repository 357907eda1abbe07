#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace landfall::io {

// A name from an archive, made safe to be looked up below a directory of ours: `./`, `//`, `/./` and a trailing slash
// are taken out, because people repack archives with other tools. Refused with kInvalid, and a message that shows the
// name: empty, absolute, with `..` as a part, with a NUL or a backslash (a separator elsewhere).
// The bytes need not be UTF-8.
Result<std::string> safe_relative_name(std::string_view name);

// A name from outside for a message: in quotes, escaped, and cut when it is very long.
std::string quote_name(std::string_view name);

}  // namespace landfall::io
