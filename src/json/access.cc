#include "json/access.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>
#include <utility>

#include "json/json.h"

namespace landfall::json {
namespace {

using Keys = std::span<const std::string_view>;

std::optional<std::size_t> parse_index(std::string_view key) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
  if (error != std::errc() || end != key.data() + key.size()) return std::nullopt;
  return index;
}

bool is_index(std::string_view key) { return parse_index(key).has_value(); }

template <class Document>
Document* child_of(Document& parent, std::string_view key) {
  if (parent.is_object()) {
    const auto member = parent.find(key);
    return member == parent.end() ? nullptr : &*member;
  }
  if (parent.is_array()) {
    const auto index = parse_index(key);
    return index && *index < parent.size() ? &parent[*index] : nullptr;
  }
  return nullptr;
}

// The value even when it is null; nullptr only when there is none.
template <class Document>
Document* walk(Document& document, Keys keys) {
  Document* here = &document;
  for (const std::string_view key : keys) {
    here = child_of(*here, key);
    if (here == nullptr) return nullptr;
  }
  return here;
}

template <class Document>
Document* find_in(Document& document, Keys keys) {
  Document* value = walk(document, keys);
  return value == nullptr || value->is_null() ? nullptr : value;
}

std::string path_text(Keys keys) {
  std::string text;
  for (const std::string_view key : keys) {
    if (is_index(key) || key.empty() || key.find_first_of("./[] ") != std::string_view::npos) {
      text.append("[").append(key).append("]");
    } else {
      text.append(text.empty() ? "" : ".").append(key);
    }
  }
  return text.empty() ? "the document" : text;
}

tl::unexpected<Error> wrong_type(std::string_view where, std::string_view expected, const Json& got) {
  std::string message(where);
  message.append(": expected ").append(expected).append(", got ").append(type_name(got));
  return fail(Code::kInvalid, std::move(message));
}

tl::unexpected<Error> missing(Keys keys) { return fail(Code::kNotFound, path_text(keys) + ": missing"); }

std::optional<std::int64_t> as_int(const Json& value) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
    return static_cast<std::int64_t>(number);
  }
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number_float()) {
    const auto number = value.get<double>();
    constexpr double kTwoTo63 = 9223372036854775808.0;
    if (number >= -kTwoTo63 && number < kTwoTo63 && std::trunc(number) == number) {
      return static_cast<std::int64_t>(number);
    }
  }
  return std::nullopt;
}

// How a type is read: what it is called, and the value if it is one.
struct AsString {
  using Type = std::string;
  static constexpr std::string_view kName = "a string";
  static std::optional<Type> read(const Json& value) {
    if (!value.is_string()) return std::nullopt;
    return value.get_ref<const std::string&>();
  }
};
struct AsInt {
  using Type = std::int64_t;
  static constexpr std::string_view kName = "a whole number";
  static std::optional<Type> read(const Json& value) { return as_int(value); }
};
struct AsDouble {
  using Type = double;
  static constexpr std::string_view kName = "a number";
  static std::optional<Type> read(const Json& value) {
    if (!value.is_number()) return std::nullopt;
    return value.get<double>();
  }
};
struct AsBool {
  using Type = bool;
  static constexpr std::string_view kName = "true or false";
  static std::optional<Type> read(const Json& value) {
    if (!value.is_boolean()) return std::nullopt;
    return value.get<bool>();
  }
};
struct AsObject {
  using Type = const Json*;
  static constexpr std::string_view kName = "an object";
  static std::optional<Type> read(const Json& value) {
    if (!value.is_object()) return std::nullopt;
    return &value;
  }
};
struct AsArray {
  using Type = const Json*;
  static constexpr std::string_view kName = "a list";
  static std::optional<Type> read(const Json& value) {
    if (!value.is_array()) return std::nullopt;
    return &value;
  }
};

template <class As>
Result<std::optional<typename As::Type>> read_optional(const Json& document, const Path& path) {
  const Json* value = find_in(document, path.keys());
  if (value == nullptr) return std::optional<typename As::Type>();
  auto read = As::read(*value);
  if (!read) return wrong_type(path_text(path.keys()), As::kName, *value);
  return read;
}

template <class As>
Result<typename As::Type> read_at(const Json& document, const Path& path) {
  auto read = read_optional<As>(document, path);
  if (!read) return tl::unexpected<Error>(std::move(read).error());
  if (!*read) return missing(path.keys());
  return **std::move(read);
}

template <class As>
typename As::Type read_or(const Json& document, const Path& path, typename As::Type fallback) {
  const Json* value = find_in(document, path.keys());
  if (value == nullptr) return fallback;
  return As::read(*value).value_or(std::move(fallback));
}

std::string element_name(const Path& path, std::string_view key) {
  return path_text(path.keys()).append("[").append(key).append("]");
}

// How far the path leads through values that are there; what follows has to be created.
struct Walked {
  Json* value = nullptr;
  std::size_t keys = 0;
};

Walked walk_far(Json& document, Keys keys) {
  Walked at{.value = &document};
  while (at.keys < keys.size()) {
    Json* next = child_of(*at.value, keys[at.keys]);
    if (next == nullptr) break;
    at.value = next;
    ++at.keys;
  }
  return at;
}

}  // namespace

