#pragma once

#include <string_view>

#include "base/result.h"
#include "json/json_fwd.h"

namespace landfall::modifiers {

// What the `value` of a JSON patch or of a match stands for. It is always a text, and means to Velero
//   {…} and […]                  JSON, as written. kInvalid when it is not
//   null, true, false, numbers   themselves; booleans in any case
//   "…"                          a text without the quotes: how to write the text 5 or true
//   anything else                a text
// Velero puts texts between quotes without escaping, so that \n and \" are escapes in it; they are here, too. A text
// that is not valid in this way, which fails there, is taken as it is.
Result<json::Json> patch_value(std::string_view text);

}  // namespace landfall::modifiers
