#include "base/encoding.h"

#include <array>
#include <cstdint>

namespace landfall {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";
constexpr std::string_view kStandard = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::string_view kUrl = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr std::uint8_t kNone = 0xFF;

using Inverse = std::array<std::uint8_t, 256>;

constexpr Inverse inverse_of(std::string_view alphabet) {
  Inverse inverse{};
  inverse.fill(kNone);
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    inverse.at(static_cast<std::uint8_t>(alphabet[i])) = static_cast<std::uint8_t>(i);
  }
  return inverse;
}

constexpr Inverse kStandardInverse = inverse_of(kStandard);
constexpr Inverse kUrlInverse = inverse_of(kUrl);

std::uint8_t hex_digit(char c) {
  const char lower = c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
  const std::size_t at = kHex.find(lower);
  return at == std::string_view::npos ? kNone : static_cast<std::uint8_t>(at);
}

tl::unexpected<Error> stray(std::string_view encoding, std::size_t offset) {
  return fail(Code::kInvalid,
              "not " + std::string(encoding) + ": unexpected character at offset " + std::to_string(offset));
}

std::string encode(std::string_view bytes, std::string_view alphabet) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (const char c : bytes) {
    bits = (bits << 8U) | static_cast<std::uint8_t>(c);
    for (held += 8; held >= 6; held -= 6) {
      out += alphabet[(bits >> (held - 6)) & 0x3FU];
    }
  }
  if (held > 0) {
    out += alphabet[(bits << (6 - held)) & 0x3FU];
  }
  return out;
}

// Text without padding.
Result<std::string> decode(std::string_view text, const Inverse& inverse) {
  std::string out;
  out.reserve(text.size() / 4 * 3 + 2);
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::uint8_t digit = inverse.at(static_cast<std::uint8_t>(text[i]));
    if (digit == kNone) {
      return stray("base64", i);
    }
    bits = (bits << 6U) | digit;
    held += 6;
    if (held >= 8) {
      held -= 8;
      out += static_cast<char>((bits >> held) & 0xFFU);
    }
  }
  if (text.size() % 4 == 1) {
    return fail(Code::kInvalid, "not base64: it ends in the middle of a byte");
  }
  if ((bits & ((1U << held) - 1)) != 0) {
    return fail(Code::kInvalid, "not base64: the last character has bits that are not used");
  }
  return out;
}

}  // namespace

std::string hex_encode(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<std::uint8_t>(c);
    out += kHex[byte >> 4U];
    out += kHex[byte & 0xFU];
  }
  return out;
}

Result<std::string> hex_decode(std::string_view text) {
  std::string out;
  out.reserve(text.size() / 2);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::uint8_t digit = hex_digit(text[i]);
    if (digit == kNone) {
      return stray("hexadecimal", i);
    }
    if (i % 2 == 0) {
      out += static_cast<char>(digit << 4U);
    } else {
      out.back() = static_cast<char>(static_cast<std::uint8_t>(out.back()) | digit);
    }
  }
  if (text.size() % 2 != 0) {
    return fail(Code::kInvalid, "not hexadecimal: an odd number of digits");
  }
  return out;
}

std::string base64_encode(std::string_view bytes) {
  std::string out = encode(bytes, kStandard);
  out.append((4 - out.size() % 4) % 4, '=');
  return out;
}

Result<std::string> base64_decode(std::string_view text) {
  if (text.size() % 4 != 0) {
    return fail(Code::kInvalid, "not base64: its length, " + std::to_string(text.size()) + ", is not a multiple of 4");
  }
  for (int padding = 0; padding < 2 && text.ends_with('='); ++padding) {
    text.remove_suffix(1);
  }
  return decode(text, kStandardInverse);
}

std::string base64url_encode(std::string_view bytes) { return encode(bytes, kUrl); }

Result<std::string> base64url_decode(std::string_view text) { return decode(text, kUrlInverse); }

}  // namespace landfall
