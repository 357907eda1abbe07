#include "io/http_message.h"

#include <algorithm>

namespace landfall::io {
namespace {

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

std::optional<std::string_view> HttpHeaders::get(std::string_view name) const {
  for (const Field& field : fields_) {
    if (same_name(field.first, name)) {
      return field.second;
    }
  }
  return std::nullopt;
}

std::vector<std::string_view> HttpHeaders::get_all(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const Field& field : fields_) {
    if (same_name(field.first, name)) {
      values.emplace_back(field.second);
    }
  }
  return values;
}

void HttpHeaders::set(std::string name, std::string value) {
  remove(name);
  add(std::move(name), std::move(value));
}

void HttpHeaders::remove(std::string_view name) {
  std::erase_if(fields_, [&](const Field& field) { return same_name(field.first, name); });
}

std::optional<std::string_view> HttpBody::in_memory() const {
  if (const auto* owned = std::get_if<std::string>(&content_)) {
    return *owned;
  }
  if (const auto* borrowed = std::get_if<std::string_view>(&content_)) {
    return *borrowed;
  }
  return std::nullopt;
}

}  // namespace landfall::io
