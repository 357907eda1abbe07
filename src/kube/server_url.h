#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace landfall::kube {

// "https://10.0.0.1:6443/prefix" from the server field of a kubeconfig: no slash at the end, no query, no fragment. As
// with kubectl "host:8080" without a scheme is plain HTTP. The message does not show the text.
Result<std::string> normalize_server(std::string_view text);

}  // namespace landfall::kube
