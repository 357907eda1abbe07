#include "sandbox_world/volume_directories.h"

#include <algorithm>
#include <array>
#include <system_error>
#include <utility>

#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::sandbox {
namespace {

namespace fs = std::filesystem;
using json::Json;

Status check(std::string_view what, const fs::path& path, const std::error_code& error) {
  if (!error) return {};
  return fail(Code::kInternal, std::string(what) + " " + path.string() + ": " + error.message());
}

Status make(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  return check("make directory", path, error);
}

// The folder of a kubelet for a kind of volume, for pods' own sources and for those of PersistentVolumes.
std::string_view plugin_of(const Json& source) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kPlugins{{
      {"emptyDir", "kubernetes.io~empty-dir"},
      {"configMap", "kubernetes.io~configmap"},
      {"secret", "kubernetes.io~secret"},
      {"projected", "kubernetes.io~projected"},
      {"downwardAPI", "kubernetes.io~downward-api"},
      {"local", "kubernetes.io~local-volume"},
      {"csi", "kubernetes.io~csi"},
      {"nfs", "kubernetes.io~nfs"},
      {"iscsi", "kubernetes.io~iscsi"},
  }};
  for (const auto& [field, plugin] : kPlugins) {
    if (source.contains(field)) return plugin;
  }
  return {};
}

// Names and uids come from the API, where they are checked; whatever gets past that must still not lead elsewhere.
bool is_plain_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string_view::npos;
}

}  // namespace

bool VolumeDirectories::is_below(const fs::path& path) const {
  const fs::path relative = path.lexically_normal().lexically_relative(root_.lexically_normal());
  return !relative.empty() && *relative.begin() != ".." && *relative.begin() != ".";
}

fs::path VolumeDirectories::backing(const Json& volume) const {
  const fs::path given = json::string_or(volume, {"spec", "local", "path"}, "");
  std::error_code error;
  if (given.is_absolute() && (is_below(given) || fs::is_directory(given, error))) return given;
  return new_volume(k8s::ObjectView(volume).name());
}

Status VolumeDirectories::make_volume(const Json& volume) const {
  const fs::path path = backing(volume);
  return is_below(path) ? make(path) : Status();
}

Status VolumeDirectories::remove_volume(const fs::path& path) const {
  if (!is_below(path) || path.lexically_normal().parent_path() != (root_ / "volumes").lexically_normal()) return {};
  std::error_code error;
  fs::remove_all(path, error);
  return check("remove directory", path, error);
}

fs::path VolumeDirectories::of_pod(std::string_view pod_uid, const Json& source, const Json* volume) const {
  const std::string name =
      volume == nullptr ? json::string_or(source, {"name"}, "") : std::string(k8s::ObjectView(*volume).name());
  std::string_view plugin;
  if (volume == nullptr) {
    plugin = plugin_of(source);
  } else if (const Json* spec = json::find(*volume, {"spec"}); spec != nullptr && spec->is_object()) {
    plugin = plugin_of(*spec);
  }
  if (plugin.empty() || !is_plain_name(name) || !is_plain_name(pod_uid)) return {};
  fs::path path = pod(pod_uid) / "volumes" / plugin / name;
  if (plugin == "kubernetes.io~csi") path /= "mount";
  return path;
}

Status VolumeDirectories::make_pod_volume(std::string_view pod_uid, const Json& source, const Json* volume) const {
  const fs::path path = of_pod(pod_uid, source, volume);
  if (path.empty()) return {};
  if (volume == nullptr) return make(path);
  TRY("", make_volume(*volume));
  TRY("", make(path.parent_path()));
  std::error_code error;
  if (fs::is_symlink(path, error)) return {};
  // A bind mount, as a kubelet makes it, would need privileges.
  error.clear();
  fs::create_directory_symlink(backing(*volume), path, error);
  return check("make link", path, error);
}

Status VolumeDirectories::remove_pod(std::string_view pod_uid) const {
  if (!is_plain_name(pod_uid)) return {};
  std::error_code error;
  fs::remove_all(pod(pod_uid), error);  // links go, what they point to stays
  return check("remove directory", pod(pod_uid), error);
}

std::vector<std::string> VolumeDirectories::pods() const {
  std::vector<std::string> out;
  std::error_code error;
  for (fs::directory_iterator at(root_ / "pods", error), end; !error && at != end; at.increment(error)) {
    out.push_back(at->path().filename().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace landfall::sandbox
