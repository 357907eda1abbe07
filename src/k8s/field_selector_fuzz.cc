#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "k8s/field_selector.h"

namespace {

using landfall::k8s::FieldSelector;

std::vector<FieldSelector::Term> sorted_terms(const FieldSelector& selector) {
  auto terms = selector.terms();
  std::ranges::sort(terms);
  return terms;
}

}  // namespace

// A selector that is read prints as a text that reads as the same terms. Their order may change: Kubernetes sorts the
// texts of the terms, and "a==5" prints as "a=5".
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes as text.
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto selector = FieldSelector::parse(text);
  if (!selector) {
    return 0;
  }
  const auto again = FieldSelector::parse(selector->to_string());
  if (!again || sorted_terms(*again) != sorted_terms(*selector)) {
    __builtin_trap();
  }
  return 0;
}
