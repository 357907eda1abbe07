#pragma once

#include <string>
#include <vector>

#include "cli/command_tree.h"
#include "cli/context.h"
#include "cli/global_flags.h"

namespace landfall::cli {

// The word behind the program that asks what may stand at the end of a command line: `landfall __complete backup get
// n`. What `landfall completion` prints for a shell calls it.
inline constexpr const char* kCompleteWord = "__complete";

// The answer: "words" or "files" (the shell completes those), then a candidate a line, with its help behind a tab.
// Names of objects are asked for live, for two seconds; whatever goes wrong, there are just none.
std::string completion_text(const CommandTree& tree, const std::vector<std::string>& words,
                            const std::string& default_namespace, const Context& context);

}  // namespace landfall::cli
