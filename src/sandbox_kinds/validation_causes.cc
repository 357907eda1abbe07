#include "sandbox_kinds/validation_causes.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/quote.h"
#include "base/strings.h"
#include "json/json.h"
#include "json/parse.h"
#include "sandbox_kinds/document_parts.h"

namespace landfall::sandbox {
namespace {

using json::Json;

std::string printed(const Json& value) {
  return value.is_string() ? quote(value.get_ref<const std::string&>()) : json::dump_go(value);
}

Cause cause(std::string_view reason, std::string_view type, std::string field, std::string_view rest) {
  std::string message(type);
  return {.reason = std::string(reason), .message = message.append(rest), .field = std::move(field)};
}

}  // namespace

Cause required_cause(std::string field, std::string_view detail) {
  const std::string rest = detail.empty() ? std::string() : ": " + std::string(detail);
  return cause("FieldValueRequired", "Required value", std::move(field), rest);
}

Cause invalid_shown_cause(std::string field, std::string_view shown, std::string_view detail) {
  return cause("FieldValueInvalid", "Invalid value: ", std::move(field),
               std::string(shown).append(": ").append(detail));
}

Cause invalid_cause(std::string field, const Json& value, std::string_view detail) {
  return invalid_shown_cause(std::move(field), printed(value), detail);
}

Cause unsupported_cause(std::string field, const Json& value, std::initializer_list<std::string_view> allowed) {
  return unsupported_shown_cause(std::move(field), printed(value), allowed);
}

Cause unsupported_shown_cause(std::string field, std::string_view shown,
                              std::initializer_list<std::string_view> allowed) {
  std::vector<std::string> quoted;
  for (const std::string_view one : allowed) {
    quoted.push_back(quote(one));
  }
  return cause("FieldValueNotSupported", "Unsupported value: ", std::move(field),
               std::string(shown) + ": supported values: " + join(quoted, ", "));
}

Cause forbidden_cause(std::string field, std::string_view detail) {
  return cause("FieldValueForbidden", "Forbidden: ", std::move(field), detail);
}

Cause duplicate_cause(std::string field, const Json& value) {
  return cause("FieldValueDuplicate", "Duplicate value: ", std::move(field), printed(value));
}

Cause not_found_cause(std::string field, const Json& value) {
  return cause("FieldValueNotFound", "Not found: ", std::move(field), printed(value));
}

Cause too_long_cause(std::string field, std::size_t limit) {
  return cause("FieldValueTooLong", "Too long: ", std::move(field),
               "may not be more than " + std::to_string(limit) + " bytes");
}

void add_problems(Causes& causes, const std::string& field, std::string_view value, const k8s::Problems& problems) {
  for (const std::string& problem : problems) {
    causes.push_back(invalid_cause(field, value, problem));
  }
}

void add_if_unsupported(Causes& causes, const std::string& parent_field, const Json& parent, std::string_view key,
                        std::initializer_list<std::string_view> allowed) {
  const Json* const value = value_in(parent, key);
  if (value != nullptr && value->is_string() &&
      std::ranges::find(allowed, value->get_ref<const std::string&>()) == allowed.end()) {
    causes.push_back(unsupported_cause(parent_field + std::string(key), *value, allowed));
  }
}

void add_if_negative(Causes& causes, const std::string& parent_field, const Json& parent, std::string_view key) {
  const Json* const value = value_in(parent, key);
  if (value != nullptr && value->is_number() && *value < 0) {
    causes.push_back(invalid_cause(parent_field + std::string(key), *value, "must be greater than or equal to 0"));
  }
}

bool is_port_number(const Json& value) {
  constexpr int kLastPort = 65535;
  return value.is_number_integer() && value.get<std::int64_t>() >= 1 && value.get<std::int64_t>() <= kLastPort;
}

Cause bad_port_cause(std::string field, const Json& value) {
  return invalid_cause(std::move(field), value, "must be between 1 and 65535, inclusive");
}

void add_if_changed(Causes& causes, const std::string& field, const Json* old, const Json* next) {
  const Json nothing;
  const Json& before = old == nullptr ? nothing : *old;
  const Json& after = next == nullptr ? nothing : *next;
  if (before != after) {
    causes.push_back(invalid_cause(field, after, "field is immutable"));
  }
}

}  // namespace landfall::sandbox
