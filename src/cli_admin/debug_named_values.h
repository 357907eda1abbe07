#pragma once

#include <string>
#include <string_view>

namespace landfall::cli {

// Free text without the values that a name or a flag before them says to be secret: password=…, "token": "…",
// --db-pass …, mysql -p…, curl -u user:….
std::string without_named_values(std::string_view text);

// Free text without what stands before the last @ of a word: postgres://user:password@host, user:password@tcp(host).
// Digests of images (@sha256:) are none of that.
std::string without_users(std::string_view text);

}  // namespace landfall::cli
