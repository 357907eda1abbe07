#include <cstddef>
#include <cstdint>
#include <string_view>

#include "json/json.h"
#include "json/yaml.h"

namespace {

using landfall::json::Json;
using landfall::json::YamlLines;

void require(bool holds) {
  if (!holds) __builtin_trap();
}

}  // namespace

// What parses is written and read back as the same document, folded or not.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes are characters.
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto documents = landfall::json::parse_yaml_documents(text, {.max_alias_bytes = 1U << 16U});
  if (!documents) {
    require(!documents.error().message().empty());
    return 0;
  }
  for (const Json& document : *documents) {
    require(landfall::json::depth_of(document) <= landfall::json::kMaxDepth);
    for (const YamlLines lines : {YamlLines::kWhole, YamlLines::kWrapped}) {
      require(landfall::json::parse_yaml(landfall::json::to_yaml(document, lines)) == document);
    }
  }
  return 0;
}
