#pragma once

#include <stop_token>
#include <string>

#include "base/result.h"
#include "json/json_fwd.h"
#include "kube/client.h"

namespace landfall::agent {

// Where the kubelet has the volumes of its pods: `<pods>/<pod UID>/volumes/<plugin>/<volume>`.
class VolumeFinder {
 public:
  VolumeFinder(kube::Client& client, std::string pods_directory)
      : client_(client), pods_directory_(std::move(pods_directory)) {}

  // The directory of a volume. kUnsupported for volumes that hold no files of their own or are none of ours to read, as
  // Velero has it: hostPath, secrets, config maps, projections, block devices; kNotFound when it is not there.
  Result<std::string> find(const json::Json& pod, const std::string& volume, const std::stop_token& stop) const;

 private:
  Result<std::string> folder_of(const json::Json& pod, const json::Json& volume, const std::stop_token& stop) const;
  Result<std::string> claimed_folder(const std::string& name_space, const std::string& claim,
                                     const std::stop_token& stop) const;

  kube::Client& client_;
  const std::string pods_directory_;
};

}  // namespace landfall::agent
