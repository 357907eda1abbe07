#include "k8s/field_selector.h"

#include <algorithm>

#include "base/utf8.h"

namespace landfall::k8s {
namespace {

// The texts between commas that no backslash stands before. What a backslash protects stays as it is.
std::vector<std::string_view> split_terms(std::string_view text) {
  std::vector<std::string_view> terms;
  std::size_t start = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == ',') {
      terms.push_back(text.substr(start, i - start));
      start = i + 1;
    }
  }
  terms.push_back(text.substr(start));
  return terms;
}

tl::unexpected<Error> invalid_escape(std::string_view sequence) {
  return fail(Code::kInvalid, "invalid field selector: invalid escape sequence: " + std::string(sequence));
}

Result<std::string> unescape(std::string_view escaped) {
  if (escaped.find_first_of("\\,=") == std::string_view::npos) {
    return std::string(escaped);
  }
  // From here on Kubernetes reads characters, not bytes: what is no UTF-8 is replaced.
  const std::string text = to_valid_utf8(escaped);
  std::string value;
  value.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ',' || text[i] == '=') {
      // Kubernetes names the character by its number.
      return fail(Code::kInvalid,
                  "invalid field selector: unescaped character in value: " + std::to_string(static_cast<int>(text[i])));
    }
    if (text[i] == '\\') {
      ++i;
      const std::string_view rest = std::string_view(text).substr(i);
      if (rest.empty()) {
        return invalid_escape("\\");
      }
      if (rest.front() != '\\' && rest.front() != ',' && rest.front() != '=') {
        return invalid_escape("\\" + std::string(rest.substr(0, first_rune(rest).size)));
      }
    }
    value += text[i];
  }
  return value;
}

struct RawTerm {
  std::string_view field;
  bool negated = false;
  std::string_view value;
};

// Cuts at the first operator. Nothing when there is none.
std::optional<RawTerm> split_term(std::string_view term) {
  for (std::size_t i = 0; i < term.size(); ++i) {
    const std::string_view rest = term.substr(i);
    const bool negated = rest.starts_with("!=");
    if (negated || rest.front() == '=') {
      const std::size_t size = negated || rest.starts_with("==") ? 2 : 1;
      return RawTerm{.field = term.substr(0, i), .negated = negated, .value = rest.substr(size)};
    }
  }
  return std::nullopt;
}

}  // namespace

Result<FieldSelector> FieldSelector::parse(std::string_view text) {
  std::vector<std::string_view> parts = split_terms(text);
  std::ranges::sort(parts);
  std::vector<Term> terms;
  for (const std::string_view part : parts) {
    if (part.empty()) {
      continue;
    }
    const auto raw = split_term(part);
    if (!raw) {
      return fail(Code::kInvalid,
                  "invalid selector: '" + std::string(text) + "'; can't understand '" + std::string(part) + "'");
    }
    TRY_ASSIGN(std::string value, "", unescape(raw->value));
    // A term of an operator alone restricts nothing, not even with "!=": Kubernetes drops it.
    if (!raw->field.empty() || !value.empty()) {
      terms.push_back({.field = std::string(raw->field), .negated = raw->negated, .value = std::move(value)});
    }
  }
  return FieldSelector(std::move(terms));
}

bool FieldSelector::matches(const Lookup& value_of) const {
  return std::ranges::all_of(terms_,
                             [&](const Term& term) { return (value_of(term.field) == term.value) != term.negated; });
}

bool FieldSelector::matches(const std::map<std::string, std::string>& fields) const {
  return std::ranges::all_of(terms_, [&](const Term& term) {
    const auto found = fields.find(term.field);
    return ((found == fields.end() ? std::string_view() : found->second) == term.value) != term.negated;
  });
}

std::optional<std::string> FieldSelector::required_value(std::string_view field) const {
  const auto found =
      std::ranges::find_if(terms_, [&](const Term& term) { return !term.negated && term.field == field; });
  return found == terms_.end() ? std::nullopt : std::optional(found->value);
}

std::string FieldSelector::to_string() const {
  std::string text;
  for (const Term& term : terms_) {
    text.append(text.empty() ? "" : ",").append(term.field);
    text.append(term.negated ? "!=" : "=").append(escape_field_value(term.value));
  }
  return text;
}

std::string escape_field_value(std::string_view value) {
  std::string escaped;
  escaped.reserve(value.size());
  for (const char c : value) {
    if (c == '\\' || c == ',' || c == '=') {
      escaped += '\\';
    }
    escaped += c;
  }
  return escaped;
}

}  // namespace landfall::k8s
