#include <cstddef>
#include <cstdint>
#include <string_view>

#include "plugin_protocol/handshake.h"

// A line that is read prints as a line that reads the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using landfall::plugin_protocol::parse_handshake;
  using landfall::plugin_protocol::print_handshake;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes as text.
  const auto read = parse_handshake(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!read) return 0;
  const auto again = parse_handshake(print_handshake(*read));
  if (!again || !(*again == *read)) __builtin_trap();
  return 0;
}
