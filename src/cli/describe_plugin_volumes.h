#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "json/json_fwd.h"
#include "progress/progress.h"

// VolumePluginBackups and -Restores as `describe` and `watch` show them.
namespace landfall::cli {

// "pv-1, snapshot snap-1"
std::string plugin_volume_name(const json::Json& object);

// How far it is. Plugins tell no pace: it is what they have done since they began.
std::optional<progress::ByteProgress> plugin_volume_progress(const json::Json& object, WallTime now);

// Those that are not over: how far they are:
// "pv-1, snapshot snap-1: transferring 1.5 GiB/4.0 GiB (37 %), 52.1 MiB/s, about 50s left, message".
std::vector<std::string> plugin_volumes_under_way(const std::vector<json::Json>& all, WallTime now);

// Those that have ended without their data, and why: "pv-1, snapshot snap-1: failed, the disk is full".
std::vector<std::string> plugin_volumes_without_data(const std::vector<json::Json>& all);

// One a line, or with details all that is known of each, with what its plugin wants to be known. Lines before
// terminal::align_tabs().
std::string plugin_volumes_text(const std::vector<json::Json>& all, std::string_view indent, bool details,
                                WallTime now);

// The same for -o json: {"pv-1": {"plugin", "snapshotID", "phase", …}}.
json::Json plugin_volumes_document(const std::vector<json::Json>& all);

}  // namespace landfall::cli
