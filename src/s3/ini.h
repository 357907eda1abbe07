#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace landfall::s3 {

// The sections of an INI file as AWS writes its credentials and config: "[default]", "key = value", comments after '#'
// or ';' at the start of a line or after a blank. A key that is there twice counts as it was last; keys are in lower
// case.
// "[profile x]" is the section "x". Lines that are indented below a key without a value belong to that key and are
// skipped.
using IniFile = std::map<std::string, std::map<std::string, std::string>>;

// kInvalid with the line, never with what it holds: these files are secrets.
Result<IniFile> parse_ini(std::string_view text);

}  // namespace landfall::s3
