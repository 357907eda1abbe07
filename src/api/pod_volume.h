#pragma once

#include <string>
#include <string_view>

#include "json/json_fwd.h"

// What everybody has to know who deals with the files of pods' volumes.
namespace landfall::api {

// Who copies: spec.uploaderType of a PodVolumeBackup or -Restore, spec.repositoryType of a BackupRepository. Before
// there were two nobody said which: it was restic.
std::string uploader_type(const json::Json& transfer);
std::string repository_type(const json::Json& repository);

// The volume of a pod by its name; null when it has none.
const json::Json* volume_of(const json::Json& pod, std::string_view name);
// Whether the pod has the volume, and files are brought back into it: Kubernetes makes those of some kinds itself.
bool takes_files_back(const json::Json& pod, std::string_view volume);

}  // namespace landfall::api
