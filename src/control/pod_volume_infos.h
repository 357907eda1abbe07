#pragma once

#include <vector>

#include "json/json_fwd.h"

// Volumes that were copied file by file, as the files with volume information tell of them. Pure.
namespace landfall::control {

// Adds PodVolumeBackups to the rows of `NAME-volumeinfo.json.gz`. The row of a PersistentVolume whose claim was copied
// says so and no longer why it was skipped; one whose PersistentVolume is not in the backup has none, as in Velero; a
// volume without a claim gets a row of its own.
void add_pod_volume_backups(json::Json& rows, const std::vector<json::Json>& pod_volume_backups);

}  // namespace landfall::control
