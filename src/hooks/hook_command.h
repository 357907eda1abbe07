#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace landfall::hooks {

// The command in an annotation: a JSON list of texts when it starts with a bracket; everything else, and a list that
// cannot be read, is one word, which is run without a shell. "[]" gives no word at all.
std::vector<std::string> parse_hook_command(std::string_view text);

}  // namespace landfall::hooks
