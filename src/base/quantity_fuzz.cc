// Two quantities, one on each side of the first line break.

#include <cstdint>
#include <string_view>

#include "base/quantity.h"
#include "base/strings.h"

namespace {

using landfall::Quantity;

void require(bool holds) {
  if (!holds) {
    __builtin_trap();
  }
}

void check_text(const Quantity& quantity) {
  // A sum with a binary suffix past the cap is printed, but reads back capped.
  const Quantity cap = Quantity::of(INT64_MAX);
  if (quantity.format() == Quantity::Format::kBinarySi && (quantity > cap || quantity < Quantity() - cap)) {
    return;
  }
  const auto again = Quantity::parse(quantity.to_string());
  require(again.has_value());
  require(*again == quantity);
  // A sum of binary quantities that no binary suffix fits has none, and is read back as a decimal one.
  require(again->format() != quantity.format() || again->to_string() == quantity.to_string());
  require(again->value() == quantity.value());
}

}  // namespace

// The name is libFuzzer's.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): bytes as text.
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parts = landfall::cut(text, '\n');
  const auto a = Quantity::parse(parts ? parts->first : text);
  const auto b = Quantity::parse(parts ? parts->second : "1");
  if (!a || !b) {
    return 0;
  }
  check_text(*a);
  check_text(*a + *b);
  check_text(*a - *b);
  require(*a + *b == *b + *a);
  require((*a < *b) == (*a - *b < Quantity()));
  require(a->value() >= a->milli_value() / 1000 || a->milli_value() < 0);
  return 0;
}
