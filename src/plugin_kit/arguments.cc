#include "plugin_kit/arguments.h"

#include <optional>
#include <string_view>

#include "base/strings.h"

namespace landfall::plugin_kit {
namespace {

std::optional<std::string_view> value_of(const std::vector<std::string>& words, std::size_t at, std::string_view flag) {
  const std::string_view word = words[at];
  if (word == flag) {
    return at + 1 < words.size() && !words[at + 1].starts_with('-') ? std::optional<std::string_view>(words[at + 1])
                                                                    : std::nullopt;
  }
  return strip_prefix(word, std::string(flag) + "=");
}

}  // namespace

Arguments read_arguments(const std::vector<std::string>& words) {
  Arguments arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (const auto level = value_of(words, i, "--log-level")) {
      const auto parsed = parse_log_level(*level);
      if (parsed) arguments.log_level = *parsed;
    }
    if (const auto features = value_of(words, i, "--features")) {
      for (const std::string_view one : split(*features, ',')) {
        if (!trim(one).empty()) arguments.features.emplace_back(trim(one));
      }
    }
  }
  return arguments;
}

}  // namespace landfall::plugin_kit
