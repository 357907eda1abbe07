#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "json/json.h"
#include "k8s/label_selector.h"
#include "k8s/label_selector_json.h"

namespace {

using landfall::json::StringMap;
using landfall::k8s::LabelRequirement;
using landfall::k8s::LabelSelector;

void require(bool holds) {
  if (!holds) {
    __builtin_trap();
  }
}

// Labels that come close to what the selector asks for: every key with its first value, with its last, with another.
std::vector<StringMap> labels_near(const LabelSelector& selector) {
  std::vector<StringMap> near(4);
  for (const LabelRequirement& requirement : selector.requirements()) {
    const auto& values = requirement.values();
    near[1][requirement.key()] = values.empty() ? "" : values.front();
    near[2][requirement.key()] = values.empty() ? "x" : values.back();
    near[3][requirement.key()] = "9";
  }
  return near;
}

void require_same_meaning(const LabelSelector& a, const LabelSelector& b) {
  for (const StringMap& labels : labels_near(a)) {
    require(a.matches(labels) == b.matches(labels));
  }
}

}  // namespace

// A selector that is read prints as a text that reads as the same selector, and its JSON form means the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes as text.
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto selector = LabelSelector::parse(text);
  if (!selector) {
    require(!selector.error().message().empty());
    return 0;
  }
  const std::string printed = selector->to_string();
  const auto again = LabelSelector::parse(printed);
  require(again.has_value() && *again == *selector && again->to_string() == printed);
  require_same_meaning(*selector, *again);

  if (const auto stored = landfall::k8s::label_selector_to_json(*selector)) {
    const auto loaded = landfall::k8s::label_selector_from_json(&*stored);
    require(loaded.has_value());
    require_same_meaning(*selector, *loaded);
  }
  return 0;
}
