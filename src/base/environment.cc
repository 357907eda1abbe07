#include "base/environment.h"

#include <unistd.h>

#include <string_view>

namespace landfall {

Environment Environment::of_process() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos) {
      variables.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
  }
  return Environment(std::move(variables));
}

std::optional<std::string> Environment::get(const std::string& name) const {
  const auto found = variables_.find(name);
  return found == variables_.end() ? std::nullopt : std::optional(found->second);
}

std::string Environment::get_or(const std::string& name, const std::string& fallback) const {
  const auto found = variables_.find(name);
  return found == variables_.end() || found->second.empty() ? fallback : found->second;
}

}  // namespace landfall
