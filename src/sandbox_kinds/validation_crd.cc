#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "json/json.h"
#include "k8s/names.h"
#include "sandbox_kinds/crd.h"
#include "sandbox_kinds/crd_schema.h"
#include "sandbox_kinds/crd_schema_pattern.h"
#include "sandbox_kinds/document_parts.h"
#include "sandbox_kinds/validation_causes.h"

namespace landfall::sandbox {
namespace {

using json::Json;

constexpr std::size_t kMaxDepth = 100;
constexpr std::size_t kMaxCauses = 100;

const Json& object_or_nothing(const Json& parent, std::string_view key) {
  static const Json nothing = Json::object();
  const Json* const object = object_in(parent, key);
  return object == nullptr ? nothing : *object;
}

void check_label_name(Causes& causes, const std::string& field, std::string_view name) {
  if (name.empty()) {
    causes.push_back(required_cause(field));
  } else {
    add_problems(causes, field, name, k8s::dns1035_label_problems(name));
  }
}

void check_kind_name(Causes& causes, const std::string& field, std::string_view name) {
  if (name.empty()) {
    causes.push_back(required_cause(field));
    return;
  }
  for (const std::string& problem : k8s::dns1035_label_problems(to_lower(name))) {
    causes.push_back(invalid_cause(field, name, "may have mixed case, but should otherwise match: " + problem));
  }
}

void check_label_names(Causes& causes, const Json& names, const std::string& list) {
  const Json* const given = value_in(names, list);
  for (std::size_t i = 0; given != nullptr && given->is_array() && i < given->size(); ++i) {
    if ((*given)[i].is_string()) {
      check_label_name(causes, "spec.names." + list + "[" + std::to_string(i) + "]",
                       (*given)[i].get_ref<const std::string&>());
    }
  }
}

void check_names(Causes& causes, const Json& names) {
  check_label_name(causes, "spec.names.plural", text_in(names, "plural"));
  check_label_name(causes, "spec.names.singular", text_in(names, "singular"));
  check_kind_name(causes, "spec.names.kind", text_in(names, "kind"));
  check_kind_name(causes, "spec.names.listKind", text_in(names, "listKind"));
  check_label_names(causes, names, "shortNames");
  if (!text_in(names, "kind").empty() && text_in(names, "kind") == text_in(names, "listKind")) {
    causes.push_back(
        invalid_cause("spec.names.listKind", text_in(names, "listKind"), "kind and listKind may not be the same"));
  }
  check_label_names(causes, names, "categories");
}

// A schema is structural when every field has a type, so that defaulting and pruning know what they look at.
class StructuralCheck {
 public:
  explicit StructuralCheck(Causes& causes) : causes_(causes) {}

  enum class Place { kRoot, kField, kItems, kValue };  // kValue: inside allOf and its kin, where types are not wanted

  void check(const std::string& field, const Json& schema, Place place, std::size_t depth) {
    if (!schema.is_object() || depth > kMaxDepth || causes_.size() > kMaxCauses) {
      return;
    }
    check_forbidden(field, schema);
    check_below(field, schema, place, depth);
    check_pattern(field, schema);
    check_list_type(field, schema);
    if (value_in(schema, "$ref") == nullptr) {
      check_type(field, schema, place);
    }
    check_default(field, schema);
  }

 private:
  void check_forbidden(const std::string& field, const Json& schema) {
    if (is_true_in(schema, "uniqueItems")) {
      causes_.push_back(forbidden_cause(field + ".uniqueItems",
                                        "uniqueItems cannot be set to true since the runtime complexity becomes "
                                        "quadratic"));
    }
    if (value_in(schema, "$ref") != nullptr) {
      causes_.push_back(forbidden_cause(field + ".$ref", "$ref is not supported"));
    }
    const Json* const additional = value_in(schema, "additionalProperties");
    if (additional != nullptr && *additional != false && !object_or_nothing(schema, "properties").empty()) {
      causes_.push_back(
          forbidden_cause(field + ".additionalProperties", "additionalProperties and properties are mutual exclusive"));
    }
  }

