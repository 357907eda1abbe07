#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/json_fwd.h"
#include "json/parse.h"

// YAML for manifests and for people, over libyaml. A text means here what it means to kubectl (sigs.k8s.io/yaml, YAML
// 1.1): yes, no, on and off are booleans, 010 is eight, 0o10 too, timestamps stay strings, 1.0 is the integer 1.
namespace landfall::json {

struct YamlLimits {
  std::size_t max_bytes = std::size_t{64} << 20;
  std::size_t max_depth = kMaxDepth;
  // What anchors and aliases may add to the document: a few lines of them can stand for billions of values.
  std::size_t max_alias_bytes = std::size_t{10} << 20;
};

// Reads the one document of a text; JSON is YAML too. An empty text is null. A second document, a key that appears
// twice, a key that is null or a collection, infinities and !!binary data that is not text are errors. Keys that are
// numbers or booleans become strings. With merge keys (<<) the later one wins, as in Go: a key that stands before << is
// overwritten by it.
// Errors name the place, not the content: "line 3, column 5: did not find expected key". kInvalid, or kTooLarge.
Result<Json> parse_yaml(std::string_view text, const YamlLimits& limits = {});

// Reads all documents of a text, separated by "---"; empty ones are left out. The limits are for the whole text.
Result<std::vector<Json>> parse_yaml_documents(std::string_view text, const YamlLimits& limits = {});

enum class YamlLines {
  kWhole,    // one line for a string, however long
  kWrapped,  // folded at 80 columns: byte for byte what kubectl prints
};

// Writes a document as kubectl -o yaml does: keys in natural order (a2 before a10), two spaces, lists not indented
// under their key, strings quoted where they could be read as something else, text of several lines as | blocks. What
// it writes is read back as the same document by parse_yaml and by kubectl. Never fails; bytes that are not UTF-8
// become U+FFFD.
std::string to_yaml(const Json& document, YamlLines lines = YamlLines::kWhole);

}  // namespace landfall::json
