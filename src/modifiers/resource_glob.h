#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace landfall::modifiers {

// The expression that matches what a pattern for resources does; see Expression::resource_glob(). kInvalid with the
// place: "at byte 3: the set is not closed".
Result<std::string> glob_to_regex(std::string_view pattern);

}  // namespace landfall::modifiers
