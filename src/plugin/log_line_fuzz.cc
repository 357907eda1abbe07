#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/utf8.h"
#include "plugin/log_line.h"

// Whatever a plugin writes becomes a line of valid text and bounded size.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  landfall::plugin::LogLineReader reader;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes as text.
  const auto line = reader.read(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!landfall::is_valid_utf8(line.message) || line.fields.size() > landfall::plugin::LogLineReader::kMostFields) {
    __builtin_trap();
  }
  return 0;
}
