#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "json/json_fwd.h"
#include "restore/volume_restorers.h"

namespace landfall::cli {

// Says of each pod that is restored without node agents which of its volumes have data in the backup that they do not
// get. Immutable.
class NoVolumeData final : public restore::PodVolumeRestorer {
 public:
  explicit NoVolumeData(const std::vector<json::Json>& pod_volume_backups);

  bool has_data_for(const std::string& original_namespace, const std::string& pod) const override;
  // Always an error: the pod's volumes, and what can be done.
  Status begin(const json::Json& pod, const std::string& original_namespace, const std::stop_token& stop) override;
  std::vector<std::string> wait(const std::stop_token& stop) override;

 private:
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> volumes_;  // by namespace and pod
};

}  // namespace landfall::cli
