#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/result.h"

namespace landfall::plugin_local {

// By which ways others hear how far a copy is: VolumePluginBackups and -Restores that it writes itself, the answers of
// the optional service, or both. kAuto: the service always, resources where a cluster can be reached that knows them.
enum class ProgressWay { kAuto, kResources, kPolled, kBoth };

std::string to_string(ProgressWay way);
Result<ProgressWay> parse_progress_way(const std::string& text);

// The config of a VolumeSnapshotLocation.
struct Settings {
  std::string directory;  // of the snapshots, as this process sees it
  std::string volumes;    // of new volumes, as the node sees it
  std::string root;       // where this process sees the node's "/"; empty: it is the same
  ProgressWay progress = ProgressWay::kAuto;
  std::int64_t bytes_per_second = 0;  // 0: as fast as it goes
};

// Every key is known or refused by name, as Velero's own plugins do.
Result<Settings> read_settings(const std::map<std::string, std::string>& config);

// An absolute path without "." and ".." and doubled slashes; kInvalid otherwise.
Status check_path(const std::string& path);

}  // namespace landfall::plugin_local
