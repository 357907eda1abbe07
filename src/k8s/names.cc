#include "k8s/names.h"

#include <algorithm>
#include <initializer_list>
#include <string>

#include "base/digest.h"

namespace landfall::k8s {
namespace {

constexpr std::size_t kPortNameMax = 15;
constexpr std::size_t kHashDigits = 6;  // of a shortened name
constexpr std::string_view kKelvinSign = "\xE2\x84\xAA";
constexpr std::string_view kDottedCapitalI = "\xC4\xB0";

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower_or_digit(char c) { return is_lower(c) || is_digit(c); }
bool is_alphanumeric(char c) { return is_lower_or_digit(c) || is_upper(c); }

// The shape all these names share: one rule for the first byte, one for the last, one for those between.
template <class First, class Middle, class Last>
bool has_shape(std::string_view value, First first, Middle middle, Last last) {
  return !value.empty() && first(value.front()) && last(value.back()) && std::ranges::all_of(value, middle);
}

bool is_dash_label(std::string_view value) {
  return has_shape(
      value, is_lower_or_digit, [](char c) { return is_lower_or_digit(c) || c == '-'; }, is_lower_or_digit);
}

bool is_dotted_labels(std::string_view value) {
  for (;;) {
    const std::size_t dot = value.find('.');
    if (!is_dash_label(value.substr(0, dot))) {
      return false;
    }
    if (dot == std::string_view::npos) {
      return true;
    }
    value.remove_prefix(dot + 1);
  }
}

bool is_loose_name(std::string_view value) {
  return has_shape(
      value, is_alphanumeric, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; },
      is_alphanumeric);
}

std::string too_long(std::size_t limit) { return "must be no more than " + std::to_string(limit) + " characters"; }

std::string wrong_shape(std::string_view rule, std::string_view regex,
                        std::initializer_list<std::string_view> examples) {
  std::string text(rule);
  text += " (e.g. ";
  bool first = true;
  for (const std::string_view example : examples) {
    text.append(first ? "'" : " or '").append(example).append("', ");
    first = false;
  }
  return text.append("regex used for validation is '").append(regex).append("')");
}

std::string wrong_subdomain() {
  return wrong_shape(
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start "
      "and end with an alphanumeric character",
      R"([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)", {"example.com"});
}

std::string wrong_loose_name() {
  return wrong_shape(
      "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
      "character",
      "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]", {"MyName", "my.name", "123-abc"});
}

Problems prefix_problems(std::string_view prefix) {
  Problems problems;
  if (prefix.empty()) {
    problems.emplace_back("prefix part must be non-empty");
    return problems;
  }
  for (const std::string& problem : dns1123_subdomain_problems(prefix)) {
    problems.push_back("prefix part " + problem);
  }
  return problems;
}

// Lower case as Go makes it, as far as it can turn a key into a valid one: two characters outside ASCII have an ASCII
// letter for their lower case, and Kubernetes takes them in annotation keys.
std::string lower_for_keys(std::string_view value) {
  std::string lower;
  lower.reserve(value.size());
  while (!value.empty()) {
    if (value.starts_with(kKelvinSign)) {
      lower += 'k';
      value.remove_prefix(kKelvinSign.size());
    } else if (value.starts_with(kDottedCapitalI)) {
      lower += 'i';
      value.remove_prefix(kDottedCapitalI.size());
    } else {
      const char c = value.front();
      lower += is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
      value.remove_prefix(1);
    }
  }
  return lower;
}

}  // namespace

Problems dns1123_label_problems(std::string_view value) {
  Problems problems;
  if (value.size() > kLabelNameMax) {
    problems.push_back(too_long(kLabelNameMax));
  }
  if (is_dash_label(value)) {
    return problems;
  }
  if (is_dotted_labels(value)) {
    problems.emplace_back("must not contain dots");
  } else {
    problems.push_back(wrong_shape(
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end "
        "with an alphanumeric character",
        "[a-z0-9]([-a-z0-9]*[a-z0-9])?", {"my-name", "123-abc"}));
  }
  return problems;
}

Problems dns1123_subdomain_problems(std::string_view value) {
  Problems problems;
  if (value.size() > kSubdomainNameMax) {
    problems.push_back(too_long(kSubdomainNameMax));
  }
  if (!is_dotted_labels(value)) {
    problems.push_back(wrong_subdomain());
  }
  return problems;
}

