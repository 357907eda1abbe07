#include "modifiers/patch_value.h"

#include <string>

#include "base/strings.h"
#include "json/json.h"
#include "json/parse.h"

namespace landfall::modifiers {
namespace {

using json::Json;

Json as_text(std::string_view content) {
  auto unescaped = json::parse("\"" + std::string(content) + "\"");
  return unescaped ? *std::move(unescaped) : Json(std::string(content));
}

}  // namespace

Result<Json> patch_value(std::string_view text) {
  if (text.starts_with('"') && text.ends_with('"')) {
    text.remove_prefix(1);
    if (!text.empty()) text.remove_suffix(1);
    return as_text(text);
  }
  if (text.starts_with('{') || text.starts_with('[')) {
    auto document = json::parse(text);
    if (document) return *std::move(document);
    return fail("it starts like JSON but is not: put it in double quotes if it is a text", std::move(document).error());
  }
  if (text == "null") return Json();
  if (const std::string lower = to_lower(text); lower == "true" || lower == "false") return Json(lower == "true");
  // White space around a number makes it a text to Velero.
  if (!text.empty() && trim(text) == text) {
    auto number = json::parse(text);
    if (number && number->is_number()) return *std::move(number);
  }
  return as_text(text);
}

}  // namespace landfall::modifiers
