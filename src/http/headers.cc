#include "http/headers.h"

#include <algorithm>
#include <array>

namespace landfall::http {
namespace {

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

constexpr std::array<bool, 256> token_characters() {
  std::array<bool, 256> table{};
  for (const char c : std::string_view("!#$%&'*+-.^_`|~0123456789"
                                       "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")) {
    table.at(static_cast<unsigned char>(c)) = true;
  }
  return table;
}
constexpr std::array<bool, 256> kTokenCharacters = token_characters();

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

}  // namespace

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
           return x == y || lower(x) == lower(y);  // names mostly come as we spell them
         });
}

bool is_token(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return kTokenCharacters[static_cast<unsigned char>(c)]; });
}

bool is_field_value(std::string_view text) {
  return std::ranges::none_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && byte != '\t') || byte == 0x7f;
  });
}

void Headers::add(std::string name, std::string value) { fields_.push_back({std::move(name), std::move(value)}); }

void Headers::set(std::string_view name, std::string value) {
  remove(name);
  add(std::string(name), std::move(value));
}

void Headers::remove(std::string_view name) {
  std::erase_if(fields_, [&](const Field& field) { return equals_ignoring_case(field.name, name); });
}

std::optional<std::string_view> Headers::get(std::string_view name) const {
  for (const Field& field : fields_) {
    if (equals_ignoring_case(field.name, name)) return field.value;
  }
  return std::nullopt;
}

std::vector<std::string_view> Headers::all(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const Field& field : fields_) {
    if (equals_ignoring_case(field.name, name)) values.push_back(field.value);
  }
  return values;
}

bool Headers::has_word(std::string_view name, std::string_view word) const {
  for (const Field& field : fields_) {
    if (!equals_ignoring_case(field.name, name)) continue;
    std::string_view rest = field.value;
    while (true) {
      const std::size_t comma = rest.find(',');
      if (equals_ignoring_case(trimmed(rest.substr(0, comma)), word)) return true;
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
  }
  return false;
}

}  // namespace landfall::http
