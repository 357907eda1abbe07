#include "sandbox_kinds/printer_path.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "base/strings.h"
#include "json/json.h"
#include "json/parse.h"
#include "sandbox_kinds/document_parts.h"

namespace landfall::sandbox {
namespace {

using json::Json;
using Found = std::vector<const Json*>;

constexpr std::size_t kMaxValues = 1000;

// One field name behind a dot; a backslash takes the next character as it is. Moves the path past it.
std::string take_name(std::string_view& path) {
  std::string name;
  while (!path.empty() && path.front() != '.' && path.front() != '[') {
    if (path.front() == '\\' && path.size() > 1) {
      path.remove_prefix(1);
    }
    name += path.front();
    path.remove_prefix(1);
  }
  return name;
}

void add(Found& found, const Json* value) {
  if (value != nullptr && found.size() < kMaxValues) {
    found.push_back(value);
  }
}

Found fields_of(const Found& from, const std::string& name) {
  Found found;
  for (const Json* const value : from) {
    if (name == "*") {
      if (!value->is_structured()) {
        continue;
      }
      for (const Json& child : *value) {
        add(found, &child);
      }
    } else {
      add(found, value_in(*value, name));
    }
  }
  return found;
}

Found elements_of(const Found& from, std::int64_t index) {
  Found found;
  for (const Json* const value : from) {
    if (!value->is_array()) {
      continue;
    }
    const auto size = static_cast<std::int64_t>(value->size());
    const std::int64_t at = index < 0 ? index + size : index;
    if (at >= 0 && at < size) {
      add(found, &(*value)[static_cast<std::size_t>(at)]);
    }
  }
  return found;
}

bool is_quoted(std::string_view text) {
  return text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front();
}

// `@.type=="Ready"`
std::optional<Found> filtered(const Found& from, std::string_view condition) {
  const std::size_t op = condition.find("==");
  const std::size_t other = condition.find("!=");
  const std::size_t at = std::min(op, other);
  if (at == std::string_view::npos || !condition.starts_with("@")) {
    return std::nullopt;
  }
  const std::string_view path = trim(condition.substr(1, at - 1));
  const std::string_view literal = trim(condition.substr(at + 2));
  Json wanted;
  if (is_quoted(literal)) {
    wanted = literal.substr(1, literal.size() - 2);
  } else if (auto parsed = json::parse(literal)) {
    wanted = *std::move(parsed);
  } else {
    return std::nullopt;
  }
  if (path.find("[?") != std::string_view::npos) {
    return std::nullopt;  // filters do not nest
  }
  Found found;
  for (const Json* const value : from) {
    if (!value->is_array()) {
      continue;
    }
    for (const Json& element : *value) {
      const auto own = find_by_path(element, path);
      const bool is_equal = own && !own->empty() && *own->front() == wanted;
      if (own && !own->empty() && is_equal == (at == op)) {
        add(found, &element);
      }
    }
  }
  return found;
}

// What stands between brackets. A quoted name may hold brackets itself.
std::optional<std::string_view> take_bracket(std::string_view& path) {
  char quote = 0;
  for (std::size_t i = 1; i < path.size(); ++i) {
    const char c = path[i];
    if (quote != 0) {
      quote = c == quote ? '\0' : quote;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == ']') {
      const std::string_view inside = path.substr(1, i - 1);
      path.remove_prefix(i + 1);
      return inside;
    }
  }
  return std::nullopt;
}

std::optional<Found> bracket(const Found& from, std::string_view inside) {
  if (inside == "*") {
    return fields_of(from, "*");
  }
  if (is_quoted(inside)) {
    return fields_of(from, std::string(inside.substr(1, inside.size() - 2)));
  }
  if (const auto condition = strip_prefix(inside, "?(")) {
    const auto inner = strip_suffix(*condition, ")");
    return inner ? filtered(from, trim(*inner)) : std::nullopt;
  }
  if (const auto index = parse_int64(inside)) {
    return elements_of(from, *index);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<const Json*>> find_by_path(const Json& document, std::string_view path) {
  Found found = {&document};
  if (path.starts_with('{') && path.ends_with('}')) {
    path = path.substr(1, path.size() - 2);
  }
  while (!path.empty()) {
    if (path.front() == '[') {
      const auto inside = take_bracket(path);
      auto next = inside ? bracket(found, *inside) : std::nullopt;
      if (!next) {
        return std::nullopt;
      }
      found = *std::move(next);
      continue;
    }
    if (path.front() != '.') {
      return std::nullopt;
    }
    path.remove_prefix(1);
    if (const std::string name = take_name(path); !name.empty()) {
      found = fields_of(found, name);
    }
  }
  return found;
}

}  // namespace landfall::sandbox
