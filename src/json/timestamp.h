#pragma once

#include <string_view>

namespace landfall::json {

// True for the forms that Go's yaml.v2 takes for a timestamp when they are not quoted: 2006-1-2,
// 2006-1-2T15:4:5.999Z (or t, or an offset) and 2006-1-2 15:4:5.999. The date must exist.
bool is_timestamp(std::string_view text);

}  // namespace landfall::json
