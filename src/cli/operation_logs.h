#pragma once

#include <string>

#include "cli/command.h"
#include "cli/nouns.h"

namespace landfall::cli {

// `backup logs` and `restore logs`: the log of one that has ended or, from Landfall's server, that runs; -f goes on as
// it grows. Called as `velero` only of one that has ended, as that one.
Command add_operation_logs(const Command& group, const std::string& word, const Noun& noun);

}  // namespace landfall::cli
