#pragma once

#include <string_view>

#include "base/result.h"
#include "io/http_message.h"
#include "io/url.h"

namespace landfall::io {

// What a header's name or a method is made of.
bool is_http_token(std::string_view text);
// No line breaks or other control characters: what a header's value, and so an attacker's, must not smuggle in.
bool is_http_field_value(std::string_view text);

// The parsed URL of a request that can be sent as it stands, or kInvalid. The messages name a header, never show its
// value.
Result<Url> check_request(const HttpRequest& request);

}  // namespace landfall::io
