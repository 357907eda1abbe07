#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "json/access.h"
#include "json/json_fwd.h"
#include "k8s/label_selector.h"

namespace landfall::api {

// All that is wrong with the fields of a document, as the detail of an error: one entry becomes one line of
// status.validationErrors. The error's message has them all.
class FieldProblems : public ErrorDetail {
 public:
  explicit FieldProblems(std::vector<std::string> problems) : problems_(std::move(problems)) {}
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  std::vector<std::string> problems_;
};

// The problems of an error of this module; its message when it carries none.
std::vector<std::string> problems_of(const Error& error);

// To an object of the same namespace.
struct LocalReference {
  std::string api_group;
  std::string kind;
  std::string name;
};

// Reads the fields of an object one by one and notes what is wrong with them, each with its path, in place of stopping
// at the first. A field that is missing, null or wrong reads as its empty value. For the length of one reading: it
// points at the document and at the list of problems.
class FieldReader {
 public:
  // `path` is where the object is in the document: "spec".
  FieldReader(const json::Json& document, const json::Path& path, std::vector<std::string>& problems);

  // There and an object.
  bool is_there() const { return object_ != nullptr; }
  // The object itself; null when it is not there.
  const json::Json* object() const { return object_; }

  std::string text(std::string_view name);
  std::vector<std::string> texts(std::string_view name);
  json::StringMap map(std::string_view name);
  std::optional<bool> tristate(std::string_view name);
  bool flag(std::string_view name) { return tristate(name).value_or(false); }
  std::int64_t number(std::string_view name);
  // A text that Go reads as a duration.
  std::optional<Duration> duration(std::string_view name);
  std::optional<WallTime> time(std::string_view name);
  // Nothing when there is none, which to Velero means no restriction.
  std::optional<k8s::LabelSelector> selector(std::string_view name);
  std::vector<k8s::LabelSelector> selectors(std::string_view name);
  std::optional<LocalReference> reference(std::string_view name);

  FieldReader child(std::string_view name);
  // The objects of a list.
  std::vector<FieldReader> children(std::string_view name);

  void note(std::string_view name, std::string_view problem);

 private:
  FieldReader(const json::Json* object, std::string path, std::vector<std::string>* problems);
  // The field, unless it is missing or null.
  const json::Json* find(std::string_view name) const;
  // The field if it is a list, else none and a note.
  const json::Json* find_list(std::string_view name);
  std::string path_of(std::string_view name) const;

  template <class T>
  T or_note(Result<T> value);

  const json::Json* object_;
  std::string path_;
  std::vector<std::string>* problems_;
};

// The value, or one kInvalid error with all problems.
Status no_problems(std::vector<std::string> problems);

}  // namespace landfall::api
