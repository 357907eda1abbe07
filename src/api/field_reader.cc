#include "api/field_reader.h"

#include <fmt/format.h>

#include <memory>

#include "base/go_duration.h"
#include "base/quote.h"
#include "base/rfc3339.h"
#include "json/json.h"
#include "k8s/label_selector_json.h"

namespace landfall::api {

using json::Json;

std::vector<std::string> problems_of(const Error& error) {
  if (const auto* detail = error.detail<FieldProblems>()) return detail->problems();
  return {error.message()};
}

Status no_problems(std::vector<std::string> problems) {
  if (problems.empty()) return {};
  std::string message = fmt::format("{}", fmt::join(problems, "; "));
  return tl::unexpected<Error>(
      Error(Code::kInvalid, std::move(message), std::make_shared<const FieldProblems>(std::move(problems))));
}

FieldReader::FieldReader(const Json& document, const json::Path& path, std::vector<std::string>& problems)
    : FieldReader(json::find(document, path), path.to_string(), &problems) {}

FieldReader::FieldReader(const Json* object, std::string path, std::vector<std::string>* problems)
    : object_(object), path_(std::move(path)), problems_(problems) {
  if (object_ != nullptr && !object_->is_object()) {
    problems_->push_back(fmt::format("{}: expected an object, got {}", path_, json::type_name(*object_)));
    object_ = nullptr;
  }
}

std::string FieldReader::path_of(std::string_view name) const { return fmt::format("{}.{}", path_, name); }

void FieldReader::note(std::string_view name, std::string_view problem) {
  problems_->push_back(fmt::format("{}: {}", path_of(name), problem));
}

// The messages of json/access.h begin with the field's name.
template <class T>
T FieldReader::or_note(Result<T> value) {
  if (value) return *std::move(value);
  problems_->push_back(path_of(value.error().message()));
  return T();
}

const Json* FieldReader::find(std::string_view name) const {
  return object_ == nullptr ? nullptr : json::find(*object_, {name});
}

const Json* FieldReader::find_list(std::string_view name) {
  const Json* value = find(name);
  if (value == nullptr || value->is_array()) return value;
  note(name, fmt::format("expected a list, got {}", json::type_name(*value)));
  return nullptr;
}

std::string FieldReader::text(std::string_view name) {
  if (object_ == nullptr) return {};
  return or_note(json::optional_string_at(*object_, {name})).value_or("");
}

std::vector<std::string> FieldReader::texts(std::string_view name) {
  if (object_ == nullptr) return {};
  return or_note(json::string_list_at(*object_, {name}));
}

json::StringMap FieldReader::map(std::string_view name) {
  if (object_ == nullptr) return {};
  return or_note(json::string_map_at(*object_, {name}));
}

std::optional<bool> FieldReader::tristate(std::string_view name) {
  if (object_ == nullptr) return {};
  return or_note(json::optional_bool_at(*object_, {name}));
}

std::int64_t FieldReader::number(std::string_view name) {
  if (object_ == nullptr) return 0;
  return or_note(json::optional_int_at(*object_, {name})).value_or(0);
}

std::optional<Duration> FieldReader::duration(std::string_view name) {
  if (find(name) == nullptr) return {};
  const auto text = or_note(json::optional_string_at(*object_, {name}));
  if (!text) return {};
  const auto parsed = parse_go_duration(*text);
  if (parsed) return *parsed;
  note(name, parsed.error().message());
  return {};
}

std::optional<WallTime> FieldReader::time(std::string_view name) {
  if (find(name) == nullptr) return {};
  const auto text = or_note(json::optional_string_at(*object_, {name}));
  if (!text) return {};
  const auto parsed = parse_rfc3339(*text);
  if (parsed) return *parsed;
  note(name, parsed.error().message());
  return {};
}

std::optional<k8s::LabelSelector> FieldReader::selector(std::string_view name) {
  const Json* value = find(name);
  if (value == nullptr) return {};
  auto selector = k8s::label_selector_from_json(value);
  if (selector) return *std::move(selector);
  note(name, selector.error().message());
  return {};
}

std::vector<k8s::LabelSelector> FieldReader::selectors(std::string_view name) {
  const Json* list = find_list(name);
  if (list == nullptr) return {};
  std::vector<k8s::LabelSelector> selectors;
  std::size_t index = 0;
  for (const Json& element : *list) {
    auto selector = k8s::label_selector_from_json(&element);
    if (selector) {
      selectors.push_back(*std::move(selector));
    } else {
      note(fmt::format("{}[{}]", name, index), selector.error().message());
    }
    ++index;
  }
  return selectors;
}

std::optional<LocalReference> FieldReader::reference(std::string_view name) {
  FieldReader fields = child(name);
  if (!fields.is_there()) return {};
  return LocalReference{.api_group = fields.text("apiGroup"), .kind = fields.text("kind"), .name = fields.text("name")};
}

FieldReader FieldReader::child(std::string_view name) { return {find(name), path_of(name), problems_}; }

std::vector<FieldReader> FieldReader::children(std::string_view name) {
  std::vector<FieldReader> children;
  const Json* list = find_list(name);
  if (list == nullptr) return children;
  for (const Json& element : *list) {
    FieldReader child(&element, fmt::format("{}[{}]", path_of(name), children.size()), problems_);
    children.push_back(std::move(child));
  }
  return children;
}

}  // namespace landfall::api
