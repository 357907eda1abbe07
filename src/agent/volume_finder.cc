#include "agent/volume_finder.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <string_view>
#include <vector>

#include "api/pod_volume.h"
#include "base/quote.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "kube/resource.h"

namespace landfall::agent {
namespace {

namespace fs = std::filesystem;
using json::Json;

// What the kubelet makes anew for every pod, and what is the node's.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kRefused = {{
    {"hostPath", "a hostPath belongs to the node, not to the pod"},
    {"secret", "a Secret is backed up as an object"},
    {"configMap", "a ConfigMap is backed up as an object"},
    {"projected", "its files are made anew for every pod"},
    {"downwardAPI", "its files are made anew for every pod"},
}};

// A name becomes a part of a path.
bool is_plain(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string_view::npos;
}

// Those of that name, whatever the plugin. Links are followed: only the node itself writes here, never a pod, and the
// sandbox has links where a kubelet has mounts.
Result<std::vector<std::string>> directories_named(const fs::path& volumes, const std::string& folder) {
  std::vector<std::string> found;
  std::error_code error;
  fs::directory_iterator plugin(volumes, error);
  for (; !error && plugin != fs::directory_iterator(); plugin.increment(error)) {
    fs::path directory = plugin->path() / folder;
    // A driver's own notes are beside what it mounts.
    if (plugin->path().filename() == "kubernetes.io~csi") directory /= "mount";
    std::error_code unreadable;
    if (fs::is_directory(directory, unreadable)) found.push_back(directory.string());
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    return fail(Code::kForbidden, volumes.string() + ": " + error.message());
  }
  return found;
}

}  // namespace

Result<std::string> VolumeFinder::claimed_folder(const std::string& name_space, const std::string& claim,
                                                 const std::stop_token& stop) const {
  TRY_ASSIGN(const Json pvc, "persistent volume claim " + quote(claim),
             kube::Resource(client_, {"", "v1", "persistentvolumeclaims"}, name_space).get(claim, stop));
  const std::string name = json::string_or(pvc, {"spec", "volumeName"}, "");
  if (name.empty()) return fail(Code::kNotFound, "persistent volume claim " + quote(claim) + " is not bound");
  TRY_ASSIGN(const Json volume, "persistent volume " + quote(name),
             kube::Resource(client_, {"", "v1", "persistentvolumes"}).get(name, stop));
  if (json::has(volume, {"spec", "hostPath"})) {
    return fail(Code::kUnsupported, "persistent volume " + quote(name) + ": " + std::string(kRefused[0].second));
  }
  if (json::string_or(volume, {"spec", "volumeMode"}, "Filesystem") != "Filesystem") {
    return fail(Code::kUnsupported, "persistent volume " + quote(name) + " is a block device, without files");
  }
  return name;
}

Result<std::string> VolumeFinder::folder_of(const Json& pod, const Json& volume, const std::stop_token& stop) const {
  for (const auto& [type, why] : kRefused) {
    if (json::has(volume, {type})) return fail(Code::kUnsupported, std::string(why));
  }
  const std::string claim = json::string_or(volume, {"persistentVolumeClaim", "claimName"}, "");
  if (!claim.empty()) return claimed_folder(std::string(k8s::ObjectView(pod).name_space()), claim, stop);
  // A generic ephemeral volume has a claim by this name.
  const std::string name = json::string_or(volume, {"name"}, "");
  if (json::has(volume, {"ephemeral"})) {
    const k8s::ObjectView view(pod);
    return claimed_folder(std::string(view.name_space()), fmt::format("{}-{}", view.name(), name), stop);
  }
  return name;
}

Result<std::string> VolumeFinder::find(const Json& pod, const std::string& name, const std::stop_token& stop) const {
  const k8s::ObjectView view(pod);
  const std::string title = fmt::format("volume {} of pod {}/{}", quote(name), view.name_space(), view.name());
  const Json* volume = api::volume_of(pod, name);
  if (volume == nullptr) return fail(Code::kNotFound, title + ": the pod has no such volume");
  TRY_ASSIGN(const std::string folder, title, folder_of(pod, *volume, stop));
  const std::string uid(view.uid());
  if (!is_plain(folder) || !is_plain(uid)) return fail(Code::kInvalid, title + ": " + quote(folder) + " is no name");

  const fs::path volumes = fs::path(pods_directory_) / uid / "volumes";
  TRY_ASSIGN(const std::vector<std::string> found, title, directories_named(volumes, folder));
  if (found.size() == 1) return found.front();
  if (found.size() > 1) return fail(Code::kInvalid, title + ": there are several directories of that name");
  return fail(Code::kNotFound,
              fmt::format("{}: there is no directory {} below {}: does the pod run on this node, and are the kubelet's "
                          "pods mounted into the node agent?",
                          title, quote(folder), volumes.string()));
}

}  // namespace landfall::agent
