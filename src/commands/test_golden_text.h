#pragma once

#include <cctype>
#include <set>
#include <string>
#include <string_view>

#include "base/strings.h"

// For tests: output without what an API server makes up, as tests/data/cli-goldens has it.
namespace landfall::cli {

inline std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

// Takes the blocks of managedFields out of YAML: their lines are a list, or deeper than the key.
inline std::string without_managed_fields(std::string_view yaml) {
  std::string out;
  std::string indent;
  bool is_inside = false;
  std::size_t start = 0;
  while (start < yaml.size()) {
    const std::size_t end = std::min(yaml.find('\n', start), yaml.size() - 1) + 1;
    const std::string_view line = yaml.substr(start, end - start);
    start = end;
    is_inside = is_inside && (line.starts_with(indent + "-") || line.starts_with(indent + " "));
    if (is_inside) continue;
    const std::string_view words = line.substr(std::min(line.find_first_not_of(' '), line.size()));
    if (words == "managedFields:\n") {
      indent = std::string(line.size() - words.size(), ' ');
      is_inside = true;
      continue;
    }
    out += line;
  }
  return out;
}

inline bool is_uuid(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (is_dash ? text[i] != '-' : std::isxdigit(static_cast<unsigned char>(text[i])) == 0) return false;
  }
  return text.size() == 36;
}

inline std::string without_uuids(std::string text) {
  for (std::size_t at = 0; at + 36 <= text.size(); ++at) {
    if (is_uuid(std::string_view(text).substr(at, 36))) text.replace(at, 36, "00000000-0000-0000-0000-000000000000");
  }
  return text;
}

// The characters behind each `prefix` for which `is_part` holds.
template <class IsPart>
std::string with_fixed(std::string text, std::string_view prefix, std::string_view by, IsPart is_part) {
  for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at + prefix.size())) {
    const std::size_t start = at + prefix.size();
    std::size_t end = start;
    while (end < text.size() && is_part(text[end])) ++end;
    if (end > start) text.replace(start, end - start, by);
  }
  return text;
}

// `times` are those at which the objects were created and deleted.
inline std::string golden_text(std::string text, const std::set<std::string>& times) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_name = [&](char c) { return is_digit(c) || (c >= 'a' && c <= 'z'); };
  text = without_uuids(without_managed_fields(text));
  for (const std::string& time : times) {
    text = replaced(std::move(text), time, "2001-02-03T04:05:06Z");
    const std::string go = replaced(replaced(time, "T", " "), "Z", " +0000 UTC");
    text = replaced(std::move(text), go, "2001-02-03 04:05:06 +0000 UTC");
  }
  text = with_fixed(std::move(text), "resourceVersion: \"", "1", is_digit);
  return with_fixed(std::move(text), "velero-cli-", "xxxxx", is_name);
}

}  // namespace landfall::cli
