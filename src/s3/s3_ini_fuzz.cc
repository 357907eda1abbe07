#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "s3/ini.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using landfall::s3::parse_ini;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes as bytes.
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto file = parse_ini(text);
  if (!file) {
    return 0;
  }
  for (const auto& [section, keys] : *file) {
    if (section.empty()) {
      __builtin_trap();
    }
    for (const auto& [key, value] : keys) {
      if (key.empty() || value.find('\n') != std::string::npos) {
        __builtin_trap();
      }
    }
  }
  return 0;
}
