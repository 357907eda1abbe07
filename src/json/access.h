#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/json_fwd.h"

// Reaching into documents without exceptions and without surprises: a wrong type is an error that names the path
// ("spec.replicas: expected a whole number, got a string").
//
// Missing and null are the same to a reader, as they are to Kubernetes.
namespace landfall::json {

// Where a value is: the keys from the root. Inside an array a key is an index ("0"). A view, for parameters only:
//   find(pod, {"spec", "containers", "0", "image"})
class Path {
 public:
  Path(std::initializer_list<std::string_view> keys) : keys_(std::data(keys), keys.size()) {}
  explicit Path(std::span<const std::string_view> keys) : keys_(keys) {}

  std::span<const std::string_view> keys() const { return keys_; }
  // As Kubernetes names fields: spec.containers[0].image, metadata.labels[app.kubernetes.io/name].
  std::string to_string() const;

 private:
  std::span<const std::string_view> keys_;
};

using StringMap = std::map<std::string, std::string>;

// The value, or nullptr when there is none or it is null. Lives as long as the document stays unchanged.
const Json* find(const Json& document, const Path& path);
Json* find(Json& document, const Path& path);
bool has(const Json& document, const Path& path);
const std::string* find_string(const Json& document, const Path& path);

// The value must be there (kNotFound) and of the type (kInvalid). A number with a fraction is not an int; 3.0 is.
Result<std::string> string_at(const Json& document, const Path& path);
Result<std::int64_t> int_at(const Json& document, const Path& path);
Result<double> double_at(const Json& document, const Path& path);
Result<bool> bool_at(const Json& document, const Path& path);
Result<const Json*> object_at(const Json& document, const Path& path);
Result<const Json*> array_at(const Json& document, const Path& path);

// The value may be missing, but must be of the type when it is there. For what people write.
Result<std::optional<std::string>> optional_string_at(const Json& document, const Path& path);
Result<std::optional<std::int64_t>> optional_int_at(const Json& document, const Path& path);
Result<std::optional<bool>> optional_bool_at(const Json& document, const Path& path);

// The fallback stands for a missing value and for one of another type. For what an API server has already validated.
std::string string_or(const Json& document, const Path& path, std::string_view fallback);
std::int64_t int_or(const Json& document, const Path& path, std::int64_t fallback);
double double_or(const Json& document, const Path& path, double fallback);
bool bool_or(const Json& document, const Path& path, bool fallback);

// Labels, annotations, selectors; lists of names. Missing is empty; an element that is no string is an error.
Result<StringMap> string_map_at(const Json& document, const Path& path);
Result<std::vector<std::string>> string_list_at(const Json& document, const Path& path);

// Puts the value there, creating the objects on the way. Fails, and changes nothing, where something that is neither an
// object nor null is in the way. An index must exist in its array, or be "-" as the last key: one past the end.
Status set_at(Json& document, const Path& path, Json value);
// Takes the value away; false when there was none.
bool erase_at(Json& document, const Path& path);

// "an object", "a string", "null" …, for messages.
std::string_view type_name(const Json& value);

}  // namespace landfall::json
