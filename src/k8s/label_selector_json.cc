#include "k8s/label_selector_json.h"

#include <algorithm>

#include "base/quote.h"
#include "json/access.h"
#include "json/json.h"

namespace landfall::k8s {
namespace {

using json::Json;

tl::unexpected<Error> wrong_type(const std::string& path, std::string_view expected, const Json& found) {
  return fail(Code::kInvalid,
              path + ": expected " + std::string(expected) + ", got " + std::string(json::type_name(found)));
}

// A null reads as the empty text, as Go decodes it.
Result<std::string> text_from(const std::string& path, const Json& value) {
  if (value.is_null()) {
    return std::string();
  }
  if (!value.is_string()) {
    return wrong_type(path, "a string", value);
  }
  return value.get_ref<const std::string&>();
}

Result<std::string> text_field(const std::string& path, const Json& object, const char* field) {
  const Json* const value = json::find(object, {field});
  return value == nullptr ? Result<std::string>(std::string()) : text_from(path + "." + field, *value);
}

Result<LabelOperator> operator_from(const std::string& name) {
  if (name == "In") {
    return LabelOperator::kIn;
  }
  if (name == "NotIn") {
    return LabelOperator::kNotIn;
  }
  if (name == "Exists") {
    return LabelOperator::kExists;
  }
  if (name == "DoesNotExist") {
    return LabelOperator::kDoesNotExist;
  }
  return fail(Code::kInvalid, quote(name) + " is not a valid label selector operator");
}

Result<std::vector<std::string>> values_from(const std::string& path, const Json& expression) {
  std::vector<std::string> values;
  const Json* const list = json::find(expression, {"values"});
  if (list == nullptr) {
    return values;
  }
  if (!list->is_array()) {
    return wrong_type(path + ".values", "a list", *list);
  }
  values.reserve(list->size());
  for (const Json& entry : *list) {
    TRY_ASSIGN(std::string value, "", text_from(path + ".values[" + std::to_string(values.size()) + "]", entry));
    values.push_back(std::move(value));
  }
  return values;
}

Result<LabelRequirement> requirement_from(const std::string& path, const Json& expression) {
  if (!expression.is_object()) {
    return wrong_type(path, "an object", expression);
  }
  TRY_ASSIGN(std::string key, "", text_field(path, expression, "key"));
  TRY_ASSIGN(const std::string name, "", text_field(path, expression, "operator"));
  TRY_ASSIGN(std::vector<std::string> values, "", values_from(path, expression));
  TRY_ASSIGN(const LabelOperator op, "", operator_from(name));
  return LabelRequirement::make(std::move(key), op, std::move(values));
}

Status add_match_labels(const Json& selector, std::vector<LabelRequirement>& requirements) {
  const Json* const labels = json::find(selector, {"matchLabels"});
  if (labels == nullptr) {
    return {};
  }
  if (!labels->is_object()) {
    return wrong_type("matchLabels", "an object", *labels);
  }
  for (const auto& [key, value] : labels->items()) {
    TRY_ASSIGN(std::string text, "", text_from("matchLabels[" + key + "]", value));
    TRY_ASSIGN(LabelRequirement requirement, "",
               LabelRequirement::make(key, LabelOperator::kEquals, {std::move(text)}));
    requirements.push_back(std::move(requirement));
  }
  return {};
}

Status add_match_expressions(const Json& selector, std::vector<LabelRequirement>& requirements) {
  const Json* const expressions = json::find(selector, {"matchExpressions"});
  if (expressions == nullptr) {
    return {};
  }
  if (!expressions->is_array()) {
    return wrong_type("matchExpressions", "a list", *expressions);
  }
  std::size_t index = 0;
  for (const Json& expression : *expressions) {
    const std::string path = "matchExpressions[" + std::to_string(index++) + "]";
    TRY_ASSIGN(LabelRequirement requirement, "", requirement_from(path, expression));
    requirements.push_back(std::move(requirement));
  }
  return {};
}

Json expression_to_json(const LabelRequirement& requirement, const char* name) {
  Json expression = {{"key", requirement.key()}, {"operator", name}};
  std::vector<std::string> values = requirement.values();
  values.erase(std::ranges::unique(values).begin(), values.end());
  if (!values.empty()) {
    expression["values"] = std::move(values);
  }
  return expression;
}

// The operator's name in matchExpressions.
Result<const char*> expression_operator(LabelOperator op) {
  switch (op) {
    case LabelOperator::kEquals:
    case LabelOperator::kDoubleEquals:
    case LabelOperator::kIn:
      return "In";
    case LabelOperator::kNotEquals:
    case LabelOperator::kNotIn:
      return "NotIn";
    case LabelOperator::kExists:
      return "Exists";
    case LabelOperator::kDoesNotExist:
      return "DoesNotExist";
    case LabelOperator::kGreaterThan:
    case LabelOperator::kLessThan:
      break;
  }
  return fail(Code::kInvalid, quote(to_string(op)) + " isn't supported in label selectors");
}

bool is_equality(LabelOperator op) { return op == LabelOperator::kEquals || op == LabelOperator::kDoubleEquals; }

}  // namespace

Result<LabelSelector> label_selector_from_json(const Json* selector) {
  if (selector == nullptr || selector->is_null()) {
    return LabelSelector::nothing();
  }
  if (!selector->is_object()) {
    return fail(Code::kInvalid, "expected an object, got " + std::string(json::type_name(*selector)));
  }
  std::vector<LabelRequirement> requirements;
  TRY("", add_match_labels(*selector, requirements));
  TRY("", add_match_expressions(*selector, requirements));
  return LabelSelector(std::move(requirements));
}

Result<Json> label_selector_to_json(const LabelSelector& selector) {
  if (selector.is_nothing()) {
    return Json(nullptr);
  }
  Json labels = Json::object();
  Json expressions = Json::array();
  for (const LabelRequirement& requirement : selector.requirements()) {
    if (is_equality(requirement.op()) && !labels.contains(requirement.key())) {
      labels[requirement.key()] = requirement.values().front();
      continue;
    }
    TRY_ASSIGN(const char* const name, "", expression_operator(requirement.op()));
    expressions.push_back(expression_to_json(requirement, name));
  }
  Json document = Json::object();
  if (!labels.empty()) {
    document["matchLabels"] = std::move(labels);
  }
  if (!expressions.empty()) {
    document["matchExpressions"] = std::move(expressions);
  }
  return document;
}

Result<Json> parse_label_selector_to_json(std::string_view text) {
  const auto context = [&] { return "couldn't parse the selector string \"" + std::string(text) + "\""; };
  TRY_ASSIGN(const LabelSelector selector, context(), LabelSelector::parse(text));
  return label_selector_to_json(selector);
}

std::string format_label_selector(const Json* selector) {
  const auto parsed = label_selector_from_json(selector);
  if (!parsed) {
    return "<error>";
  }
  std::string text = parsed->to_string();
  return text.empty() ? "<none>" : text;
}

}  // namespace landfall::k8s
