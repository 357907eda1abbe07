#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "json/json_fwd.h"
#include "operation/item_operation.h"

// Volumes of a backup whose data is in CSI snapshots, or is moved out of them. Pure; objects are taken as far as they
// have the right types.
namespace landfall::volume_info {

inline constexpr std::string_view kSnapshotGroup = "snapshot.storage.k8s.io";
inline constexpr std::string_view kSnapshotVersion = "v1";
inline constexpr std::string_view kSnapshotResource = "volumesnapshots";
inline constexpr std::string_view kSnapshotContentResource = "volumesnapshotcontents";

using Operations = std::vector<operation::ItemOperation>;

// Rows for the VolumeSnapshots that are bound to one of the VolumeSnapshotContents. How each ended is not known yet.
// Returns how many have no row, because no PersistentVolume of theirs is in the backup.
std::size_t add_csi_snapshots(json::Json& rows, const std::vector<json::Json>& snapshots,
                              const std::vector<json::Json>& contents, const Operations& operations);

// Whether one of the operations is about a VolumeSnapshot, or moves the data of a claim.
bool has_snapshots(const Operations& operations);
bool has_data_uploads(const Operations& operations);
// Rows for claims whose data is moved. An operation whose DataUpload is not among those given has a row all the same,
// with what is known. Returns how many have none, as above.
std::size_t add_data_uploads(json::Json& rows, const std::vector<json::Json>& data_uploads,
                             const Operations& operations);

// How all of them ended, once the operations have: changes what is to be changed and leaves the other fields of the
// rows as they are, also those that nobody here knows.
void end_csi_rows(json::Json& rows, const std::vector<json::Json>& data_uploads, const Operations& operations);

}  // namespace landfall::volume_info
