#include <cstdint>
#include <string_view>

#include "selection/resource_policies.h"

// Any text is an error with words, or policies that can be asked.
// The name is libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using landfall::selection::VolumePolicy;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes as text.
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto policies = landfall::selection::parse_resource_policies(text);
  if (!policies) {
    if (policies.error().message().empty()) {
      __builtin_trap();
    }
    return 0;
  }
  landfall::selection::VolumeFacts facts;
  facts.type = "nfs";
  facts.nfs.emplace();
  const VolumePolicy* found = policies->volumes.match(facts);
  if (found != nullptr && (found->origin.empty() || !found->conditions.match(facts))) {
    __builtin_trap();
  }
  // Appended to themselves they decide as before.
  const VolumePolicy* again = landfall::selection::merged_policies(&*policies, &*policies).volumes.match(facts);
  if ((found == nullptr) != (again == nullptr)) {
    __builtin_trap();
  }
  return 0;
}
