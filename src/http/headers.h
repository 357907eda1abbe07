#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace landfall::http {

// True when both are the same but for the case of ASCII letters.
bool equals_ignoring_case(std::string_view a, std::string_view b);
// A name that may stand in a message: one or more token characters.
bool is_token(std::string_view text);
// A value that may stand in a message: no line ends, no NUL, no other control characters but tabs.
bool is_field_value(std::string_view text);

// The header fields of a message, in their order. Names keep their spelling and compare without regard to case; a name
// may occur more than once. A plain value.
class Headers {
 public:
  struct Field {
    std::string name;
    std::string value;
    friend bool operator==(const Field&, const Field&) = default;
  };

  Headers() = default;
  Headers(std::initializer_list<Field> fields) : fields_(fields) {}

  void add(std::string name, std::string value);
  // Replaces every field of that name.
  void set(std::string_view name, std::string value);
  void remove(std::string_view name);

  // The first value of that name.
  std::optional<std::string_view> get(std::string_view name) const;
  std::vector<std::string_view> all(std::string_view name) const;
  bool contains(std::string_view name) const { return get(name).has_value(); }
  // True when one of the fields of that name lists the word: `Accept-Encoding: br, gzip` has "gzip".
  bool has_word(std::string_view name, std::string_view word) const;

  std::size_t size() const { return fields_.size(); }
  bool empty() const { return fields_.empty(); }
  auto begin() const { return fields_.begin(); }
  auto end() const { return fields_.end(); }

  friend bool operator==(const Headers&, const Headers&) = default;

 private:
  std::vector<Field> fields_;
};

}  // namespace landfall::http
