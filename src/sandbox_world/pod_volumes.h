#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/json_fwd.h"
#include "sandbox_world/cluster.h"
#include "sandbox_world/volume_directories.h"

namespace landfall::sandbox {

// The volumes of one pod and their directories.
class PodVolumes {
 public:
  PodVolumes(const Cluster& cluster, const VolumeDirectories& directories, const json::Json& pod)
      : cluster_(cluster), directories_(directories), pod_(pod) {}

  // Makes the directories. False while something that a volume refers to is missing.
  Result<bool> prepare() const;
  // Where a volume of the pod is; empty when it has no directory.
  std::filesystem::path path_of(std::string_view volume_name) const;
  // Whether every volume that the restore-wait container mounts below /restores holds the file that the container's
  // argument names.
  bool are_restored(const json::Json& wait_container) const;

 private:
  const json::Json* source_of(std::string_view volume_name) const;
  bool is_there(const json::Json& source) const;
  std::optional<json::Json> volume_of(const json::Json& source) const;

  const Cluster& cluster_;
  const VolumeDirectories& directories_;
  const json::Json& pod_;
};

}  // namespace landfall::sandbox
