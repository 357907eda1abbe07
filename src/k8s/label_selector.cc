#include "k8s/label_selector.h"

#include <algorithm>
#include <map>

#include "base/strings.h"
#include "k8s/field_error.h"
#include "k8s/label_selector_parser.h"
#include "k8s/names.h"
#include "k8s/object_view.h"

namespace landfall::k8s {
namespace {

// What is wrong with the number of values, if anything.
std::optional<std::string_view> count_problem(LabelOperator op, std::size_t count) {
  switch (op) {
    case LabelOperator::kIn:
    case LabelOperator::kNotIn:
      return count == 0 ? std::optional("for 'in', 'notin' operators, values set can't be empty") : std::nullopt;
    case LabelOperator::kEquals:
    case LabelOperator::kDoubleEquals:
    case LabelOperator::kNotEquals:
      return count != 1 ? std::optional("exact-match compatibility requires one single value") : std::nullopt;
    case LabelOperator::kExists:
    case LabelOperator::kDoesNotExist:
      return count != 0 ? std::optional("values set must be empty for exists and does not exist") : std::nullopt;
    case LabelOperator::kGreaterThan:
    case LabelOperator::kLessThan:
      return count != 1 ? std::optional("for 'Gt', 'Lt' operators, exactly one value is required") : std::nullopt;
  }
  return std::nullopt;
}

bool compares_numbers(LabelOperator op) { return op == LabelOperator::kGreaterThan || op == LabelOperator::kLessThan; }

std::string value_path(std::size_t index) { return "values[" + std::to_string(index) + "]"; }

std::vector<std::string> requirement_errors(const std::string& key, LabelOperator op,
                                            const std::vector<std::string>& values) {
  std::vector<std::string> errors;
  if (const Problems problems = qualified_name_problems(key); !problems.empty()) {
    errors.push_back(invalid_value("key", key, joined(problems)));
  }
  if (const auto problem = count_problem(op, values.size())) {
    errors.push_back(invalid_value("values", values, *problem));
  }
  for (std::size_t i = 0; compares_numbers(op) && i < values.size(); ++i) {
    if (!parse_int64(values[i])) {
      errors.push_back(
          invalid_value(value_path(i), values[i], "for 'Gt', 'Lt' operators, the value must be an integer"));
    }
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (const Problems problems = label_value_problems(values[i]); !problems.empty()) {
      errors.push_back(invalid_value(value_path(i) + "[" + key + "]", values[i], joined(problems)));
    }
  }
  return errors;
}

}  // namespace

std::string_view to_string(LabelOperator op) {
  switch (op) {
    case LabelOperator::kEquals:
      return "=";
    case LabelOperator::kDoubleEquals:
      return "==";
    case LabelOperator::kNotEquals:
      return "!=";
    case LabelOperator::kIn:
      return "in";
    case LabelOperator::kNotIn:
      return "notin";
    case LabelOperator::kExists:
      return "exists";
    case LabelOperator::kDoesNotExist:
      return "!";
    case LabelOperator::kGreaterThan:
      return "gt";
    case LabelOperator::kLessThan:
      return "lt";
  }
  return "";
}

LabelRequirement::LabelRequirement(std::string key, LabelOperator op, std::vector<std::string> values)
    : key_(std::move(key)), op_(op), values_(std::move(values)) {
  std::ranges::sort(values_);
}

Result<LabelRequirement> LabelRequirement::make(std::string key, LabelOperator op, std::vector<std::string> values) {
  const std::vector<std::string> errors = requirement_errors(key, op, values);
  if (!errors.empty()) {
    return fail(Code::kInvalid, aggregate(errors));
  }
  return LabelRequirement(std::move(key), op, std::move(values));
}

bool LabelRequirement::accepts(std::optional<std::string_view> value) const {
  switch (op_) {
    case LabelOperator::kEquals:
    case LabelOperator::kDoubleEquals:
    case LabelOperator::kIn:
      return value && std::ranges::binary_search(values_, *value);
    case LabelOperator::kNotEquals:
    case LabelOperator::kNotIn:
      return !value || !std::ranges::binary_search(values_, *value);
    case LabelOperator::kExists:
      return value.has_value();
    case LabelOperator::kDoesNotExist:
      return !value.has_value();
    case LabelOperator::kGreaterThan:
    case LabelOperator::kLessThan:
      break;
  }
  if (!value) {
    return false;
  }
  const auto number = parse_int64(*value);
  const auto limit = parse_int64(values_.front());
  if (!number || !limit) {
    return false;
  }
  return op_ == LabelOperator::kGreaterThan ? *number > *limit : *number < *limit;
}

std::string LabelRequirement::to_string() const {
  switch (op_) {
    case LabelOperator::kExists:
      return key_;
    case LabelOperator::kDoesNotExist:
      return "!" + key_;
    case LabelOperator::kIn:
    case LabelOperator::kNotIn:
      return key_ + " " + std::string(k8s::to_string(op_)) + " (" + join(values_, ",") + ")";
    case LabelOperator::kGreaterThan:
      return key_ + ">" + values_.front();
    case LabelOperator::kLessThan:
      return key_ + "<" + values_.front();
    case LabelOperator::kEquals:
    case LabelOperator::kDoubleEquals:
    case LabelOperator::kNotEquals:
      break;
  }
  return key_ + std::string(k8s::to_string(op_)) + values_.front();
}

LabelSelector::LabelSelector(std::vector<LabelRequirement> requirements) {
  // Requirements on one key keep their order. Kubernetes promises none for them, but keeps it as well up to a dozen.
  std::multimap<std::string, LabelRequirement> by_key;
  for (LabelRequirement& requirement : requirements) {
    by_key.emplace(requirement.key(), std::move(requirement));
  }
  requirements_.reserve(requirements.size());
  for (auto& [key, requirement] : by_key) {
    requirements_.push_back(std::move(requirement));
  }
}

LabelSelector LabelSelector::nothing() {
  LabelSelector selector;
  selector.nothing_ = true;
  return selector;
}

LabelSelector LabelSelector::of_labels(const json::StringMap& labels) {
  std::vector<LabelRequirement> requirements;
  requirements.reserve(labels.size());
  for (const auto& [key, value] : labels) {
    requirements.push_back(LabelRequirement(key, LabelOperator::kEquals, {value}));
  }
  return LabelSelector(std::move(requirements));
}

Result<LabelSelector> LabelSelector::parse(std::string_view text) {
  TRY_ASSIGN(auto requirements, "", parse_label_requirements(text));
  return LabelSelector(std::move(requirements));
}

bool LabelSelector::matches(const Lookup& value_of) const {
  return !nothing_ && std::ranges::all_of(requirements_, [&](const LabelRequirement& requirement) {
    return requirement.accepts(value_of(requirement.key()));
  });
}

bool LabelSelector::matches(const json::StringMap& labels) const {
  return matches([&](const std::string& key) -> std::optional<std::string_view> {
    const auto found = labels.find(key);
    return found == labels.end() ? std::nullopt : std::optional<std::string_view>(found->second);
  });
}

bool LabelSelector::matches_object(const json::Json& object) const {
  if (requirements_.empty()) {
    return !nothing_;
  }
  const StringMapView labels = ObjectView(object).labels();
  return matches([&](const std::string& key) { return labels.get(key); });
}

std::string LabelSelector::to_string() const {
  std::string text;
  for (const LabelRequirement& requirement : requirements_) {
    text.append(text.empty() ? "" : ",").append(requirement.to_string());
  }
  return text;
}

}  // namespace landfall::k8s
