#pragma once

#include <string>

#include "cli/command.h"
#include "cli/nouns.h"

namespace landfall::cli {

// `backup cancel` and `restore cancel`: asks for it by spec.cancel, where the server is one that looks at that.
Command add_operation_cancel(const Command& group, const std::string& word, const Noun& noun);

}  // namespace landfall::cli
