#include "api/schema.h"

#include <utility>

#include "json/json.h"

namespace landfall::api {

using json::Json;

Schema::Schema(std::string type, std::string format) : type_(std::move(type)), format_(std::move(format)) {}

Schema Schema::nullable() const {
  Schema changed = *this;
  changed.nullable_ = true;
  return changed;
}

Schema Schema::required() const {
  Schema changed = *this;
  changed.required_ = true;
  return changed;
}

Schema Schema::help(std::string_view sentence) const {
  Schema changed = *this;
  changed.help_ = sentence;
  return changed;
}

Schema Schema::with_default(std::string_view value) const {
  Schema changed = *this;
  changed.default_ = value;
  return changed;
}

Schema Schema::at_least(std::size_t elements) const {
  Schema changed = *this;
  changed.at_least_ = elements;
  return changed;
}

Schema Schema::atomic() const {
  Schema changed = *this;
  changed.atomic_ = true;
  return changed;
}

Schema Schema::keep_unknown() const {
  Schema changed = *this;
  changed.keep_unknown_ = true;
  return changed;
}

Schema Schema::with(const std::vector<Field>& more) const {
  Schema changed = *this;
  changed.fields_.insert(changed.fields_.end(), more.begin(), more.end());
  return changed;
}

Json Schema::to_json() const {
  Json result = {{"type", type_}};
  if (!format_.empty()) result["format"] = format_;
  if (!help_.empty()) result["description"] = help_;
  if (!values_.empty()) result["enum"] = values_;
  if (default_) result["default"] = *default_;
  if (at_least_ > 0) result["minItems"] = at_least_;
  if (nullable_) result["nullable"] = true;
  if (atomic_) result[type_ == "array" ? "x-kubernetes-list-type" : "x-kubernetes-map-type"] = "atomic";
  if (keep_unknown_) result["x-kubernetes-preserve-unknown-fields"] = true;
  for (const Field& field : fields_) {
    result["properties"][field.name] = field.schema.to_json();
    if (field.schema.is_required()) result["required"].push_back(field.name);
  }
  if (!element_.empty()) result["items"] = element_.front().to_json();
  if (!value_.empty()) result["additionalProperties"] = value_.front().to_json();
  return result;
}

Schema text() { return Schema("string"); }
Schema text_of_format(std::string_view format) { return Schema("string", std::string(format)); }
Schema boolean() { return Schema("boolean"); }
Schema count() { return Schema("integer"); }
Schema int64() { return Schema("integer", "int64"); }

Schema one_of(std::vector<std::string> values) {
  Schema schema("string");
  schema.values_ = std::move(values);
  return schema;
}
Schema one_of(std::span<const std::string_view> values) {
  return one_of(std::vector<std::string>(values.begin(), values.end()));
}

Schema list_of(const Schema& element) {
  Schema schema("array");
  schema.element_.push_back(element);
  return schema;
}

Schema map_of(const Schema& value) {
  Schema schema("object");
  schema.value_.push_back(value);
  return schema;
}

Schema object(std::vector<Field> fields) {
  Schema schema("object");
  schema.fields_ = std::move(fields);
  return schema;
}

Schema texts() { return list_of(text()); }
Schema time() { return text_of_format("date-time").nullable(); }
Schema duration() { return text(); }
Schema tristate() { return boolean().nullable(); }

}  // namespace landfall::api
