#include "json/utf8.h"

#include <cstdint>

namespace landfall::json {
namespace {

// What the lead byte promises: the length of the character and the range of its second byte, which rules out overlong
// forms, surrogates and what lies past U+10FFFF.
struct Lead {
  std::size_t length = 0;
  std::uint8_t second_least = 0x80;
  std::uint8_t second_most = 0xBF;
};

Lead lead_of(std::uint8_t byte) {
  if (byte < 0x80) return {.length = 1};
  if (byte < 0xC2) return {};
  if (byte < 0xE0) return {.length = 2};
  if (byte == 0xE0) return {.length = 3, .second_least = 0xA0};
  if (byte == 0xED) return {.length = 3, .second_most = 0x9F};
  if (byte < 0xF0) return {.length = 3};
  if (byte == 0xF0) return {.length = 4, .second_least = 0x90};
  if (byte < 0xF4) return {.length = 4};
  if (byte == 0xF4) return {.length = 4, .second_most = 0x8F};
  return {};
}

std::uint8_t byte_at(std::string_view text, std::size_t i) { return static_cast<std::uint8_t>(text[i]); }

}  // namespace

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const Lead lead = lead_of(byte_at(text, 0));
  if (lead.length <= 1) return lead.length;
  if (text.size() < lead.length) return 0;
  if (byte_at(text, 1) < lead.second_least || byte_at(text, 1) > lead.second_most) return 0;
  for (std::size_t i = 2; i < lead.length; ++i) {
    if (byte_at(text, i) < 0x80 || byte_at(text, i) > 0xBF) return 0;
  }
  return lead.length;
}

std::size_t find_invalid_utf8(std::string_view text) {
  std::size_t offset = 0;
  while (offset < text.size()) {
    const std::size_t length = utf8_length(text.substr(offset));
    if (length == 0) return offset;
    offset += length;
  }
  return std::string_view::npos;
}

}  // namespace landfall::json
