#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace landfall::http {

// The parameters after the question mark, decoded and in their order; a name may occur more than once. A plain value.
class Query {
 public:
  using Parameter = std::pair<std::string, std::string>;

  // "a=1&b&a=%20+" is a: "1", b: "", a: "  ". kInvalid names the place of a bad escape.
  static Result<Query> parse(std::string_view raw);

  // The first value of that name.
  std::optional<std::string_view> get(std::string_view name) const;
  std::vector<std::string_view> all(std::string_view name) const;
  bool contains(std::string_view name) const { return get(name).has_value(); }

  std::size_t size() const { return parameters_.size(); }
  auto begin() const { return parameters_.begin(); }
  auto end() const { return parameters_.end(); }

  friend bool operator==(const Query&, const Query&) = default;

 private:
  std::vector<Parameter> parameters_;
};

// What a request asks for, taken apart.
struct Target {
  std::string authority;  // of an absolute target (http://HOST/…), else empty
  std::string raw_path;   // as sent
  std::string path;       // decoded; "*" for the asterisk form
  std::string raw_query;  // as sent, without the question mark
  Query query;
};

// Reads the origin form (/a/b?c), the absolute form (http://host/a/b?c) and the asterisk form (*).
Result<Target> parse_target(std::string_view text);

// Decodes a path once, and only if no reader could take it for another path. Refused with kInvalid: a path that does
// not begin with a slash, "." and ".." segments however they are spelled, empty segments but for one trailing slash, an
// encoded slash or backslash, control characters, a bad escape, bytes that are not UTF-8.
// What comes back therefore splits at its slashes into the segments that were meant.
Result<std::string> decode_path(std::string_view raw);

// Makes one segment of a path: everything but unreserved characters is escaped.
std::string encode_segment(std::string_view text);

}  // namespace landfall::http
