#pragma once

#include <string>
#include <string_view>

#include "json/json_fwd.h"

namespace landfall::item_actions {

inline constexpr const char* kSnapshotGroup = "snapshot.storage.k8s.io";

// What a VolumeSnapshot of the backup and its VolumeSnapshotContent are called once they are restored: one name for
// both, different for each restore. Velero derives it in the same way.
std::string restored_snapshot_name(const json::Json& restore, std::string_view name_in_backup);

}  // namespace landfall::item_actions
