#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/quote.h"
#include "base/rfc3339.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "json/json.h"
#include "json/parse.h"
#include "sandbox_kinds/crd_schema_node.h"
#include "sandbox_kinds/document_parts.h"
#include "sandbox_kinds/validation_causes.h"

namespace landfall::sandbox {
namespace {

using json::Json;
using Node = CrdSchema::Node;
using Type = Node::Type;

constexpr std::size_t kMaxCauses = 200;  // per validation; the caller shows fewer

std::string_view type_of(const Json& value) {
  if (value.is_number_float()) {
    return "number";
  }
  if (value.is_number()) {
    return "integer";
  }
  if (value.is_string()) {
    return "string";
  }
  if (value.is_boolean()) {
    return "boolean";
  }
  if (value.is_null()) {
    return "null";
  }
  return value.is_array() ? "array" : "object";
}

bool is_whole(const Json& value) {
  return value.is_number_integer() ||
         (value.is_number_float() && std::trunc(value.get<double>()) == value.get<double>());
}

bool fits(Type type, const Json& value) {
  switch (type) {
    case Type::kAny:
      return true;
    case Type::kObject:
      return value.is_object();
    case Type::kArray:
      return value.is_array();
    case Type::kString:
      return value.is_string();
    case Type::kInteger:
      return is_whole(value);
    case Type::kNumber:
      return value.is_number();
    case Type::kBoolean:
      return value.is_boolean();
  }
  return true;
}

std::string_view type_text(const Node& node) {
  if (node.is_int_or_string) {
    return "integer,string";
  }
  switch (node.type) {
    case Type::kObject:
      return "object";
    case Type::kArray:
      return "array";
    case Type::kString:
      return "string";
    case Type::kInteger:
      return "integer";
    case Type::kNumber:
      return "number";
    case Type::kBoolean:
      return "boolean";
    case Type::kAny:
      break;
  }
  return "";
}

std::string number_text(double number) { return json::dump_go(Json(number)); }

std::size_t characters_in(std::string_view text) {
  std::size_t count = 0;
  for (; !text.empty(); ++count) {
    text.remove_prefix(first_rune(text).size);
  }
  return count;
}

Cause too_many_cause(const std::string& field, std::size_t count, std::uint64_t limit) {
  return {.reason = "FieldValueTooMany",
          .message = "Too many: " + std::to_string(count) + ": must have at most " + std::to_string(limit) +
                     (limit == 1 ? " item" : " items"),
          .field = field};
}

Cause type_cause(const std::string& field, std::string_view shown, std::string_view wanted) {
  const std::string quoted = quote(shown);
  return {.reason = "FieldValueTypeInvalid",
          .message = "Invalid value: " + quoted + ": " + field + " in body must be of type " + std::string(wanted) +
                     ": " + quoted,
          .field = field};
}

class Validator {
 public:
  Causes run(const Node& root, const Json& object) {
    check(root, "", object, causes_);
    check_shape(root, "", object, true);
    causes_.insert(causes_.end(), later_.begin(), later_.end());
    return std::move(causes_);
  }

 private:
  static std::string below(const std::string& path, const std::string& key) {
    return path.empty() ? key : path + "." + key;
  }
  static std::string element(const std::string& path, std::size_t index) {
    return path + "[" + std::to_string(index) + "]";
  }

  static void check(const Node& node, const std::string& path, const Json& value, Causes& causes) {
    if (causes.size() >= kMaxCauses || (value.is_null() && node.is_nullable)) {
      return;
    }
    const bool is_wrong_choice = node.is_int_or_string && !value.is_string() && !is_whole(value);
    if (is_wrong_choice || !fits(node.type, value)) {
      causes.push_back(type_cause(path, type_of(value), type_text(node)));
      return;
    }
    check_alternatives(node, path, value, causes);
    check_enum(node, path, value, causes);
    if (value.is_string()) {
      check_text(node, path, value, causes);
    } else if (value.is_number()) {
      check_number(node, path, value, causes);
    } else if (value.is_array()) {
      check_list(node, path, value, causes);
    } else if (value.is_object()) {
      check_object(node, path, value, causes);
    }
  }

