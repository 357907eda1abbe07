#include "modifiers/rule_reader.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/strings.h"
#include "json/json.h"
#include "json/parse.h"
#include "json/yaml.h"
#include "k8s/label_selector_json.h"
#include "modifiers/patch_value.h"
#include "selection/policy_node.h"

namespace landfall::modifiers {
namespace {

using json::Json;
using selection::element;
using selection::PolicyNode;

// Well above what fits into a ConfigMap.
constexpr json::YamlLimits kLimits = {
    .max_bytes = std::size_t{2} << 20, .max_depth = 50, .max_alias_bytes = std::size_t{1} << 20};
constexpr std::string_view kRules = "resourceModifierRules";
constexpr std::size_t kMaxRules = 10'000;
// Of all expressions together; a few steps for each character is usual, and a step takes 16 bytes.
constexpr std::size_t kMaxSteps = 1'000'000;
constexpr std::array<std::string_view, 6> kOperations = {"add", "remove", "replace", "test", "move", "copy"};

// A patch has to be YAML of an object.
Result<Json> read_patch_data(const Json& value, const std::string& place) {
  TRY_ASSIGN(const PolicyNode node, "", PolicyNode::open(value, place, {"patchData"}));
  TRY_ASSIGN(const std::string data, "", node.text("patchData"));
  TRY_ASSIGN(Json patch, node.path_to("patchData"), json::parse_yaml(data, kLimits));
  if (!patch.is_object()) {
    return node.error("patchData", "expected the YAML of an object, got " + std::string(json::type_name(patch)));
  }
  return patch;
}

// A bare number with a fraction is a text as well.
Result<std::string> read_value_text(const PolicyNode& node) {
  const Json* value = node.find("value");
  if (value != nullptr && value->is_number_float()) return json::dump(*value);
  return node.text("value");
}

Result<Json> read_value(const PolicyNode& node) {
  TRY_ASSIGN(const std::string text, "", read_value_text(node));
  TRY_ASSIGN(Json value, node.path_to("value"), patch_value(text));
  return value;
}

// A JSON pointer. Velero lets others through, and then no object has such a path.
Result<std::string> read_pointer(const PolicyNode& node, std::string_view key) {
  auto text = node.text(key);
  if (!text) return text;
  const std::string_view path = *text;
  if (path.empty()) return node.error(key, "missing; write a path such as /spec/replicas");
  if (path.front() != '/') return node.error(key, "a path starts with /, such as /spec/replicas");
  return text;
}

Result<Json> read_operation(const Json& value, const std::string& place) {
  TRY_ASSIGN(const PolicyNode node, "", PolicyNode::open(value, place, {"operation", "from", "path", "value"}));
  TRY_ASSIGN(std::string operation, "", node.text("operation"));
  operation = to_lower(operation);
  if (std::ranges::find(kOperations, operation) == kOperations.end()) {
    return node.error("operation", (operation.empty() ? "missing" : "unknown: " + quote(operation)) + "; known are " +
                                       join(kOperations, ", "));
  }
  Json patch = {{"op", operation}};
  TRY_ASSIGN(patch["path"], "", read_pointer(node, "path"));
  if (operation == "move" || operation == "copy") {
    TRY_ASSIGN(patch["from"], "", read_pointer(node, "from"));
  }
  TRY_ASSIGN(patch["value"], "", read_value(node));
  return patch;
}

Result<Json> read_test(const Json& value, const std::string& place) {
  TRY_ASSIGN(const PolicyNode node, "", PolicyNode::open(value, place, {"path", "value"}));
  Json test = {{"op", "test"}};
  TRY_ASSIGN(test["path"], "", read_pointer(node, "path"));
  TRY_ASSIGN(test["value"], "", read_value(node));
  return test;
}

using ReadElement = Result<Json> (*)(const Json& value, const std::string& place);

// Null for an empty list.
Result<std::shared_ptr<const Json>> read_list(const PolicyNode& node, std::string_view key, ReadElement read) {
  TRY_ASSIGN(const auto elements, "", node.list(key));
  if (elements.empty()) return std::shared_ptr<const Json>();
  Json list = Json::array();
  for (const Json* one : elements) {
    TRY_ASSIGN(Json item, "", read(*one, element(node.path_to(key), list.size())));
    list.push_back(std::move(item));
  }
  return std::make_shared<const Json>(std::move(list));
}

Result<Json> read_label_expression(const Json& value, const std::string& place) {
  TRY_ASSIGN(const PolicyNode node, "", PolicyNode::open(value, place, {"key", "operator", "values"}));
  Json expression = Json::object();
  TRY_ASSIGN(expression["key"], "", node.text("key"));
  TRY_ASSIGN(expression["operator"], "", node.text("operator"));
  TRY_ASSIGN(auto values, "", node.texts("values"));
  expression["values"] = std::move(values);
  return expression;
}

Result<std::optional<k8s::LabelSelector>> read_labels(const PolicyNode& conditions) {
  const Json* value = conditions.find("labelSelector");
  if (value == nullptr) return std::optional<k8s::LabelSelector>();
  const std::string place = conditions.path_to("labelSelector");
  TRY_ASSIGN(const PolicyNode node, "", PolicyNode::open(*value, place, {"matchLabels", "matchExpressions"}));
  Json written = Json::object();
  TRY_ASSIGN(auto labels, "", node.text_map("matchLabels"));
  if (!labels.empty()) written["matchLabels"] = std::move(labels);
  TRY_ASSIGN(const auto expressions, "", read_list(node, "matchExpressions", read_label_expression));
  if (expressions) written["matchExpressions"] = *expressions;
  TRY_ASSIGN(auto selector, place, k8s::label_selector_from_json(&written));
  return std::optional<k8s::LabelSelector>(std::move(selector));
}

Result<Rule> read_conditions(const Json& value, std::string place) {
  TRY_ASSIGN(const PolicyNode node, "",
             PolicyNode::open(value, place + ".conditions",
                              {"namespaces", "groupResource", "resourceNameRegex", "labelSelector", "matches"}));
  TRY_ASSIGN(const std::string pattern, "", node.text("groupResource"));
  if (pattern.empty()) return node.error("groupResource", "missing; write a resource such as deployments.apps");
  TRY_ASSIGN(Expression resource, node.path_to("groupResource"), Expression::resource_glob(pattern));
  Rule rule{.place = std::move(place), .resource = std::move(resource)};

  TRY_ASSIGN(const auto namespaces, "", node.texts("namespaces"));
  TRY_ASSIGN(rule.namespaces, node.path_to("namespaces"), selection::IncludesExcludes::make(namespaces, {}));
  TRY_ASSIGN(const std::string name, "", node.text("resourceNameRegex"));
  if (!name.empty()) {
    TRY_ASSIGN(rule.name, node.path_to("resourceNameRegex"), Expression::regex(name));
  }
  TRY_ASSIGN(rule.labels, "", read_labels(node));
  TRY_ASSIGN(rule.tests, "", read_list(node, "matches", read_test));
  return rule;
}

Result<Rule> read_rule(const Json& value, const std::string& place) {
  TRY_ASSIGN(const PolicyNode node, "",
             PolicyNode::open(value, place, {"conditions", "patches", "mergePatches", "strategicPatches"}));
  const Json* conditions = node.find("conditions");
  TRY_ASSIGN(Rule rule, "", read_conditions(conditions == nullptr ? Json() : *conditions, place));
  TRY_ASSIGN(const auto json, "", read_list(node, "patches", read_operation));
  TRY_ASSIGN(const auto merge, "", read_list(node, "mergePatches", read_patch_data));
  TRY_ASSIGN(const auto strategic, "", read_list(node, "strategicPatches", read_patch_data));
  const int kinds = (json ? 1 : 0) + (merge ? 1 : 0) + (strategic ? 1 : 0);
  if (kinds != 1) {
    return fail(Code::kInvalid, place + (kinds == 0 ? ": has no patch; it needs one of patches, mergePatches, "
                                                      "strategicPatches"
                                                    : ": only one of patches, mergePatches, strategicPatches can be "
                                                      "used in a rule"));
  }
  rule.kind = json ? PatchKind::kJson : merge ? PatchKind::kMerge : PatchKind::kStrategic;
  rule.patches = json ? json : merge ? merge : strategic;
  return rule;
}

Status check_version(const PolicyNode& root) {
  TRY_ASSIGN(const std::string version, "", root.text("version"));
  if (version.empty()) return root.error("version", "missing; write \"version: v1\"");
  if (to_lower(version) != "v1") return root.error("version", "unknown version " + quote(version) + "; known is v1");
  return {};
}

}  // namespace

Result<std::vector<Rule>> read_rules(std::string_view yaml) {
  TRY_ASSIGN(const Json document, "", json::parse_yaml(yaml, kLimits));
  if (document.is_null()) return fail(Code::kInvalid, "the text is empty");
  TRY_ASSIGN(const PolicyNode root, "", PolicyNode::open(document, "", {"version", kRules}));
  TRY("", check_version(root));
  TRY_ASSIGN(const auto written, "", root.list(kRules));
  if (written.empty()) return root.error(kRules, "has no rule");
  if (written.size() > kMaxRules) return root.error(kRules, "more than " + std::to_string(kMaxRules) + " rules");

  std::vector<Rule> rules;
  std::size_t steps = 0;
  for (const Json* one : written) {
    const std::string place = element(kRules, rules.size());
    TRY_ASSIGN(Rule rule, "", read_rule(*one, place));
    steps += rule.resource.size() + (rule.name ? rule.name->size() : 0);
    if (steps > kMaxSteps) return fail(Code::kTooLarge, place + ": the expressions of the rules are too large");
    rules.push_back(std::move(rule));
  }
  return rules;
}

}  // namespace landfall::modifiers
