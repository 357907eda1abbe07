#include "sandbox_world/pod_volumes.h"

#include <system_error>

#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::sandbox {
namespace {

namespace fs = std::filesystem;
using json::Json;

constexpr std::string_view kRestores = "/restores/";

std::string claim_name(const Json& source) {
  return json::string_or(source, {"persistentVolumeClaim", "claimName"}, "");
}

const Json* list_at(const Json& object, const json::Path& path) {
  const Json* list = json::find(object, path);
  return list != nullptr && list->is_array() ? list : nullptr;
}

}  // namespace

std::optional<Json> PodVolumes::volume_of(const Json& source) const {
  const auto claim = cluster_.get(kinds().claims, k8s::ObjectView(pod_).name_space(), claim_name(source));
  if (!claim) return std::nullopt;
  const std::string name = json::string_or(*claim, {"spec", "volumeName"}, "");
  return name.empty() ? std::nullopt : cluster_.get(kinds().volumes, "", name);
}

bool PodVolumes::is_there(const Json& source) const {
  const std::string_view name_space = k8s::ObjectView(pod_).name_space();
  if (source.contains("configMap") && !json::bool_or(source, {"configMap", "optional"}, false)) {
    return cluster_.get(kinds().config_maps, name_space, json::string_or(source, {"configMap", "name"}, ""))
        .has_value();
  }
  if (source.contains("secret") && !json::bool_or(source, {"secret", "optional"}, false)) {
    return cluster_.get(kinds().secrets, name_space, json::string_or(source, {"secret", "secretName"}, "")).has_value();
  }
  return true;
}

Result<bool> PodVolumes::prepare() const {
  const Json* volumes = list_at(pod_, {"spec", "volumes"});
  if (volumes == nullptr) return true;
  const std::string uid(k8s::ObjectView(pod_).uid());
  for (const Json& source : *volumes) {
    if (!is_there(source)) return false;
    if (claim_name(source).empty()) {
      TRY("", directories_.make_pod_volume(uid, source, nullptr));
      continue;
    }
    const std::optional<Json> volume = volume_of(source);
    if (!volume) return false;
    TRY("", directories_.make_pod_volume(uid, source, &*volume));
  }
  return true;
}

const Json* PodVolumes::source_of(std::string_view volume_name) const {
  const Json* volumes = list_at(pod_, {"spec", "volumes"});
  if (volumes == nullptr) return nullptr;
  for (const Json& source : *volumes) {
    if (json::string_or(source, {"name"}, "") == volume_name) return &source;
  }
  return nullptr;
}

fs::path PodVolumes::path_of(std::string_view volume_name) const {
  const Json* source = source_of(volume_name);
  if (source == nullptr) return {};
  const std::string_view uid = k8s::ObjectView(pod_).uid();
  if (claim_name(*source).empty()) return directories_.of_pod(uid, *source, nullptr);
  const std::optional<Json> volume = volume_of(*source);
  return volume ? directories_.of_pod(uid, *source, &*volume) : fs::path();
}

bool PodVolumes::are_restored(const Json& wait_container) const {
  const auto arguments = json::string_list_at(wait_container, {"args"});
  if (!arguments || arguments->empty()) return false;
  const std::string& done = arguments->front();
  if (done.empty() || done.find('/') != std::string::npos) return false;
  const Json* mounts = list_at(wait_container, {"volumeMounts"});
  if (mounts == nullptr) return true;
  for (const Json& mount : *mounts) {
    if (!json::string_or(mount, {"mountPath"}, "").starts_with(kRestores)) continue;
    const fs::path path = path_of(json::string_or(mount, {"name"}, ""));
    std::error_code error;
    if (path.empty() || !fs::exists(path / ".velero" / done, error)) return false;
  }
  return true;
}

}  // namespace landfall::sandbox
