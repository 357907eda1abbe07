#include <cstddef>
#include <cstdint>
#include <string_view>

#include "json/json.h"
#include "json/parse.h"
#include "sandbox/field_set.h"
#include "sandbox/managed_fields.h"
#include "sandbox/registry.h"

// Two documents, one a line: a live object and a configuration. Applying is stable: what was applied is in the result,
// applying it again changes nothing, and the fields that are owned survive being written and read.

namespace landfall::sandbox {

using json::Json;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Registry registry;
  static const KindPtr kind = registry.kinds()->find("apps", "v1", "deployments");
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes as text.
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t line = text.find('\n');
  if (line == std::string_view::npos) return 0;
  const json::Limits limits{.max_bytes = 4096, .max_depth = 50};
  auto live = json::parse(text.substr(0, line), limits);
  const auto wanted = json::parse(text.substr(line + 1), limits);
  if (!live || !wanted || !live->is_object() || !wanted->is_object()) return 0;
  if (!live->contains("metadata") || !(*live)["metadata"].is_object()) (*live)["metadata"] = Json::object();
  if (const auto metadata = wanted->find("metadata"); metadata != wanted->end() && !metadata->is_object()) return 0;

  if (!repeated_elements(*kind, *wanted).empty()) return 0;
  const FieldManager me{"me", "apps/v1", "", "2030-01-01T00:00:00Z"};
  track_update(*kind, Json::object(), *live, {"other", "apps/v1", "", "2030-01-01T00:00:00Z"});
  const FieldSet fields = fields_of(*kind, *live);
  if (FieldSet::from_json(fields.to_json()) != fields) __builtin_trap();

  (void)apply_configuration(*kind, *live, *wanted, me, false);
  const auto once = apply_configuration(*kind, *live, *wanted, me, true);
  if (!once) __builtin_trap();  // by force there is no conflict
  const auto twice = apply_configuration(*kind, *once, *wanted, me, true);
  if (!twice || *twice != *once) __builtin_trap();
  return 0;
}

}  // namespace landfall::sandbox
