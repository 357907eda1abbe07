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
  const auto again = landfall::json::parse(landfall::json::dump_go(*document));
  require(again == *document);
  // From the second time on the text stays: Go's "-0" for -0.0 is read back as the integer 0.
  const std::string go = landfall::json::dump_go(*again);
  require(landfall::json::dump_go(*landfall::json::parse(go)) == go);
  return 0;
}
