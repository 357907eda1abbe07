#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "json/json.h"
#include "json/parse.h"
#include "json/patch.h"
#include "json/strategic_merge.h"

namespace {

using landfall::Result;
using landfall::json::Json;
using landfall::json::PatchDialect;

void require(bool holds) {
  if (!holds) __builtin_trap();
}

bool has_null(const Json& value) {
  return value.is_null() ||
         (value.is_structured() && std::any_of(value.begin(), value.end(), [](const Json& v) { return has_null(v); }));
}

void check(const Result<Json>& result) {
  if (result) {
    require(landfall::json::depth_of(*result) <= landfall::json::kMaxDepth);
  } else {
    require(!result.error().message().empty());
  }
}

}  // namespace

// The input is a JSON list of a document and a patch, which is tried as every kind of patch.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes are characters.
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto input = landfall::json::parse(text);
  if (!input || !input->is_array() || input->size() != 2) return 0;
  const Json document = (*input)[0];
  const Json patch = (*input)[1];

  check(landfall::json::apply_json_patch(document, patch));
  check(landfall::json::apply_json_patch(document, patch, {.dialect = PatchDialect::kVelero}));
  check(landfall::json::apply_merge_patch(document, patch));
  check(landfall::json::apply_strategic_merge_patch(document, patch));
  require(document == (*input)[0] && patch == (*input)[1]);

  require(landfall::json::differences(document, patch).empty() == (document == patch));
  if (document.is_object() && patch.is_object() && !has_null(patch)) {
    const Json change = landfall::json::create_merge_patch(document, patch);
    require(landfall::json::apply_merge_patch(document, change) == patch);
  }
  return 0;
}
