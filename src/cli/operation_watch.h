#pragma once

#include <string>

#include "cli/command.h"
#include "cli/nouns.h"

namespace landfall::cli {

// `backup watch` and `restore watch`: how far it is, live, until it ends; then as `--wait`.
Command add_operation_watch(const Command& group, const std::string& word, const Noun& noun);

}  // namespace landfall::cli
