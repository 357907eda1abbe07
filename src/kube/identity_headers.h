#pragma once

#include <string>

#include "base/result.h"
#include "io/http_message.h"
#include "kube/config.h"

namespace landfall::kube {

// Authorization and Impersonate-* as client-go sends them. A token wins over user and password. kInvalid, without the
// value, when one of them cannot stand in a header; `token_name` is what to call the token then.
Result<io::HttpHeaders> identity_headers(const Config& config, const std::string& token, const std::string& token_name);

// The part of the header's name for a key of Impersonation::extra: what cannot stand in a name is percent-encoded, and
// so is the percent sign.
std::string escape_extra_key(const std::string& key);

}  // namespace landfall::kube