  static void check_enum(const Node& node, const std::string& path, const Json& value, Causes& causes) {
    if (node.choices.empty() || std::ranges::find(node.choices, value) != node.choices.end()) {
      return;
    }
    std::vector<std::string> allowed;
    allowed.reserve(node.choices.size());
    for (const Json& choice : node.choices) {
      allowed.push_back(quote(choice.is_string() ? choice.get<std::string>() : json::dump_go(choice)));
    }
    const std::string shown = value.is_string() ? quote(value.get<std::string>()) : json::dump_go(value);
    causes.push_back({.reason = "FieldValueNotSupported",
                      .message = "Unsupported value: " + shown + ": supported values: " + join(allowed, ", "),
                      .field = path});
  }

  // One mistake at a time, as the server tells them.
  static void check_text(const Node& node, const std::string& path, const Json& value, Causes& causes) {
    const auto& text = value.get_ref<const std::string&>();
    const std::size_t length = characters_in(text);
    if (node.limits.max_length && length > *node.limits.max_length) {
      causes.push_back(too_long_cause(path, static_cast<std::size_t>(*node.limits.max_length)));
    } else if (node.limits.min_length && length < *node.limits.min_length) {
      causes.push_back(invalid_cause(
          path, value,
          path + " in body should be at least " + std::to_string(*node.limits.min_length) + " chars long"));
    } else if (node.pattern && !node.pattern->matches(text)) {
      causes.push_back(invalid_cause(path, value, path + " in body should match '" + node.pattern_text + "'"));
    }
    if (node.format == "date-time" && !parse_rfc3339(text)) {
      causes.push_back(type_cause(path, text, "date-time"));
    }
  }

  static void check_number(const Node& node, const std::string& path, const Json& value, Causes& causes) {
    const auto& limits = node.limits;
    const auto number = value.get<double>();
    const auto refuse = [&](const std::string& what) {
      causes.push_back(invalid_cause(path, value, path + " in body should be " + what));
    };
    if (limits.multiple_of && *limits.multiple_of > 0) {
      const double times = number / *limits.multiple_of;
      if (times != std::trunc(times)) {
        refuse("a multiple of " + number_text(*limits.multiple_of));
      }
    }
    if (limits.maximum && (number > *limits.maximum || (limits.is_maximum_exclusive && number == *limits.maximum))) {
      refuse((limits.is_maximum_exclusive ? "less than " : "less than or equal to ") + number_text(*limits.maximum));
    }
    if (limits.minimum && (number < *limits.minimum || (limits.is_minimum_exclusive && number == *limits.minimum))) {
      refuse((limits.is_minimum_exclusive ? "greater than " : "greater than or equal to ") +
             number_text(*limits.minimum));
    }
  }

  static void check_list(const Node& node, const std::string& path, const Json& value, Causes& causes) {
    for (std::size_t i = 0; node.items && i < value.size(); ++i) {
      check(*node.items, element(path, i), value[i], causes);
    }
    if (node.limits.min_items && value.size() < *node.limits.min_items) {
      causes.push_back(
          invalid_cause(path, Json(value.size()),
                        path + " in body should have at least " + std::to_string(*node.limits.min_items) + " items"));
    }
    if (node.limits.max_items && value.size() > *node.limits.max_items) {
      causes.push_back(too_many_cause(path, value.size(), *node.limits.max_items));
    }
  }

  static void check_object(const Node& node, const std::string& path, const Json& value, Causes& causes) {
    for (const std::string& name : node.required) {
      if (value_in(value, name) == nullptr && !value.contains(name)) {
        causes.push_back(required_cause(below(path, name)));
      }
    }
    for (const auto& [key, field] : value.items()) {
      if (const Node* const next = node.field(key)) {
        check(*next, below(path, key), field, causes);
      }
    }
    if (node.limits.min_properties && value.size() < *node.limits.min_properties) {
      causes.push_back(invalid_cause(
          path, Json(value.size()),
          path + " in body should have at least " + std::to_string(*node.limits.min_properties) + " properties"));
    }
    if (node.limits.max_properties && value.size() > *node.limits.max_properties) {
      causes.push_back(too_many_cause(path, value.size(), *node.limits.max_properties));
    }
  }

