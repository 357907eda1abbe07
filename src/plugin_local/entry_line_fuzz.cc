#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "plugin_local/entry.h"

// Whatever is read can be written, and reads the same; no path leads out.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes as bytes.
  const auto entry = landfall::plugin_local::parse_line({reinterpret_cast<const char*>(data), size});
  if (!entry) return 0;
  const std::string& path = entry->path;
  if (path.empty() || path.front() == '/' || path == ".." || path.starts_with("../")) std::abort();
  const auto again = landfall::plugin_local::parse_line(to_line(*entry));
  if (!again || again->path != entry->path || again->attributes != entry->attributes) std::abort();
  return 0;
}
