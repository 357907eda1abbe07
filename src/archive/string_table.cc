#include "archive/string_table.h"

namespace landfall::archive {

std::uint32_t StringTable::intern(std::string_view text) {
  if (const auto number = find(text)) {
    return *number;
  }
  const auto number = static_cast<std::uint32_t>(texts_.size());
  numbers_.emplace(texts_.emplace_back(text), number);
  text_bytes_ += text.size();
  return number;
}

std::optional<std::uint32_t> StringTable::find(std::string_view text) const {
  const auto found = numbers_.find(text);
  return found == numbers_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace landfall::archive
