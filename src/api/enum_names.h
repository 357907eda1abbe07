#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

// Enums whose values have names in resources. Each enum, counted from 0, has a table of names in its order.
namespace landfall::api {

template <class E>
struct EnumNames;

template <class E>
concept Named = requires { EnumNames<E>::kValue; };

template <Named E>
constexpr std::string_view to_string(E value) {
  return EnumNames<E>::kValue[static_cast<std::size_t>(value)];
}

// Nothing for a name that is not in the table.
template <Named E>
constexpr std::optional<E> parse_name(std::string_view name) {
  const auto& names = EnumNames<E>::kValue;
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) return std::nullopt;
  return static_cast<E>(found - names.begin());
}

}  // namespace landfall::api
