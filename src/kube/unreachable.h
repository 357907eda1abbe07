#pragma once

#include <string>

#include "base/result.h"

namespace landfall::kube {

// The detail of an error of a call that found no API server: the connection could not be made.
struct Unreachable final : ErrorDetail {
  std::string server;  // "https://10.0.0.1:6443"
  std::string origin;  // where that comes from: "context prod of /root/.kube/config"
  std::string what;    // the part of the error's message that this is about: the call, the address and the reason
  std::string reason;  // "cannot connect: Connection refused"
};

}  // namespace landfall::kube