  void check_below(const std::string& field, const Json& schema, Place place, std::size_t depth) {
    const Place next = place == Place::kValue ? Place::kValue : Place::kField;
    for (const auto& [key, property] : object_or_nothing(schema, "properties").items()) {
      check(field + ".properties[" + key + "]", property, next, depth + 1);
    }
    if (const Json* const additional = object_in(schema, "additionalProperties")) {
      check(field + ".additionalProperties", *additional, next, depth + 1);
    }
    const Json* const items = value_in(schema, "items");
    if (items != nullptr && items->is_array()) {
      causes_.push_back(forbidden_cause(field + ".items", "items must be a schema object and not an array"));
    } else if (items != nullptr) {
      check(field + ".items", *items, place == Place::kValue ? Place::kValue : Place::kItems, depth + 1);
    } else if (text_in(schema, "type") == "array" && place != Place::kValue) {
      causes_.push_back(required_cause(field + ".items", "must be specified"));
    }
    for (const char* const list : {"allOf", "anyOf", "oneOf"}) {
      std::size_t index = 0;
      each_object(schema, list, [&](const Json& part) {
        check(field + "." + list + "[" + std::to_string(index++) + "]", part, Place::kValue, depth + 1);
      });
    }
  }

  void check_pattern(const std::string& field, const Json& schema) {
    const std::string text(text_in(schema, "pattern"));
    if (text.empty()) {
      return;
    }
    if (const auto pattern = Pattern::compile(text); !pattern && pattern.error().code() == Code::kInvalid) {
      causes_.push_back(invalid_cause(field + ".pattern", text,
                                      "must be a valid regular expression, but isn't: error parsing regexp: " +
                                          pattern.error().message() + ": `" + text + "`"));
    }
  }

  // A default must fit the schema that it stands in.
  void check_default(const std::string& field, const Json& schema) {
    const Json* const fallback = value_in(schema, "default");
    const auto compiled =
        fallback == nullptr ? Result<std::shared_ptr<const CrdSchema>>(nullptr) : CrdSchema::parse(schema, false);
    if (!compiled || *compiled == nullptr) {
      return;
    }
    for (Cause& cause : (*compiled)->validate(*fallback)) {
      cause.field = field + ".default" + (cause.field.empty() ? "" : "." + cause.field);
      causes_.push_back(std::move(cause));
    }
  }

  void check_list_type(const std::string& field, const Json& schema) {
    if (text_in(schema, "x-kubernetes-list-type") != "map") {
      return;
    }
    const Json* const keys = value_in(schema, "x-kubernetes-list-map-keys");
    if (keys == nullptr || !keys->is_array() || keys->empty()) {
      causes_.push_back(
          required_cause(field + ".x-kubernetes-list-map-keys", "must not be empty if x-kubernetes-list-type is map"));
    }
    const std::string_view type = text_in(object_or_nothing(schema, "items"), "type");
    if (type != "object") {
      causes_.push_back(
          invalid_cause(field + ".items.type", type, "must be object if parent array's x-kubernetes-list-type is map"));
    }
  }

  void check_type(const std::string& field, const Json& schema, Place place) {
    const std::string_view type = text_in(schema, "type");
    const bool is_free =
        is_true_in(schema, "x-kubernetes-int-or-string") || is_true_in(schema, "x-kubernetes-preserve-unknown-fields");
    if (type.empty()) {
      if (place == Place::kRoot) {
        causes_.push_back(required_cause(field + ".type", "must not be empty at the root"));
      } else if (place == Place::kField && !is_free) {
        causes_.push_back(required_cause(field + ".type", "must not be empty for specified object fields"));
      } else if (place == Place::kItems && !is_free) {
        causes_.push_back(required_cause(field + ".type", "must not be empty for specified array items"));
      }
    } else if (place == Place::kRoot && type != "object") {
      causes_.push_back(invalid_cause(field + ".type", type, "must be object at the root"));
    } else {
      add_if_unsupported(causes_, field + ".", schema, "type",
                         {"array", "boolean", "integer", "number", "object", "string"});
    }
  }

