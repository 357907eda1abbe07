#include "control/pod_volume_cleanup.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "api/labels.h"
#include "api/pod_volume.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/names.h"
#include "k8s/object_view.h"

namespace landfall::control {

using json::Json;

Result<extension::Uploader*> PodVolumeCleanup::uploader(const Place& place,
                                                        const std::set<std::string>& snapshots) const {
  const auto found =
      std::ranges::find(uploaders_, place.type, [](const extension::Uploader* one) { return one->type(); });
  if (found != uploaders_.end() && (*found)->can_upload()) return *found;
  return fail(Code::kUnsupported,
              fmt::format("{} snapshots of {} cannot be deleted here: delete the backup with the program that made "
                          "them, Velero",
                          snapshots.size(), place.type));
}

Status PodVolumeCleanup::forget(const Place& place, const FoundLocation& location,
                                const std::set<std::string>& snapshots, const std::stop_token& stop) const {
  TRY_ASSIGN(extension::Uploader* const one, "", uploader(place, snapshots));
  TRY_ASSIGN(const extension::RepositoryAccess access, "",
             find_repository_(location.object, place.type, place.volume_namespace, stop));
  const Status forgotten = one->forget(access, {snapshots.begin(), snapshots.end()}, stop);
  // Without the repository there is nothing to forget.
  if (forgotten || forgotten.error().code() == Code::kNotFound) return {};
  return fail(fmt::format("{} repository of namespace {}", place.type, place.volume_namespace), forgotten.error());
}

Result<PodVolumeCleanup::Snapshots> PodVolumeCleanup::snapshots_of(const Json& backup, bucket::BackupStore& store,
                                                                   const std::stop_token& stop) const {
  const std::string name(k8s::ObjectView(backup).name());
  Snapshots snapshots;
  const auto add = [&](const Json& one) {
    const std::string snapshot = json::string_or(one, {"status", "snapshotID"}, "");
    const std::string volume_namespace = json::string_or(one, {"spec", "pod", "namespace"}, "");
    if (snapshot.empty() || !k8s::dns1123_label_problems(volume_namespace).empty()) return;
    snapshots[{.type = api::uploader_type(one), .volume_namespace = volume_namespace}].insert(snapshot);
  };
  // Either may lack what the other knows.
  TRY_ASSIGN(const std::optional<Json> stored, "", store.read(name, bucket::BackupArtifact::kPodVolumeBackups, stop));
  if (stored && stored->is_array()) std::ranges::for_each(*stored, add);
  const std::string selector = fmt::format("{}={}", api::label::kBackupName, k8s::label_safe(name));
  TRY_ASSIGN(const kube::ObjectList live, "list pod volume backups",
             context_.objects(api::kPodVolumeBackup).list({.label_selector = selector}, stop));
  std::ranges::for_each(live.items, add);
  return snapshots;
}

Status PodVolumeCleanup::check(const Json& backup, bucket::BackupStore& store, const std::stop_token& stop) {
  TRY_ASSIGN(const Snapshots snapshots, "", snapshots_of(backup, store, stop));
  for (const auto& [place, ids] : snapshots) TRY("", uploader(place, ids));
  return {};
}

Status PodVolumeCleanup::clean(const Json& backup, bucket::BackupStore& store, const std::stop_token& stop) {
  TRY_ASSIGN(const Snapshots snapshots, "", snapshots_of(backup, store, stop));
  if (snapshots.empty()) return {};

  // The backup's own: in the files it may have the name that it has in another cluster.
  TRY_ASSIGN(const FoundLocation location, "",
             context_.locations.find(json::string_or(backup, {"spec", "storageLocation"}, ""), stop));
  Status first;
  for (const auto& [place, ids] : snapshots) {
    const Status done = forget(place, location, ids, stop);
    if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
    if (!done && first) first = done;
  }
  return first;
}

}  // namespace landfall::control
