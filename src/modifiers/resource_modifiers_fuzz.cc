#include <cstdint>
#include <string_view>

#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "modifiers/resource_modifiers.h"

namespace {

landfall::json::Json pod() {
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", {{"name", "web-0"}, {"namespace", "shop"}, {"labels", {{"app", "web"}}}}},
          {"spec", {{"containers", {{{"name", "main"}, {"image", "nginx"}}}}}}};
}

}  // namespace

// Any text is an error with words, or rules that leave an object an object, and the same one each time.
// The name is libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using landfall::json::Json;
  using landfall::modifiers::ResourceModifiers;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes as text.
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto modifiers = ResourceModifiers::parse(text);
  if (!modifiers) {
    if (modifiers.error().message().empty()) __builtin_trap();
    return 0;
  }
  const landfall::k8s::GroupResource pods{"", "pods"};
  Json first = pod();
  Json second = pod();
  const auto failures = modifiers->apply(pods, first);
  if (failures != modifiers->apply(pods, second) || first != second) __builtin_trap();
  if (landfall::json::string_or(first, {"kind"}, "").empty()) __builtin_trap();
  if (landfall::json::depth_of(first) > landfall::json::kMaxDepth) __builtin_trap();
  if (!modifiers->sees(pods) && (first != pod() || !failures.empty())) __builtin_trap();
  return 0;
}
