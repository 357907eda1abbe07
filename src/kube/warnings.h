#pragma once

#include <string>
#include <vector>

#include "io/http_message.h"

namespace landfall::kube {

// The texts of an answer's Warning headers (`299 - "text"`), unquoted, control characters taken out; at most a few,
// each cut to a sane length.
std::vector<std::string> parse_warnings(const io::HttpHeaders& headers);

}  // namespace landfall::kube
