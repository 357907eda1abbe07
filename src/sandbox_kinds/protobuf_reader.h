#pragma once

#include <string_view>

#include "base/result.h"
#include "json/json_fwd.h"

namespace landfall::sandbox {

// Reads the body that kubectl and other Go clients send for built-in kinds (application/vnd.kubernetes.protobuf) as the
// document that it stands for. kUnsupported for a kind that we have no schema of, kInvalid for damaged bytes. Pure.
Result<json::Json> read_protobuf(std::string_view body);

}  // namespace landfall::sandbox
