#pragma once

#include <string_view>
#include <utility>

#include "json/json.h"

// How defaults, validation and tables touch a document: nothing here fails, and a value of an unexpected type is left
// alone. For the .cc files of this module only.
namespace landfall::sandbox {

// The value, unless it is missing or null.
inline json::Json* value_in(json::Json& parent, std::string_view key) {
  if (!parent.is_object()) {
    return nullptr;
  }
  const auto found = parent.find(key);
  return found == parent.end() || found->is_null() ? nullptr : &*found;
}
inline const json::Json* value_in(const json::Json& parent, std::string_view key) {
  if (!parent.is_object()) {
    return nullptr;
  }
  const auto found = parent.find(key);
  return found == parent.end() || found->is_null() ? nullptr : &*found;
}

// The object there; null when there is none.
inline json::Json* object_in(json::Json& parent, std::string_view key) {
  json::Json* const value = value_in(parent, key);
  return value != nullptr && value->is_object() ? value : nullptr;
}
inline const json::Json* object_in(const json::Json& parent, std::string_view key) {
  const json::Json* const value = value_in(parent, key);
  return value != nullptr && value->is_object() ? value : nullptr;
}

// The object there; an empty one when there is none.
inline const json::Json& part_in(const json::Json& parent, std::string_view key) {
  static const json::Json nothing = json::Json::object();
  const json::Json* const found = object_in(parent, key);
  return found == nullptr ? nothing : *found;
}

// How many elements or fields the list or object there has.
inline std::size_t size_in(const json::Json& parent, std::string_view key) {
  const json::Json* const found = value_in(parent, key);
  return found != nullptr && found->is_structured() ? found->size() : 0;
}

// The text there; empty when there is none.
inline std::string_view text_in(const json::Json& parent, std::string_view key) {
  const json::Json* const value = value_in(parent, key);
  return value != nullptr && value->is_string() ? std::string_view(value->get_ref<const std::string&>())
                                                : std::string_view();
}

// A text with nothing in it.
inline bool is_empty_text(const json::Json& value) {
  return value.is_string() && value.get_ref<const std::string&>().empty();
}

inline bool is_true_in(const json::Json& parent, std::string_view key) {
  const json::Json* const value = value_in(parent, key);
  return value != nullptr && value->is_boolean() && value->get<bool>();
}

// Puts the value where there is none.
template <class Value>
void put_missing(json::Json& parent, std::string_view key, Value&& value) {
  if (parent.is_object() && value_in(parent, key) == nullptr) {
    parent[std::string(key)] = std::forward<Value>(value);
  }
}

// The same for a text, where an empty one counts as missing.
inline void put_text(json::Json& parent, std::string_view key, std::string_view value) {
  const json::Json* const there = value_in(parent, key);
  const bool is_empty = there != nullptr && is_empty_text(*there);
  if (parent.is_object() && (there == nullptr || is_empty)) {
    parent[std::string(key)] = value;
  }
}

// The object there, made when it is missing; null when something else is in its place.
inline json::Json* make_object(json::Json& parent, std::string_view key) {
  put_missing(parent, key, json::Json::object());
  return object_in(parent, key);
}

inline void drop(json::Json& parent, std::string_view key) {
  if (parent.is_object()) {
    parent.erase(std::string(key));
  }
}

// Calls `visit` with each object of the list there.
template <class Parent, class Visit>
void each_object(Parent& parent, std::string_view key, Visit visit) {
  auto* const list = value_in(parent, key);
  if (list == nullptr || !list->is_array()) {
    return;
  }
  for (auto& element : *list) {
    if (element.is_object()) {
      visit(element);
    }
  }
}

}  // namespace landfall::sandbox
