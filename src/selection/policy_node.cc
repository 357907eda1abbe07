#include "selection/policy_node.h"

#include <algorithm>

#include "base/strings.h"
#include "json/json.h"

namespace landfall::selection {
namespace {

std::optional<std::string> as_text(const json::Json& value) {
  if (value.is_string()) {
    return *value.get_ptr<const std::string*>();
  }
  if (value.is_boolean()) {
    return *value.get_ptr<const bool*>() ? "true" : "false";
  }
  if (value.is_number_integer()) {
    return value.is_number_unsigned() ? std::to_string(*value.get_ptr<const std::uint64_t*>())
                                      : std::to_string(*value.get_ptr<const std::int64_t*>());
  }
  return std::nullopt;
}

std::string expected(std::string_view what, const json::Json& got) {
  return "expected " + std::string(what) + ", got " + std::string(json::type_name(got));
}

}  // namespace

std::string element(std::string_view list, std::size_t index) {
  return std::string(list) + "[" + std::to_string(index) + "]";
}

Result<PolicyNode> PolicyNode::open(const json::Json& value, std::string path,
                                    std::initializer_list<std::string_view> keys) {
  const std::string place = path.empty() ? "" : path + ": ";
  if (!value.is_object() && !value.is_null()) {
    return fail(Code::kInvalid, place + expected("an object", value));
  }
  for (const auto& [key, ignored] : value.items()) {
    if (std::ranges::find(keys, key) == keys.end()) {
      return fail(Code::kInvalid, place + "unknown field " + quote(key) + "; known are " + join(keys, ", "));
    }
  }
  return PolicyNode(value, std::move(path));
}

std::string PolicyNode::path_to(std::string_view key) const {
  return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
}

tl::unexpected<Error> PolicyNode::error(std::string_view key, std::string_view what) const {
  return fail(Code::kInvalid, path_to(key) + ": " + std::string(what));
}

const json::Json* PolicyNode::find(std::string_view key) const { return json::find(*value_, {key}); }

Result<std::string> PolicyNode::text(std::string_view key) const {
  const json::Json* value = find(key);
  if (value == nullptr) {
    return std::string();
  }
  auto text = as_text(*value);
  if (!text) {
    return error(key, expected("a string", *value));
  }
  return *std::move(text);
}

Result<std::vector<const json::Json*>> PolicyNode::list(std::string_view key) const {
  std::vector<const json::Json*> elements;
  const json::Json* value = find(key);
  if (value == nullptr) {
    return elements;
  }
  if (!value->is_array()) {
    return error(key, expected("a list", *value));
  }
  for (const json::Json& one : *value) {
    elements.push_back(&one);
  }
  return elements;
}

Result<Names> PolicyNode::texts(std::string_view key) const {
  TRY_ASSIGN(const auto elements, "", list(key));
  Names names;
  for (const json::Json* one : elements) {
    auto text = as_text(*one);
    if (!text) {
      return fail(Code::kInvalid, element(path_to(key), names.size()) + ": " + expected("a string", *one));
    }
    names.push_back(*std::move(text));
  }
  return names;
}

Result<json::StringMap> PolicyNode::text_map(std::string_view key) const {
  json::StringMap map;
  const json::Json* value = find(key);
  if (value == nullptr) {
    return map;
  }
  if (!value->is_object()) {
    return error(key, expected("an object", *value));
  }
  for (const auto& [name, one] : value->items()) {
    auto text = as_text(one);
    if (!text) {
      return fail(Code::kInvalid, path_to(key) + "[" + name + "]: " + expected("a string", one));
    }
    map.emplace(name, *std::move(text));
  }
  return map;
}

}  // namespace landfall::selection
