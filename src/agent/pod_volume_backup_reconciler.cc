#include "agent/pod_volume_backup_reconciler.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "agent/locked_repository.h"
#include "agent/pods.h"
#include "api/labels.h"
#include "api/pod_volume.h"
#include "api/status.h"
#include "base/quote.h"
#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::agent {

using extension::UploadedVolume;
using extension::Uploader;
using json::Json;

namespace {

std::map<std::string, std::string> tags_of(const Json& backup) {
  std::map<std::string, std::string> tags;
  const Json* given = json::find(backup, {"spec", "tags"});
  if (given == nullptr || !given->is_object()) return tags;
  for (const auto& [key, value] : given->items()) tags[key] = json::string_or(value, {}, "");
  return tags;
}

std::string unreadable_text(const UploadedVolume& volume) {
  if (volume.unreadable_count == 0) return "";
  const std::size_t more = volume.unreadable_count - volume.unreadable.size();
  return fmt::format("{} could not be read and {} not in the backup: {}{}",
                     volume.unreadable_count == 1 ? "a file" : fmt::format("{} files", volume.unreadable_count),
                     volume.unreadable_count == 1 ? "is" : "are", join(volume.unreadable, "; "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

// Why what was copied need not be what the volume held: with its pod a volume is taken away, and what is left of it
// looks empty, or like a volume with fewer files. Empty when there is no reason to think so.
std::string lost_text(const Result<Json>& pod, const UploadedVolume& volume) {
  constexpr std::string_view kDoubt = "the volume may have been taken away before all of it was read";
  if (!pod) return fmt::format("{}: {}", pod.error().message(), kDoubt);
  const k8s::ObjectView view(*pod);
  if (view.is_being_deleted()) {
    return fmt::format("pod {}/{} is being deleted: {}", view.name_space(), view.name(), kDoubt);
  }
  const Status running = volume.snapshot.empty() ? check_running(*pod) : Status();
  return running ? "" : running.error().message();
}

}  // namespace

// The newest snapshot of the same claim: what has not changed since is not read again.
Result<std::string> PodVolumeBackupReconciler::parent_of(const Json& backup, std::string_view type,
                                                         const std::stop_token& stop) const {
  const auto claim = k8s::ObjectView(backup).labels().get(std::string(api::label::kPvcUid));
  if (!claim) return "";
  const std::string selector = fmt::format("{}={}", api::label::kPvcUid, *claim);
  TRY_ASSIGN(const kube::ObjectList all, "list pod volume backups",
             context_.objects(api::kPodVolumeBackup).list({.label_selector = selector}, stop));
  const Json* newest = nullptr;
  const auto ended = [](const Json& one) { return api::status_time(one, api::field::kCompletionTimestamp); };
  for (const Json& one : all.items) {
    if (api::phase_of<api::TransferPhase>(one) != api::TransferPhase::kCompleted || api::uploader_type(one) != type)
      continue;
    if (json::string_or(one, {"spec", "backupStorageLocation"}, "") !=
        json::string_or(backup, {"spec", "backupStorageLocation"}, "")) {
      continue;
    }
    if (json::string_or(one, {"status", "snapshotID"}, "").empty()) continue;
    if (newest == nullptr || ended(one) > ended(*newest)) newest = &one;
  }
  return newest == nullptr ? "" : json::string_or(*newest, {"status", "snapshotID"}, "");
}

Result<std::string> PodVolumeBackupReconciler::find_volume(const Json& backup, const std::stop_token& stop) const {
  TRY_ASSIGN(const Json pod, "", find_pod(context_, backup, stop));
  TRY("", check_running(pod));
  return finder_.find(pod, json::string_or(backup, {"spec", "volume"}, ""), stop);
}

Result<TransferOutcome> PodVolumeBackupReconciler::upload(const Json& backup, const std::string& directory,
                                                          Uploader& uploader, progress::ByteReporter& reporter,
                                                          const std::stop_token& stop) const {
  const std::string volume = json::string_or(backup, {"spec", "volume"}, "");
  TRY_ASSIGN(const extension::RepositoryAccess repository, "",
             context_.find_repository(json::string_or(backup, {"spec", "backupStorageLocation"}, ""), uploader.type(),
                                      json::string_or(backup, {"spec", "pod", "namespace"}, ""), stop));
  unlock_after_death(context_, backup, uploader, repository, stop);
  extension::UploadRequest request{.directory = directory, .tags = tags_of(backup)};
  if (auto parent = parent_of(backup, uploader.type(), stop)) {
    request.parent = *std::move(parent);
  } else {
    context_.log.warning("no earlier snapshot was looked up: all files are read", {LogField(parent.error())});
  }
  TRY_ASSIGN(const UploadedVolume uploaded, "volume " + quote(volume), when_unlocked(context_, reporter, stop, [&] {
               return uploader.upload(repository, request, reporter, stop);
             }));
  const auto pod = find_pod_surely(context_, backup, stop);
  if (!pod && stop.stop_requested() && may_pass(pod.error().code())) return fail("", pod.error());
  const std::string lost = lost_text(pod, uploaded);
  return TransferOutcome{.total = uploaded.total,
                         .message = uploaded.snapshot.empty() ? "volume was empty so no snapshot was taken" : "",
                         .failure = lost.empty() ? unreadable_text(uploaded) : lost,
                         .note = [uploaded, directory](Json& object) -> Status {
                           TRY("", api::set_status_text(object, "path", directory));
                           TRY("", api::set_status_text(object, "snapshotID", uploaded.snapshot));
                           return api::set_status_count(object, "incrementalBytes",
                                                        uploaded.added.value_or(ByteCount()).count());
                         }};
}

Result<kube::Reconciled> PodVolumeBackupReconciler::reconcile(const k8s::NamespacedName& name,
                                                              const std::stop_token& stop) {
  auto found = context_.objects(api::kPodVolumeBackup).get(name.name, stop);
  if (!found && found.error().code() == Code::kNotFound) return kube::Reconciled();
  if (!found) return fail("", std::move(found).error());
  const Json backup = *std::move(found);
  Transfer transfer(context_, active_, api::kPodVolumeBackup, backup);
  if (is_over(backup)) {
    TRY("", transfer.release(stop));
    return kube::Reconciled();
  }
  if (json::string_or(backup, {"spec", "node"}, "") != context_.node) return kube::Reconciled();

  if (is_cancel_wanted(backup)) {
    TRY("", transfer.cancel(stop));
    return kube::Reconciled();
  }
  Uploader* const uploader = context_.uploader(api::uploader_type(backup));
  if (uploader == nullptr || !uploader->can_upload()) {
    TRY("", transfer.refuse("volumes are not backed up with " + quote(api::uploader_type(backup)) +
                                " here: set the server's --uploader-type to restic",
                            stop));
    return kube::Reconciled();
  }
  std::string directory;
  TRY("", transfer.run({.prepare = [&](const std::stop_token& token) -> Status {
                          TRY_ASSIGN(directory, "", find_volume(backup, token));
                          return {};
                        },
                        .copy =
                            [&](progress::ByteReporter& reporter, const std::stop_token& token) {
                              return upload(backup, directory, *uploader, reporter, token);
                            }},
                       stop));
  return kube::Reconciled();
}

}  // namespace landfall::agent
