#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "archive/keyed_hash.h"

namespace landfall::archive {

// Numbers texts in the order in which they come, and keeps each once. Reading it is thread-safe.
class StringTable {
 public:
  // The number of the text; a new one when it was not there.
  std::uint32_t intern(std::string_view text);
  std::optional<std::uint32_t> find(std::string_view text) const;
  const std::string& text(std::uint32_t number) const { return texts_[number]; }
  std::size_t size() const { return texts_.size(); }
  // The text alone, without what it takes to find it.
  std::size_t text_bytes() const { return text_bytes_; }

 private:
  std::deque<std::string> texts_;  // stay in place: the numbers' keys point into them
  std::unordered_map<std::string_view, std::uint32_t, KeyedHash> numbers_{0, KeyedHash()};
  std::size_t text_bytes_ = 0;
};

}  // namespace landfall::archive
