#pragma once

#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace landfall::s3 {

// "Sun, 06 Nov 1994 08:49:37 GMT", the one form that HTTP's servers write. kInvalid for anything else.
Result<WallTime> parse_http_date(std::string_view text);

}  // namespace landfall::s3
