#include "hooks/hook_command.h"

#include <optional>

#include "json/json.h"
#include "json/parse.h"

namespace landfall::hooks {
namespace {

std::optional<std::vector<std::string>> parse_list(std::string_view text) {
  const auto list = json::parse(text);
  if (!list || !list->is_array()) return {};
  std::vector<std::string> words;
  for (const json::Json& word : *list) {
    // Go reads a null as an empty text.
    if (!word.is_string() && !word.is_null()) return {};
    words.push_back(word.is_null() ? "" : word.get_ref<const std::string&>());
  }
  return words;
}

}  // namespace

std::vector<std::string> parse_hook_command(std::string_view text) {
  if (text.starts_with('[')) {
    if (auto words = parse_list(text)) return *std::move(words);
  }
  return {std::string(text)};
}

}  // namespace landfall::hooks
