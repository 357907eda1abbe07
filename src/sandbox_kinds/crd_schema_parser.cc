#include "sandbox_kinds/crd_schema_parser.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "base/quote.h"
#include "json/access.h"
#include "json/json.h"
#include "sandbox_kinds/crd_schema_node.h"
#include "sandbox_kinds/document_parts.h"

namespace landfall::sandbox {
namespace {

using json::Json;
using Node = CrdSchema::Node;
using NodePtr = std::unique_ptr<Node>;

constexpr std::size_t kMaxDepth = 100;
constexpr std::size_t kMaxNodes = 100'000;

struct TypeName {
  std::string_view name;
  Node::Type type;
};
constexpr std::array kTypes = {
    TypeName{"object", Node::Type::kObject}, TypeName{"array", Node::Type::kArray},
    TypeName{"string", Node::Type::kString}, TypeName{"integer", Node::Type::kInteger},
    TypeName{"number", Node::Type::kNumber}, TypeName{"boolean", Node::Type::kBoolean},
};

std::optional<double> number_in(const Json& schema, std::string_view key) {
  const Json* const value = value_in(schema, key);
  return value != nullptr && value->is_number() ? std::optional(value->get<double>()) : std::nullopt;
}

std::optional<std::uint64_t> count_in(const Json& schema, std::string_view key) {
  const Json* const value = value_in(schema, key);
  if (value == nullptr || !value->is_number_integer() || *value < 0) {
    return std::nullopt;
  }
  return value->get<std::uint64_t>();
}

void read_limits(const Json& schema, Node::Limits& limits) {
  limits.minimum = number_in(schema, "minimum");
  limits.maximum = number_in(schema, "maximum");
  limits.is_minimum_exclusive = is_true_in(schema, "exclusiveMinimum");
  limits.is_maximum_exclusive = is_true_in(schema, "exclusiveMaximum");
  limits.multiple_of = number_in(schema, "multipleOf");
  limits.min_length = count_in(schema, "minLength");
  limits.max_length = count_in(schema, "maxLength");
  limits.min_items = count_in(schema, "minItems");
  limits.max_items = count_in(schema, "maxItems");
  limits.min_properties = count_in(schema, "minProperties");
  limits.max_properties = count_in(schema, "maxProperties");
}

Status read_texts(const Json& schema, std::string_view key, std::vector<std::string>& out) {
  const Json* const list = value_in(schema, key);
  if (list == nullptr) {
    return {};
  }
  if (!list->is_array()) {
    return fail(Code::kInvalid, std::string(key) + ": expected a list");
  }
  for (const Json& element : *list) {
    if (!element.is_string()) {
      return fail(Code::kInvalid, std::string(key) + ": expected texts");
    }
    out.push_back(element.get<std::string>());
  }
  return {};
}

Status read_list_rule(const Json& schema, Node& node) {
  const std::string_view type = text_in(schema, "x-kubernetes-list-type");
  if (type == "set") {
    node.list.type = CrdSchema::ListRule::Type::kSet;
  } else if (type == "map") {
    node.list.type = CrdSchema::ListRule::Type::kMap;
    TRY("", read_texts(schema, "x-kubernetes-list-map-keys", node.list.keys));
  }
  node.is_atomic_map = text_in(schema, "x-kubernetes-map-type") == "atomic";
  return {};
}

Status read_type(const Json& schema, Node& node) {
  const std::string_view name = text_in(schema, "type");
  if (name.empty()) {
    return {};
  }
  for (const TypeName& known : kTypes) {
    if (known.name == name) {
      node.type = known.type;
      return {};
    }
  }
  return fail(Code::kInvalid, "type: unknown type " + quote(name));
}

Status read_pattern(const Json& schema, Node& node) {
  node.pattern_text = text_in(schema, "pattern");
  if (node.pattern_text.empty()) {
    return {};
  }
  auto pattern = Pattern::compile(node.pattern_text);
  if (pattern) {
    node.pattern = *std::move(pattern);
  } else if (pattern.error().code() == Code::kInvalid) {
    return fail("pattern", std::move(pattern).error());
  }
  return {};
}

class SchemaParser {
 public:
  Result<NodePtr> parse(const Json& schema, std::size_t depth) {
    if (!schema.is_object()) {
      return fail(Code::kInvalid, "expected a schema, got " + std::string(json::type_name(schema)));
    }
    if (depth > kMaxDepth || ++nodes_ > kMaxNodes) {
      return fail(Code::kTooLarge, "the schema is too deep or too large");
    }
    auto node = std::make_unique<Node>();
    TRY("", read_scalars(schema, *node));
    TRY("", read_properties(schema, *node, depth));
    TRY("", read_alternatives(schema, *node, depth));
    return node;
  }

