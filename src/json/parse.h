#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/json_fwd.h"

namespace landfall::json {

// How deep a document may nest. Copying, comparing and writing a document recurse, so that every way to make one from
// outside (JSON, YAML, patches) keeps to this; no Kubernetes object comes near it.
inline constexpr std::size_t kMaxDepth = 1000;

// What a text may ask of us. A document takes up to twenty times the memory of its text.
struct Limits {
  // Twenty times what an API server accepts in one request (3 MiB); only lists are larger, and those are sliced into
  // their items before an item is parsed.
  std::size_t max_bytes = std::size_t{64} << 20;
  std::size_t max_depth = kMaxDepth;
};

// Reads one JSON document, alone in its text but for white space. Strict: UTF-8 must be valid, nothing may follow.
// As in Go's maps, the last of several equal keys counts; an integer that an int64 cannot hold becomes a double.
// Errors name the place, not the content (it may be a secret): "line 3, column 14 (byte 52): invalid literal". The
// place counts from 1, columns are characters. kInvalid, or kTooLarge past a limit.
Result<Json> parse(std::string_view text, const Limits& limits = {});

// One line, no spaces. A double stays one ("1.0"), so that parse() gives the same types back.
// The writers never fail: bytes that are not UTF-8 become U+FFFD, a NaN becomes null.
std::string dump(const Json& document);
// Over several lines, indented by two spaces.
std::string dump_pretty(const Json& document);
// Byte for byte what Go's encoding/json writes for an unstructured object: <, > and & as \u003c …, 1.0 as 1, 1e21 as
// 1e+21. For files whose bytes are compared with Velero's.
std::string dump_go(const Json& document);

// The levels of nesting: 0 for a scalar, 1 for {} and [1], 2 for {"a":{}}. Does not recurse.
std::size_t depth_of(const Json& document);

}  // namespace landfall::json
