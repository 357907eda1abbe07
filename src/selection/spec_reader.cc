#include "selection/spec_reader.h"

#include "json/json.h"
#include "k8s/label_selector_json.h"

namespace landfall::selection {
namespace {

template <class T>
T value_or_problem(Result<T> result, Messages& problems) {
  if (!result) {
    problems.push_back("spec." + result.error().message());
    return {};
  }
  return *std::move(result);
}

}  // namespace

Names SpecReader::names(std::string_view field) const {
  return value_or_problem(json::string_list_at(spec_, {field}), problems_);
}

std::optional<bool> SpecReader::flag(std::string_view field) const {
  return value_or_problem(json::optional_bool_at(spec_, {field}), problems_);
}

json::StringMap SpecReader::map(std::string_view field) const {
  return value_or_problem(json::string_map_at(spec_, {field}), problems_);
}

std::optional<k8s::LabelSelector> SpecReader::selector(std::string_view field) const {
  const json::Json* written = json::find(spec_, {field});
  if (written == nullptr) {
    return std::nullopt;
  }
  auto read = k8s::label_selector_from_json(written);
  if (!read) {
    problems_.push_back("spec." + std::string(field) + ": " + read.error().message());
    return std::nullopt;
  }
  return *std::move(read);
}

std::vector<k8s::LabelSelector> SpecReader::selectors(std::string_view field) const {
  std::vector<k8s::LabelSelector> found;
  const json::Json* list = json::find(spec_, {field});
  if (list == nullptr) {
    return found;
  }
  if (!list->is_array()) {
    problems_.push_back("spec." + std::string(field) + ": expected a list, got " + std::string(json::type_name(*list)));
    return found;
  }
  for (std::size_t at = 0; at < list->size(); ++at) {
    auto read = k8s::label_selector_from_json(&(*list)[at]);
    if (read) {
      found.push_back(*std::move(read));
    } else {
      problems_.push_back("spec." + std::string(field) + "[" + std::to_string(at) + "]: " + read.error().message());
    }
  }
  return found;
}

}  // namespace landfall::selection
