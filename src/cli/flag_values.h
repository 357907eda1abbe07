#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace landfall::cli {

// The grammars of flag values that scripts written for Velero depend on.

// "a,b,c": split at commas, no quoting; an empty text is an empty list.
std::vector<std::string> parse_list(std::string_view text);

// One record of CSV (RFC 4180): `a,"b,c"` is {a; b,c}; an empty text is an empty list.
Result<std::vector<std::string>> parse_record(std::string_view text);

// One CSV record of `key=value`, split at the first `=`: `a=1,"b=2,3"` is {a: "1", b: "2,3"}.
Result<std::map<std::string, std::string>> parse_map(std::string_view text, char separator = '=');

// true, false, 1, 0, t, f and their spellings, as Go's strconv.ParseBool.
Result<bool> parse_bool(std::string_view text);

}  // namespace landfall::cli
