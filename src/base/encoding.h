#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

// Bytes as text and back. The decoders are strict and fail with kInvalid; their messages name the offset and never show
// the text, which may be a secret.

namespace landfall {

// Lower case; the decoder reads upper case as well.
std::string hex_encode(std::string_view bytes);
Result<std::string> hex_decode(std::string_view text);

// The standard alphabet with padding, as in a Secret's data. Decoding wants the padding, and no line breaks or stray
// bits.
std::string base64_encode(std::string_view bytes);
Result<std::string> base64_decode(std::string_view text);

// The alphabet for URLs and file names, without padding.
std::string base64url_encode(std::string_view bytes);
Result<std::string> base64url_decode(std::string_view text);

}  // namespace landfall
