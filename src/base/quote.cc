#include "base/quote.h"

#include <array>

#include "base/utf8.h"

namespace landfall {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";

void append_hex(std::string& out, std::string_view prefix, char32_t value, unsigned digits) {
  out += prefix;
  for (unsigned i = digits; i > 0; --i) {
    out += kHex[(value >> (4 * (i - 1))) & 0xFU];
  }
}

// The letter of a backslash escape that Go's %q uses, or 0.
char go_escape(char32_t rune) {
  switch (rune) {
    case '\a':
      return 'a';
    case '\b':
      return 'b';
    case '\f':
      return 'f';
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    case '\v':
      return 'v';
    case '"':
    case '\\':
      return static_cast<char>(rune);
    default:
      return 0;
  }
}

// The same for JSON, which knows two fewer.
char json_escape(char32_t rune) { return rune == '\a' || rune == '\v' ? '\0' : go_escape(rune); }

bool json_needs_hex(char32_t rune) {
  return rune < 0x20 || rune == '<' || rune == '>' || rune == '&' || rune == 0x2028 || rune == 0x2029;
}

}  // namespace

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const Rune rune = first_rune(text);
    if (!rune.valid) {
      append_hex(out, "\\x", static_cast<unsigned char>(text.front()), 2);
    } else if (const char letter = go_escape(rune.value); letter != 0) {
      out += '\\';
      out += letter;
    } else if (is_printable(rune.value)) {
      out += text.substr(0, rune.size);
    } else if (rune.value < 0x80) {
      append_hex(out, "\\x", rune.value, 2);
    } else if (rune.value < 0x10000) {
      append_hex(out, "\\u", rune.value, 4);
    } else {
      append_hex(out, "\\U", rune.value, 8);
    }
    text.remove_prefix(rune.size);
  }
  out += '"';
}

std::string quote(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 2);
  append_quoted(out, text);
  return out;
}

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const Rune rune = first_rune(text);
    if (!rune.valid) {
      append_hex(out, "\\u", kReplacementRune, 4);
    } else if (const char letter = json_escape(rune.value); letter != 0) {
      out += '\\';
      out += letter;
    } else if (json_needs_hex(rune.value)) {
      append_hex(out, "\\u", rune.value, 4);
    } else {
      out += text.substr(0, rune.size);
    }
    text.remove_prefix(rune.size);
  }
  out += '"';
}

}  // namespace landfall
