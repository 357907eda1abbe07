#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/strings.h"
#include "json/json.h"
#include "json/parse.h"
#include "sandbox_kinds/crd_schema.h"

// The first line is a schema, the rest an object. Pruning and defaulting are idempotent, and nothing here may crash or
// run away.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using landfall::json::Json;
  const std::string_view text(reinterpret_cast<const char*>(data), size);  // NOLINT(*-reinterpret-cast)
  const auto parts = landfall::cut(text, '\n');
  const landfall::json::Limits limits{.max_bytes = std::size_t{1} << 16, .max_depth = 100};
  const auto schema_text = landfall::json::parse(parts ? parts->first : text, limits);
  if (!schema_text) {
    return 0;
  }
  const auto schema = landfall::sandbox::CrdSchema::parse(*schema_text, false);
  auto object = landfall::json::parse(parts ? parts->second : "{}", limits);
  if (!schema || !object) {
    return 0;
  }
  (*schema)->prune(*object);
  Json pruned = *object;
  if (!(*schema)->prune(pruned).empty() || pruned != *object) {
    __builtin_trap();
  }
  (*schema)->set_defaults(*object);
  Json again = *object;
  (*schema)->set_defaults(again);
  if (again != *object) {
    __builtin_trap();
  }
  (*schema)->validate(*object);
  return 0;
}
