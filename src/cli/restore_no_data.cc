#include "cli/restore_no_data.h"

#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::cli {

NoVolumeData::NoVolumeData(const std::vector<json::Json>& pod_volume_backups) {
  for (const json::Json& backup : pod_volume_backups) {
    // One that has failed holds nothing.
    if (json::string_or(backup, {"status", "snapshotID"}, "").empty()) continue;
    volumes_[{json::string_or(backup, {"spec", "pod", "namespace"}, ""),
              json::string_or(backup, {"spec", "pod", "name"}, "")}]
        .push_back(json::string_or(backup, {"spec", "volume"}, ""));
  }
}

bool NoVolumeData::has_data_for(const std::string& original_namespace, const std::string& pod) const {
  return volumes_.contains({original_namespace, pod});
}

Status NoVolumeData::begin(const json::Json& pod, const std::string& original_namespace, const std::stop_token&) {
  const auto found = volumes_.find({original_namespace, std::string(k8s::ObjectView(pod).name())});
  const std::string names = found == volumes_.end() ? "its volumes" : join(found->second, ", ");
  return fail(Code::kUnsupported, "no data for volumes: " + names +
                                      ": files of volumes are restored by node agents, and there are none without a "
                                      "server; restore with 'landfall restore create' to bring them back");
}

std::vector<std::string> NoVolumeData::wait(const std::stop_token&) { return {}; }

}  // namespace landfall::cli
