#include "volume_info/cluster_volumes.h"

#include <chrono>
#include <functional>
#include <optional>
#include <utility>

#include "api/labels.h"
#include "api/names.h"
#include "k8s/names.h"
#include "k8s/object_view.h"
#include "kube/resource.h"
#include "operation/parallel.h"
#include "volume_info/restored_rows.h"

namespace landfall::volume_info {

using json::Json;

namespace {

constexpr Duration kListTime = std::chrono::seconds(30);
constexpr int kLists = 4;  // at a time
// Of more namespaces all of the cluster are listed: that takes fewer calls.
constexpr std::size_t kMostNamespaces = 3;

const k8s::GroupVersionResource kClaims{"", "v1", "persistentvolumeclaims"};
const k8s::GroupVersionResource kSnapshots{"snapshot.storage.k8s.io", "v1", "volumesnapshots"};

// Where to list: some namespaces, or "" for all.
std::vector<std::string> places(const std::set<k8s::NamespacedName>& wanted) {
  std::set<std::string> spaces;
  for (const k8s::NamespacedName& one : wanted) spaces.insert(one.name_space);
  if (spaces.size() > kMostNamespaces) return {""};
  return {spaces.begin(), spaces.end()};
}

class Reading {
 public:
  Reading(kube::Client& client, const Logger& log, const std::stop_token& stop)
      : client_(client), log_(log), stop_(stop) {}

  // False when something could not be read. What is found is put where it belongs by one thread, the caller's.
  bool list(const k8s::GroupVersionResource& resource, const std::set<k8s::NamespacedName>& wanted,
            ClusterVolumes::Objects& into) {
    const std::vector<std::string> spaces = places(wanted);
    std::vector<std::optional<std::vector<Json>>> found(spaces.size());
    static_cast<void>(operation::for_each_in_parallel(spaces.size(), kLists, stop_,
                                                      [&](std::size_t i, const std::stop_token& stop) -> Status {
                                                        found[i] = list_in(resource, spaces[i], "", stop);
                                                        return {};
                                                      }));
    bool is_whole = true;
    for (std::optional<std::vector<Json>>& some : found) {
      is_whole = is_whole && some.has_value();
      if (!some) continue;
      for (Json& one : *some) {
        const k8s::NamespacedName name = k8s::ObjectView(one).namespaced_name();
        if (wanted.contains(name)) into.emplace(name, std::move(one));
      }
    }
    return is_whole;
  }

  std::optional<std::vector<Json>> list_in(const k8s::GroupVersionResource& resource, const std::string& name_space,
                                           const std::string& selector, const std::stop_token& stop) const {
    auto found =
        kube::Resource(client_, resource, name_space).within(kListTime).list({.label_selector = selector}, stop);
    if (found) return std::move(found->items);
    // The cluster does not have such a kind.
    if (found.error().code() == Code::kNotFound) return std::vector<Json>();
    log_.warning("Volume information lacks what could not be read",
                 {{"resource", resource.resource}, {"namespace", name_space}, LogField(found.error())});
    return {};
  }

 private:
  kube::Client& client_;
  const Logger& log_;
  const std::stop_token& stop_;
};

std::set<k8s::NamespacedName> snapshots_of(const ClusterVolumes::Objects& claims) {
  std::set<k8s::NamespacedName> names;
  for (const auto& [name, claim] : claims) {
    if (std::string snapshot = snapshot_of_claim(claim); !snapshot.empty()) {
      names.insert({name.name_space, std::move(snapshot)});
    }
  }
  return names;
}

bool is_of_another(const Json& object, const std::string& restore_uid) {
  const auto uid = k8s::ObjectView(object).labels().get(std::string(api::label::kRestoreUid));
  return uid && *uid != restore_uid;
}

}  // namespace

ClusterVolumes read_cluster_volumes(kube::Client& client, const VolumesWanted& wanted, const Logger& log,
                                    const std::stop_token& stop) {
  ClusterVolumes volumes;
  if (wanted.claims.empty()) return volumes;
  Reading reading(client, log, stop);
  const std::vector<std::function<void()>> first = {
      [&] { volumes.has_claims = reading.list(kClaims, wanted.claims, volumes.claims); },
      [&] {
        const std::string selector = std::string(api::label::kRestoreName) + "=" + k8s::label_safe(wanted.restore);
        auto found = reading.list_in(api::kDataDownload.resource(), wanted.name_space, selector, stop);
        volumes.has_downloads = found.has_value();
        if (found) volumes.data_downloads = *std::move(found);
      }};
  static_cast<void>(
      operation::for_each_in_parallel(first.size(), kLists, stop, [&](std::size_t i, const std::stop_token&) -> Status {
        first[i]();
        return {};
      }));
  if (stop.stop_requested()) volumes.has_claims = volumes.has_downloads = false;
  std::erase_if(volumes.data_downloads, [&](const Json& one) { return is_of_another(one, wanted.uid); });
  volumes.has_snapshots = reading.list(kSnapshots, snapshots_of(volumes.claims), volumes.snapshots);
  return volumes;
}

}  // namespace landfall::volume_info
