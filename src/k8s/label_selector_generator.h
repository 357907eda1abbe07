#pragma once

#include <rapidcheck.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "k8s/label_selector.h"

namespace landfall::k8s {

// For tests: random selectors and labels, over so few keys and values that they often meet.

inline rc::Gen<std::string> any_label_key() {
  return rc::gen::element<std::string>("a", "b", "in", "notin", "example.com/a", "x_y", "1");
}

inline rc::Gen<std::string> any_label_value() {
  return rc::gen::element<std::string>("", "a", "b", "in", "notin", "1", "2", "10", "x.y-z");
}

inline rc::Gen<json::StringMap> any_labels() {
  return rc::gen::map(rc::gen::container<std::vector<std::pair<std::string, std::string>>>(
                          rc::gen::pair(any_label_key(), any_label_value())),
                      [](const std::vector<std::pair<std::string, std::string>>& pairs) {
                        return json::StringMap(pairs.begin(), pairs.end());
                      });
}

inline LabelRequirement requirement_of(const std::string& key, LabelOperator op, const std::string& value, int number,
                                       const std::vector<std::string>& more) {
  const std::set<std::string> distinct(more.begin(), more.end());
  std::vector<std::string> values;
  switch (op) {
    case LabelOperator::kExists:
    case LabelOperator::kDoesNotExist:
      break;
    case LabelOperator::kGreaterThan:
    case LabelOperator::kLessThan:
      values = {std::to_string(number)};
      break;
    case LabelOperator::kIn:
    case LabelOperator::kNotIn:
      values.assign(distinct.begin(), distinct.end());
      break;
    default:
      values = {value};
  }
  return LabelRequirement::make(key, op, std::move(values)).value();
}

inline rc::Gen<LabelRequirement> any_label_requirement() {
  return rc::gen::apply(
      requirement_of, any_label_key(),
      rc::gen::element(LabelOperator::kEquals, LabelOperator::kDoubleEquals, LabelOperator::kNotEquals,
                       LabelOperator::kIn, LabelOperator::kNotIn, LabelOperator::kExists, LabelOperator::kDoesNotExist,
                       LabelOperator::kGreaterThan, LabelOperator::kLessThan),
      any_label_value(), rc::gen::inRange(0, 12),
      rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(any_label_value())));
}

// A handful of requirements at most: a longer selector matches nothing in practice.
inline rc::Gen<LabelSelector> any_label_selector() {
  return rc::gen::map(
      rc::gen::resize(4, rc::gen::container<std::vector<LabelRequirement>>(any_label_requirement())),
      [](std::vector<LabelRequirement> requirements) { return LabelSelector(std::move(requirements)); });
}

}  // namespace landfall::k8s
