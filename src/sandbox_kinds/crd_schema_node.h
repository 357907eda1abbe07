#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "json/json.h"
#include "sandbox_kinds/crd_schema.h"
#include "sandbox_kinds/crd_schema_pattern.h"

namespace landfall::sandbox {

// One level of a compiled schema; for the crd_schema files.
struct CrdSchema::Node {
  enum class Type : std::uint8_t { kAny, kObject, kArray, kString, kInteger, kNumber, kBoolean };
  struct Limits {
    std::optional<double> minimum;
    std::optional<double> maximum;
    bool is_minimum_exclusive = false;
    bool is_maximum_exclusive = false;
    std::optional<double> multiple_of;
    std::optional<std::uint64_t> min_length, max_length;
    std::optional<std::uint64_t> min_items, max_items;
    std::optional<std::uint64_t> min_properties, max_properties;
  };

  Type type = Type::kAny;
  bool is_nullable = false;
  bool is_int_or_string = false;
  bool keeps_unknown = false;  // x-kubernetes-preserve-unknown-fields
  bool is_embedded = false;    // a whole Kubernetes object
  bool is_atomic_map = false;
  bool takes_any_key = false;  // additionalProperties: true
  std::map<std::string, std::unique_ptr<Node>, std::less<>> properties;
  std::unique_ptr<Node> additional;
  std::unique_ptr<Node> items;
  std::vector<std::string> required;
  std::vector<json::Json> choices;     // enum
  std::optional<json::Json> fallback;  // default
  Limits limits;
  std::string pattern_text;
  std::optional<Pattern> pattern;  // none: not given, or not checked
  std::string format;
  ListRule list;
  std::vector<std::unique_ptr<Node>> all_of, any_of, one_of;
  std::unique_ptr<Node> none_of;  // not

  // The schema of a field of the object; null when there is none.
  const Node* field(const std::string& key) const {
    const auto found = properties.find(key);
    return found == properties.end() ? additional.get() : found->second.get();
  }
};

struct CrdSchema::Impl {
  std::unique_ptr<const Node> root;
  json::Json source;
  bool keeps_unknown = false;
};

// Fields of every object's metadata; others are unknown.
bool is_metadata_field(const std::string& key);
// apiVersion, kind and metadata, which no schema needs to name.
bool is_object_field(const std::string& key);

// Everything that is wrong with a custom resource, by its schema.
Causes validate_node(const CrdSchema::Node& root, const json::Json& value);

}  // namespace landfall::sandbox