std::string Path::to_string() const { return path_text(keys_); }

const Json* find(const Json& document, const Path& path) { return find_in(document, path.keys()); }

Json* find(Json& document, const Path& path) { return find_in(document, path.keys()); }

bool has(const Json& document, const Path& path) { return find(document, path) != nullptr; }

const std::string* find_string(const Json& document, const Path& path) {
  const Json* value = find(document, path);
  return value == nullptr ? nullptr : value->get_ptr<const std::string*>();
}

Result<std::string> string_at(const Json& document, const Path& path) { return read_at<AsString>(document, path); }
Result<std::int64_t> int_at(const Json& document, const Path& path) { return read_at<AsInt>(document, path); }
Result<double> double_at(const Json& document, const Path& path) { return read_at<AsDouble>(document, path); }
Result<bool> bool_at(const Json& document, const Path& path) { return read_at<AsBool>(document, path); }
Result<const Json*> object_at(const Json& document, const Path& path) { return read_at<AsObject>(document, path); }
Result<const Json*> array_at(const Json& document, const Path& path) { return read_at<AsArray>(document, path); }

Result<std::optional<std::string>> optional_string_at(const Json& document, const Path& path) {
  return read_optional<AsString>(document, path);
}
Result<std::optional<std::int64_t>> optional_int_at(const Json& document, const Path& path) {
  return read_optional<AsInt>(document, path);
}
Result<std::optional<bool>> optional_bool_at(const Json& document, const Path& path) {
  return read_optional<AsBool>(document, path);
}

std::string string_or(const Json& document, const Path& path, std::string_view fallback) {
  const std::string* value = find_string(document, path);
  return value == nullptr ? std::string(fallback) : *value;
}
std::int64_t int_or(const Json& document, const Path& path, std::int64_t fallback) {
  return read_or<AsInt>(document, path, fallback);
}
double double_or(const Json& document, const Path& path, double fallback) {
  return read_or<AsDouble>(document, path, fallback);
}
bool bool_or(const Json& document, const Path& path, bool fallback) {
  return read_or<AsBool>(document, path, fallback);
}

Result<StringMap> string_map_at(const Json& document, const Path& path) {
  TRY_ASSIGN(const auto object, "", read_optional<AsObject>(document, path));
  StringMap map;
  if (!object) return map;
  for (const auto& [key, value] : (*object)->get_ref<const Json::object_t&>()) {
    if (!value.is_string()) return wrong_type(element_name(path, key), AsString::kName, value);
    map.emplace(key, value.get_ref<const std::string&>());
  }
  return map;
}

Result<std::vector<std::string>> string_list_at(const Json& document, const Path& path) {
  TRY_ASSIGN(const auto array, "", read_optional<AsArray>(document, path));
  std::vector<std::string> list;
  if (!array) return list;
  for (const Json& value : **array) {
    if (!value.is_string()) return wrong_type(element_name(path, std::to_string(list.size())), AsString::kName, value);
    list.push_back(value.get_ref<const std::string&>());
  }
  return list;
}

Status set_at(Json& document, const Path& path, Json value) {
  const Keys keys = path.keys();
  const auto [parent, walked] = walk_far(document, keys);
  if (walked == keys.size()) {
    *parent = std::move(value);
    return {};
  }
  const bool is_last = walked + 1 == keys.size();
  if (parent->is_array() && is_last && keys.back() == "-") {
    parent->push_back(std::move(value));
    return {};
  }
  if (parent->is_array()) return fail(Code::kInvalid, path_text(keys.first(walked + 1)) + ": no such list element");
  if (!parent->is_null() && !parent->is_object()) {
    return wrong_type(path_text(keys.first(walked)), AsObject::kName, *parent);
  }
  // Built from the inside out, so that the document changes in one step.
  for (std::size_t i = keys.size(); i > walked + 1; --i) {
    Json around = Json::object();
    around[std::string(keys[i - 1])] = std::move(value);
    value = std::move(around);
  }
  (*parent)[std::string(keys[walked])] = std::move(value);
  return {};
}

bool erase_at(Json& document, const Path& path) {
  const Keys keys = path.keys();
  if (keys.empty()) return false;
  Json* parent = walk(document, keys.first(keys.size() - 1));
  if (parent == nullptr || child_of(*parent, keys.back()) == nullptr) return false;
  if (parent->is_array()) {
    parent->erase(*parse_index(keys.back()));
  } else {
    parent->erase(std::string(keys.back()));
  }
  return true;
}

std::string_view type_name(const Json& value) {
  switch (value.type()) {
    case Json::value_t::object:
      return "an object";
    case Json::value_t::array:
      return "a list";
    case Json::value_t::string:
      return "a string";
    case Json::value_t::boolean:
      return value.get<bool>() ? "true" : "false";
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
    case Json::value_t::number_float:
      return "a number";
    case Json::value_t::null:
    case Json::value_t::binary:
    case Json::value_t::discarded:
      break;
  }
  return "null";
}

}  // namespace landfall::json
