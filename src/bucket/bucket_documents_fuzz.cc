#include <cstddef>
#include <cstdint>
#include <string_view>

#include "bucket/artifact.h"
#include "bucket/checksums.h"
#include "bucket/item_census.h"
#include "json/json.h"
#include "json/parse.h"

// A document that a bucket may hold, read as each of those that we look into. Checksums survive being written.

namespace landfall::bucket {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes as text.
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  io::StringReader reader(text);
  const auto document = decode(reader, Form::kJson);
  if (!document) return 0;
  (void)recorded_error(*document, "v1/Pod", "shop/db-0");
  (void)recorded_errors(*document);
  if (auto census = ItemCensus::from_list(*document)) {
    const auto before = static_cast<std::int64_t>(census->missing().size());
    if (before != census->listed()) __builtin_trap();
    const bool was_listed = census->found("apps/v1", "Deployment", "shop", "web");
    if (static_cast<std::int64_t>(census->missing().size()) != before - (was_listed ? 1 : 0)) __builtin_trap();
  }
  if (const auto checksums = checksums_from_json(*document)) {
    const auto again = checksums_from_json(to_json(*checksums));
    if (!again || to_json(*again) != to_json(*checksums)) __builtin_trap();
  }
  return 0;
}

}  // namespace landfall::bucket
