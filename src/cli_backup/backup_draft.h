#pragma once

#include <string>

#include "cli/context.h"
#include "cli/new_object.h"
#include "json/json_fwd.h"

namespace landfall::cli {

// The name of a backup that is made of a Schedule by hand: SCHEDULE-YYYYMMDDhhmmss in UTC, as the server calls them.
std::string backup_name_of(const std::string& schedule, const Context& context);

// A Backup as that Schedule would make it, with more labels and annotations.
json::Json backup_of_schedule(const json::Json& schedule, const std::string& name, const StringMap& labels,
                              const StringMap& annotations);

}  // namespace landfall::cli
