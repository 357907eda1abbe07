#include "json/text_place.h"

#include <algorithm>

namespace landfall::json {

std::string place_in(std::string_view text, std::size_t offset) {
  offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const auto newline = before.rfind('\n');
  const std::string_view line = newline == std::string_view::npos ? before : before.substr(newline + 1);
  // A byte that continues a character does not start a column.
  const auto columns =
      std::count_if(line.begin(), line.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
  return "line " + std::to_string(lines + 1) + ", column " + std::to_string(columns + 1) + " (byte " +
         std::to_string(offset + 1) + ")";
}

}  // namespace landfall::json
