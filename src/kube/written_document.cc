#include "kube/written_document.h"

#include "base/strings.h"
#include "json/json.h"
#include "json/parse.h"
#include "json/yaml.h"

namespace landfall::kube {
namespace {

constexpr std::size_t kMaxText = std::size_t{16} << 20U;

}  // namespace

Result<json::Json> parse_json_or_yaml(std::string_view text) {
  if (!trim(text).starts_with('{')) {
    return json::parse_yaml(text, {.max_bytes = kMaxText});
  }
  Result<json::Json> document = json::parse(text, {.max_bytes = kMaxText});
  if (!document && document.error().code() == Code::kInvalid) {
    // YAML has braces, too. When it is neither, it was most likely meant to be JSON.
    if (Result<json::Json> as_yaml = json::parse_yaml(text, {.max_bytes = kMaxText})) {
      return as_yaml;
    }
  }
  return document;
}

Result<std::string> text_at(const json::Json& document, const json::Path& path) {
  TRY_ASSIGN(auto found, "", json::optional_string_at(document, path));
  return std::move(found).value_or("");
}

}  // namespace landfall::kube
