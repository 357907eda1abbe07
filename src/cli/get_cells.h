#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cli/context.h"
#include "json/json_fwd.h"

// Cells that the tables of several kinds have.
namespace landfall::cli {

// "29d", "5h ago"; "n/a" where there is no time.
std::string from_now_cell(std::optional<WallTime> time, WallTime now);

// `-o wide` of Backups and Restores: how far it is, and how long it will take.
std::vector<std::string> progress_cells(const json::Json& operation, const Context& context);

}  // namespace landfall::cli
