#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace landfall::cli {

// The one that was probably meant: the fewest letters to change, and few enough for the length of the word.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& known);

}  // namespace landfall::cli
