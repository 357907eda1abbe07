#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "json/json_fwd.h"

// A notation for the schemas of CustomResourceDefinitions. A schema is a value; each word returns a changed copy:
//
//   object({{"name", text().required()}, {"labels", map_of(text())}, {"names", texts().nullable()}})
namespace landfall::api {

struct Field;

class Schema {
 public:
  Schema nullable() const;
  // The object that it is a field of is refused without it.
  Schema required() const;
  // What `kubectl explain` says. Only for what the name does not say already.
  Schema help(std::string_view sentence) const;
  // What the server fills in; texts only.
  Schema with_default(std::string_view value) const;
  Schema at_least(std::size_t elements) const;
  // Server-side apply replaces a list or object as a whole.
  Schema atomic() const;
  // Fields that the schema does not name are kept.
  Schema keep_unknown() const;
  // The object with more fields.
  Schema with(const std::vector<Field>& more) const;

  bool is_required() const { return required_; }
  json::Json to_json() const;

 private:
  friend Schema text();
  friend Schema text_of_format(std::string_view format);
  friend Schema one_of(std::vector<std::string> values);
  friend Schema boolean();
  friend Schema count();
  friend Schema int64();
  friend Schema list_of(const Schema& element);
  friend Schema map_of(const Schema& value);
  friend Schema object(std::vector<Field> fields);

  explicit Schema(std::string type, std::string format = {});

  std::string type_;
  std::string format_;
  std::string help_;
  std::vector<std::string> values_;
  std::optional<std::string> default_;
  std::size_t at_least_ = 0;
  bool nullable_ = false;
  bool required_ = false;
  bool atomic_ = false;
  bool keep_unknown_ = false;
  std::vector<Field> fields_;
  std::vector<Schema> element_;  // none or one: of a list
  std::vector<Schema> value_;    // none or one: of a map
};

struct Field {
  std::string name;
  Schema schema;
};

Schema text();
Schema text_of_format(std::string_view format);
Schema one_of(std::vector<std::string> values);
Schema one_of(std::span<const std::string_view> values);
Schema boolean();
Schema count();  // a whole number of no format, as Go's int
Schema int64();
Schema list_of(const Schema& element);
Schema map_of(const Schema& value);
Schema object(std::vector<Field> fields);

// Often used.
Schema texts();     // a list of them
Schema time();      // nullable, as all of Velero's
Schema duration();  // a text such as 1h30m0s, which no schema checks
Schema tristate();  // a boolean; null leaves it open

}  // namespace landfall::api
