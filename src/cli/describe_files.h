#pragma once

#include <string>
#include <string_view>

#include "cli/described_file.h"
#include "json/json_fwd.h"

// The parts of `describe` that are made from files, for Backups and Restores alike, before terminal::align_tabs().
// `noun` is "Backup" or "Restore".
namespace landfall::cli {

// "Warnings:" or "Errors:" of a results file; `result` is null where the file has no such list.
std::string result_part(std::string_view name, const json::Json* result);

// What plugins have started and what goes on behind the items: how many, or with details each of them.
std::string operations_part(std::string_view noun, const json::Json& object, bool details, const DescribedFile& file);

// The names of the items by kind.
std::string resource_list_part(std::string_view noun, const DescribedFile& file);

}  // namespace landfall::cli