  Causes& causes_;
};

void check_size(Causes& causes, const std::string& field, const Json& schema) {
  // What cannot be compiled although it is structural is larger than we allow; say so instead of accepting it.
  if (const auto compiled = CrdSchema::parse(schema, false); !compiled) {
    causes.push_back(invalid_cause(field, "", compiled.error().message()));
  }
}

void check_columns(Causes& causes, const std::string& field, const Json& version) {
  static constexpr std::array<std::string_view, 5> kTypes = {"boolean", "date", "integer", "number", "string"};
  std::size_t index = 0;
  each_object(version, "additionalPrinterColumns", [&](const Json& column) {
    const std::string place = field + "additionalPrinterColumns[" + std::to_string(index++) + "]";
    if (text_in(column, "name").empty()) {
      causes.push_back(required_cause(place + ".name"));
    }
    const std::string_view type = text_in(column, "type");
    if (type.empty()) {
      causes.push_back(required_cause(place + ".type", "must be one of " + join(kTypes, ",")));
    } else if (std::ranges::find(kTypes, type) == kTypes.end()) {
      causes.push_back(invalid_cause(place + ".type", type, "must be one of " + join(kTypes, ",")));
    }
    if (text_in(column, "jsonPath").empty()) {
      causes.push_back(required_cause(place + ".JSONPath"));
    }
  });
}

void check_scale(Causes& causes, const std::string& field, const Json& version) {
  const Json* const scale = object_in(object_or_nothing(version, "subresources"), "scale");
  if (scale == nullptr) {
    return;
  }
  for (const std::string_view key : {"specReplicasPath", "statusReplicasPath"}) {
    const std::string place = field + "subresources.scale." + std::string(key);
    const std::string_view path = text_in(*scale, key);
    if (path.empty()) {
      causes.push_back(required_cause(place));
    } else if (!path.starts_with('.')) {
      causes.push_back(invalid_cause(place, path, "must be a simple json path starting with ."));
    }
  }
}

// With a single version the server speaks about the places where an older form of definitions had these things.
void check_version(Causes& causes, const Json& version, std::size_t index, bool is_only) {
  const std::string own = "spec.versions[" + std::to_string(index) + "]";
  const std::string_view name = text_in(version, "name");
  add_problems(causes, own + ".name", name, k8s::dns1035_label_problems(name));
  const Json* const schema = object_in(object_or_nothing(version, "schema"), "openAPIV3Schema");
  if (schema == nullptr) {
    causes.push_back(required_cause(own + ".schema.openAPIV3Schema"));
    return;
  }
  const std::string field = is_only ? "spec.validation.openAPIV3Schema" : own + ".schema.openAPIV3Schema";
  const std::size_t before = causes.size();
  StructuralCheck(causes).check(field, *schema, StructuralCheck::Place::kRoot, 0);
  if (causes.size() == before) {
    check_size(causes, field, *schema);
  }
  const std::string prefix = is_only ? "spec." : own + ".";
  check_scale(causes, prefix, version);
  check_columns(causes, prefix, version);
}

void check_versions(Causes& causes, const Json& spec) {
  const Json* const versions = value_in(spec, "versions");
  const std::size_t count = versions != nullptr && versions->is_array() ? versions->size() : 0;
  std::set<std::string> names;
  std::size_t stored = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Json& version = (*versions)[i];
    check_version(causes, version, i, count == 1);
    names.emplace(text_in(version, "name"));
    stored += is_true_in(version, "storage") ? 1U : 0U;
  }
  const Json nothing;
  const Json& shown = versions == nullptr ? nothing : *versions;
  if (names.size() < count) {
    causes.push_back(invalid_cause("spec.versions", shown, "must contain unique version names"));
  }
  if (stored != 1) {
    causes.push_back(invalid_cause("spec.versions", shown, "must have exactly one version marked as storage version"));
  }
}

}  // namespace

Causes validate_crd(const Json& crd) {
  Causes causes;
  const Json& spec = object_or_nothing(crd, "spec");
  const Json& names = object_or_nothing(spec, "names");
  const std::string_view group = text_in(spec, "group");
  const std::string_view name = text_in(object_or_nothing(crd, "metadata"), "name");
  if (name != std::string(text_in(names, "plural")) + "." + std::string(group)) {
    causes.push_back(invalid_cause("metadata.name", name, R"(must be spec.names.plural+"."+spec.group)"));
  }
  if (group.empty()) {
    causes.push_back(required_cause("spec.group"));
  } else {
    const auto problems = k8s::dns1123_subdomain_problems(group);
    add_problems(causes, "spec.group", group, problems);
    if (problems.empty() && !contains(group, ".")) {
      causes.push_back(invalid_cause("spec.group", group, "should be a domain with at least one dot"));
    }
  }
  if (text_in(spec, "scope").empty()) {
    causes.push_back(required_cause("spec.scope"));
  }
  add_if_unsupported(causes, "spec.", spec, "scope", {"Cluster", "Namespaced"});
  if (is_true_in(spec, "preserveUnknownFields")) {
    causes.push_back(invalid_cause("spec.preserveUnknownFields", true,
                                   "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in "
                                   "spec.versions[*].schema instead"));
  }
  check_versions(causes, spec);
  check_names(causes, names);
  add_if_unsupported(causes, "spec.conversion.", object_or_nothing(spec, "conversion"), "strategy",
                     {"None", "Webhook"});
  const Json* const status = object_in(crd, "status");
  if (status != nullptr && value_in(*status, "storedVersions") == nullptr) {
    causes.push_back(invalid_cause("status.storedVersions", Json(), "must have at least one stored version"));
  }
  return causes;
}

}  // namespace landfall::sandbox