Problems dns1035_label_problems(std::string_view value) {
  Problems problems;
  if (value.size() > kLabelNameMax) {
    problems.push_back(too_long(kLabelNameMax));
  }
  if (!is_dash_label(value) || !is_lower(value.front())) {
    problems.push_back(wrong_shape(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic "
        "character, and end with an alphanumeric character",
        "[a-z]([-a-z0-9]*[a-z0-9])?", {"my-name", "abc-123"}));
  }
  return problems;
}

Problems qualified_name_problems(std::string_view value) {
  const std::size_t slash = value.find('/');
  Problems problems;
  std::string_view name = value;
  if (slash != std::string_view::npos) {
    name = value.substr(slash + 1);
    if (name.find('/') != std::string_view::npos) {
      problems.push_back("a qualified name " + wrong_loose_name() +
                         " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
      return problems;
    }
    problems = prefix_problems(value.substr(0, slash));
  }
  if (name.empty()) {
    problems.emplace_back("name part must be non-empty");
  } else if (name.size() > kLabelNameMax) {
    problems.push_back("name part " + too_long(kLabelNameMax));
  }
  if (!is_loose_name(name)) {
    problems.push_back("name part " + wrong_loose_name());
  }
  return problems;
}

Problems label_value_problems(std::string_view value) {
  Problems problems;
  if (value.size() > kLabelNameMax) {
    problems.push_back(too_long(kLabelNameMax));
  }
  if (!value.empty() && !is_loose_name(value)) {
    problems.push_back(wrong_shape(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start "
        "and end with an alphanumeric character",
        "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?", {"MyValue", "my_value", "12345"}));
  }
  return problems;
}

Problems annotation_key_problems(std::string_view value) { return qualified_name_problems(lower_for_keys(value)); }

Problems path_segment_problems(std::string_view value) {
  Problems problems;
  if (value == "." || value == "..") {
    problems.push_back("may not be '" + std::string(value) + "'");
    return problems;
  }
  for (const char forbidden : {'/', '%'}) {
    if (value.find(forbidden) != std::string_view::npos) {
      problems.push_back(std::string("may not contain '") + forbidden + "'");
    }
  }
  return problems;
}

Problems port_name_problems(std::string_view value) {
  Problems problems;
  if (value.size() > kPortNameMax) {
    problems.push_back(too_long(kPortNameMax));
  }
  if (value.empty() || !std::ranges::all_of(value, [](char c) { return is_lower_or_digit(c) || c == '-'; })) {
    problems.emplace_back("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)");
  }
  if (std::ranges::none_of(value, is_lower)) {
    problems.emplace_back("must contain at least one letter (a-z)");
  }
  if (value.find("--") != std::string_view::npos) {
    problems.emplace_back("must not contain consecutive hyphens");
  }
  if (!value.empty() && (value.front() == '-' || value.back() == '-')) {
    problems.emplace_back("must not begin or end with a hyphen");
  }
  return problems;
}

Problems finalizer_name_problems(std::string_view value) { return qualified_name_problems(value); }

Problems config_key_problems(std::string_view value) {
  const auto allowed = [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; };
  Problems problems;
  if (value.size() > kSubdomainNameMax) {
    problems.push_back(too_long(kSubdomainNameMax));
  }
  if (value.empty() || !std::ranges::all_of(value, allowed)) {
    problems.push_back(wrong_shape("a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
                                   "[-._a-zA-Z0-9]+", {"key.name", "KEY_NAME", "key-name"}));
  }
  if (value == "." || value == "..") {
    problems.push_back("must not be '" + std::string(value) + "'");
  } else if (value.starts_with("..")) {
    problems.emplace_back("must not start with '..'");
  }
  return problems;
}

std::string joined(const Problems& problems) {
  std::string text;
  for (const std::string& problem : problems) {
    text.append(text.empty() ? "" : "; ").append(problem);
  }
  return text;
}

std::string label_safe(std::string_view name) {
  if (name.size() <= kLabelNameMax) {
    return std::string(name);
  }
  return std::string(name.substr(0, kLabelNameMax - kHashDigits)) + sha256_hex(name).substr(0, kHashDigits);
}

}  // namespace landfall::k8s
