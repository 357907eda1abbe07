#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/json_fwd.h"

namespace landfall::sandbox {

// The directories of volumes and pods, all below one folder:
//
//   volumes/<name of the PersistentVolume>          what is in a volume
//   pods/<uid>/volumes/<plugin>/<name>              as a kubelet lays it out; claims are symbolic links to their volume
//
// Only this folder is ever written to: a `local` volume whose path is elsewhere and exists is used where it is, but
// never removed; one whose path does not exist gets a directory here. A cheap value; thread-safe as the file system is.
class VolumeDirectories {
 public:
  explicit VolumeDirectories(std::filesystem::path root) : root_(std::move(root)) {}

  const std::filesystem::path& root() const { return root_; }
  std::filesystem::path new_volume(std::string_view volume_name) const { return root_ / "volumes" / volume_name; }
  std::filesystem::path pod(std::string_view uid) const { return root_ / "pods" / uid; }

  // Where the bytes of a PersistentVolume are.
  std::filesystem::path backing(const json::Json& volume) const;
  Status make_volume(const json::Json& volume) const;
  // Removes what is below the folder and nothing else.
  Status remove_volume(const std::filesystem::path& backing) const;

  // The directory of a pod's volume with this source; `volume` is the PersistentVolume of a claim, else null. Empty for
  // a source that has none (hostPath).
  std::filesystem::path of_pod(std::string_view pod_uid, const json::Json& source, const json::Json* volume) const;
  Status make_pod_volume(std::string_view pod_uid, const json::Json& source, const json::Json* volume) const;
  Status remove_pod(std::string_view pod_uid) const;
  // The uids that have a directory.
  std::vector<std::string> pods() const;

 private:
  bool is_below(const std::filesystem::path& path) const;

  std::filesystem::path root_;
};

}  // namespace landfall::sandbox
