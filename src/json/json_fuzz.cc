#include <cstddef>
#include <cstdint>
#include <string_view>

#include "json/json.h"
#include "json/parse.h"

namespace {

using landfall::json::Json;

void require(bool holds) {
  if (!holds) __builtin_trap();
}

}  // namespace

// What parses is written and read back as the same document, by each writer.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes are characters.
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto document = landfall::json::parse(text);
  if (!document) {
    require(!document.error().message().empty());
    return 0;
  }
  require(landfall::json::depth_of(*document) <= landfall::json::kMaxDepth);
  require(landfall::json::parse(landfall::json::dump(*document)) == *document);
  require(landfall::json::parse(landfall::json::dump_pretty(*document)) == *document);
  const std::string go = landfall::json::dump_go(*document);
  const auto again = landfall::json::parse(go);
  require(again == *document);
  require(landfall::json::dump_go(*again) == go);
  return 0;
}
