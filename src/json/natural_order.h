#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace landfall::json {

// The order in which Go's yaml writes keys: numbers inside them by value (a2 before a10), and what is no letter before
// letters. Not an order in the strict sense: a12 < a1b < a2 < a12.
bool naturally_less(std::string_view a, std::string_view b);

// A merge sort, because the ones of the standard library may not be given such an order.
template <class T, class KeyOf>
void sort_naturally(std::vector<T>& items, const KeyOf& key_of) {
  std::vector<T> sorted(items.size());
  for (std::size_t width = 1; width < items.size(); width *= 2) {
    for (std::size_t start = 0; start < items.size(); start += 2 * width) {
      std::size_t left = start;
      const std::size_t middle = std::min(start + width, items.size());
      std::size_t right = middle;
      const std::size_t end = std::min(start + 2 * width, items.size());
      for (std::size_t out = start; out < end; ++out) {
        const bool take_right =
            left == middle || (right < end && naturally_less(key_of(items[right]), key_of(items[left])));
        sorted[out] = std::move(items[take_right ? right++ : left++]);
      }
    }
    std::swap(items, sorted);
  }
}

}  // namespace landfall::json