 private:
  static Status read_scalars(const Json& schema, Node& node) {
    TRY("", read_type(schema, node));
    node.is_nullable = is_true_in(schema, "nullable");
    node.is_int_or_string = is_true_in(schema, "x-kubernetes-int-or-string");
    node.keeps_unknown = is_true_in(schema, "x-kubernetes-preserve-unknown-fields");
    node.is_embedded = is_true_in(schema, "x-kubernetes-embedded-resource");
    node.format = text_in(schema, "format");
    read_limits(schema, node.limits);
    TRY("", read_texts(schema, "required", node.required));
    TRY("", read_list_rule(schema, node));
    TRY("", read_pattern(schema, node));
    if (const Json* const choices = value_in(schema, "enum"); choices != nullptr && choices->is_array()) {
      node.choices.assign(choices->begin(), choices->end());
    }
    if (const auto fallback = schema.find("default"); fallback != schema.end()) {
      node.fallback = *fallback;
    }
    return {};
  }

  Status read_properties(const Json& schema, Node& node, std::size_t depth) {
    if (const Json* const properties = value_in(schema, "properties")) {
      if (!properties->is_object()) {
        return fail(Code::kInvalid, "properties: expected an object");
      }
      for (const auto& [key, below] : properties->items()) {
        TRY_ASSIGN(node.properties[key], "properties[" + key + "]", parse(below, depth + 1));
      }
    }
    if (const Json* const additional = value_in(schema, "additionalProperties")) {
      if (additional->is_boolean()) {
        node.takes_any_key = additional->get<bool>();
      } else {
        TRY_ASSIGN(node.additional, "additionalProperties", parse(*additional, depth + 1));
      }
    }
    if (const Json* const items = value_in(schema, "items")) {
      TRY_ASSIGN(node.items, "items", parse(*items, depth + 1));
    }
    return {};
  }

  Status read_alternatives(const Json& schema, Node& node, std::size_t depth) {
    TRY("", read_list(schema, "allOf", node.all_of, depth));
    TRY("", read_list(schema, "anyOf", node.any_of, depth));
    TRY("", read_list(schema, "oneOf", node.one_of, depth));
    if (const Json* const none = value_in(schema, "not")) {
      TRY_ASSIGN(node.none_of, "not", parse(*none, depth + 1));
    }
    return {};
  }

  Status read_list(const Json& schema, std::string_view key, std::vector<NodePtr>& out, std::size_t depth) {
    const Json* const list = value_in(schema, key);
    if (list == nullptr) {
      return {};
    }
    if (!list->is_array()) {
      return fail(Code::kInvalid, std::string(key) + ": expected a list");
    }
    for (std::size_t i = 0; i < list->size(); ++i) {
      TRY_ASSIGN(auto below, std::string(key) + "[" + std::to_string(i) + "]", parse((*list)[i], depth + 1));
      out.push_back(std::move(below));
    }
    return {};
  }

  std::size_t nodes_ = 0;
};

}  // namespace

Result<std::unique_ptr<CrdSchema::Node>> parse_schema_node(const Json& schema) {
  return SchemaParser().parse(schema, 0);
}

}  // namespace landfall::sandbox