  static void check_alternatives(const Node& node, const std::string& path, const Json& value, Causes& causes) {
    const auto refuse = [&](std::string_view what) {
      causes.push_back({.reason = "FieldValueInvalid",
                        .message = "Invalid value: \"\": " + quote(path) + " must " + std::string(what),
                        .field = "<nil>"});
    };
    check_any_of(node, path, value, causes, refuse);
    check_one_of(node, path, value, causes, refuse);
    std::size_t valid = 0;
    for (const auto& part : node.all_of) {
      Causes own;
      check(*part, path, value, own);
      valid += own.empty() ? 1U : 0U;
      causes.insert(causes.end(), own.begin(), own.end());
    }
    if (valid < node.all_of.size()) {
      refuse("validate all the schemas (allOf)");
    }
    if (node.none_of) {
      Causes own;
      check(*node.none_of, path, value, own);
      if (own.empty()) {
        refuse("not validate the schema (not)");
      }
    }
  }

  // The complaints of the first alternative are the ones shown: the others fail as well.
  static void check_any_of(const Node& node, const std::string& path, const Json& value, Causes& causes,
                           const auto& refuse) {
    Causes first;
    for (const auto& part : node.any_of) {
      Causes own;
      check(*part, path, value, own);
      if (own.empty()) {
        return;
      }
      first = first.empty() ? std::move(own) : std::move(first);
    }
    if (!node.any_of.empty()) {
      refuse("validate at least one schema (anyOf)");
      causes.insert(causes.end(), first.begin(), first.end());
    }
  }

  static void check_one_of(const Node& node, const std::string& path, const Json& value, Causes& causes,
                           const auto& refuse) {
    Causes first;
    std::size_t valid = 0;
    for (const auto& part : node.one_of) {
      Causes own;
      check(*part, path, value, own);
      valid += own.empty() ? 1U : 0U;
      first = first.empty() ? std::move(own) : std::move(first);
    }
    if (node.one_of.empty() || valid == 1) {
      return;
    }
    if (valid > 1) {
      refuse("validate one and only one schema (oneOf). Found " + std::to_string(valid) + " valid alternatives");
    } else {
      refuse("validate one and only one schema (oneOf). Found none valid");
      causes.insert(causes.end(), first.begin(), first.end());
    }
  }

  // What the server looks at after the schema: embedded objects and lists without duplicates.
  void check_shape(const Node& node, const std::string& path, const Json& value, bool is_root) {
    if (value.is_object()) {
      if (node.is_embedded && !is_root) {
        for (const char* const field : {"apiVersion", "kind"}) {
          if (text_in(value, field).empty()) {
            later_.push_back(required_cause(below(path, field)));
          }
        }
      }
      for (const auto& [key, field] : value.items()) {
        if (const Node* const next = node.field(key)) {
          check_shape(*next, below(path, key), field, false);
        }
      }
    } else if (value.is_array()) {
      check_duplicates(node, path, value);
      for (std::size_t i = 0; node.items && i < value.size(); ++i) {
        check_shape(*node.items, element(path, i), value[i], false);
      }
    }
  }

  void check_duplicates(const Node& node, const std::string& path, const Json& list) {
    if (node.list.type == CrdSchema::ListRule::Type::kAtomic) {
      return;
    }
    std::set<std::string> seen;
    for (std::size_t i = 0; i < list.size(); ++i) {
      Json key = list[i];
      if (node.list.type == CrdSchema::ListRule::Type::kMap) {
        key = Json::object();
        for (const std::string& name : node.list.keys) {
          if (const Json* const part = value_in(list[i], name)) {
            key[name] = *part;
          }
        }
        if (key.empty()) {
          continue;
        }
      }
      if (!seen.insert(json::dump(key)).second && later_.size() < kMaxCauses) {
        later_.push_back(duplicate_cause(element(path, i), key));
      }
    }
  }

  Causes causes_;
  Causes later_;
};

}  // namespace

Causes validate_node(const Node& root, const Json& value) { return Validator().run(root, value); }

}  // namespace landfall::sandbox
