#pragma once

#include <string_view>

namespace landfall::sandbox {

// Data for protobuf_reader.cc; its grammar stands beside it.
extern const std::string_view kProtobufSchema;

}  // namespace landfall::sandbox
