#include "agent/pod_volume_restore_reconciler.h"

#include <fmt/format.h>

#include <utility>

#include "agent/done_file.h"
#include "agent/locked_repository.h"
#include "agent/pods.h"
#include "api/labels.h"
#include "api/pod_volume.h"
#include "api/status.h"
#include "base/quote.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::agent {

using extension::Uploader;
using json::Json;

namespace {

// By the label, or by the Restore that owns it.
std::string restore_uid(const Json& restore) {
  if (const auto label = k8s::ObjectView(restore).labels().get(std::string(api::label::kRestoreUid))) {
    return std::string(*label);
  }
  return json::string_or(restore, {"metadata", "ownerReferences", "0", "uid"}, "");
}

std::string not_waiting(const Json& pod) {
  const k8s::ObjectView view(pod);
  return fmt::format(
      "pod {}/{} does not wait for its volumes in an init container {}, and may use them: they are left "
      "as they are",
      view.name_space(), view.name(), kRestoreWait);
}

}  // namespace

Result<std::string> PodVolumeRestoreReconciler::find_volume(const Json& restore, const std::stop_token& stop) const {
  TRY("", check_restore_uid(restore_uid(restore)));
  // It has waited for its turn, perhaps for long.
  TRY_ASSIGN(const Json pod, "", find_pod(context_, restore, stop));
  if (restore_wait(pod) != RestoreWait::kWaits) return fail(Code::kInvalid, not_waiting(pod));
  return finder_.find(pod, json::string_or(restore, {"spec", "volume"}, ""), stop);
}

Result<TransferOutcome> PodVolumeRestoreReconciler::download(const Json& restore, const std::string& directory,
                                                             Uploader& uploader, progress::ByteReporter& reporter,
                                                             const std::stop_token& stop) const {
  const std::string volume = json::string_or(restore, {"spec", "volume"}, "");
  // Without one it is of the pod's own namespace.
  std::string source = json::string_or(restore, {"spec", "sourceNamespace"}, "");
  if (source.empty()) source = json::string_or(restore, {"spec", "pod", "namespace"}, "");
  TRY_ASSIGN(const extension::RepositoryAccess repository, "",
             context_.find_repository(json::string_or(restore, {"spec", "backupStorageLocation"}, ""), uploader.type(),
                                      source, stop));
  const bool is_sparse = json::string_or(restore, {"spec", "uploaderSettings", "WriteSparseFiles"}, "") == "true";
  const extension::DownloadRequest request{.snapshot = json::string_or(restore, {"spec", "snapshotID"}, ""),
                                           .directory = directory,
                                           .writes_sparse_files = is_sparse};
  unlock_after_death(context_, restore, uploader, repository, stop);
  TRY_ASSIGN(const ByteCount total, "volume " + quote(volume), when_unlocked(context_, reporter, stop, [&] {
               return uploader.download(repository, request, reporter, stop);
             }));
  // The volume may have another pod by now, which must not see the sign.
  TRY_ASSIGN(const Json still, "", find_pod_surely(context_, restore, stop));
  if (restore_wait(still) != RestoreWait::kWaits) return fail(Code::kInvalid, not_waiting(still));
  TRY("volume " + quote(volume), write_done_file(directory, restore_uid(restore)));
  return TransferOutcome{.total = total};
}

Status PodVolumeRestoreReconciler::take(const Json& restore, Transfer& transfer, const std::stop_token& stop) const {
  Uploader* const uploader = context_.uploader(api::uploader_type(restore));
  if (uploader == nullptr) {
    return transfer.refuse("nobody here restores volumes that " + quote(api::uploader_type(restore)) + " has backed up",
                           stop);
  }
  std::string directory;
  return transfer.run(
      {.prepare = [&](const std::stop_token& token) -> Status {
         TRY_ASSIGN(directory, "", find_volume(restore, token));
         return {};
       },
       .copy = [&](progress::ByteReporter& reporter,
                   const std::stop_token& token) { return download(restore, directory, *uploader, reporter, token); }},
      stop);
}

Status PodVolumeRestoreReconciler::advance(const Json& restore, const Json& pod, Transfer& transfer,
                                           const std::stop_token& stop) const {
  switch (restore_wait(pod)) {
    case RestoreWait::kNotYet:
      return {};  // the pod's next change calls again
    case RestoreWait::kWaits:
      return take(restore, transfer, stop);
    case RestoreWait::kReleased:
      // It lets the pod go when every volume has its file: an agent has written it, and died before it could say so.
      if (api::phase_of<api::TransferPhase>(restore) == api::TransferPhase::kInProgress) {
        return transfer.note_done(stop);
      }
      break;
    case RestoreWait::kOver:
      break;
  }
  return transfer.refuse(not_waiting(pod), stop);
}

Result<kube::Reconciled> PodVolumeRestoreReconciler::reconcile(const k8s::NamespacedName& name,
                                                               const std::stop_token& stop) {
  auto found = context_.objects(api::kPodVolumeRestore).get(name.name, stop);
  if (!found && found.error().code() == Code::kNotFound) return kube::Reconciled();
  if (!found) return fail("", std::move(found).error());
  const Json restore = *std::move(found);
  Transfer transfer(context_, active_, api::kPodVolumeRestore, restore);
  if (is_over(restore)) {
    TRY("", transfer.release(stop));
    return kube::Reconciled();
  }

  const auto pod = find_pod(context_, restore, stop);
  if (!pod && pod.error().code() != Code::kNotFound) return fail("", pod.error());
  const std::string node = pod ? json::string_or(*pod, {"spec", "nodeName"}, "") : api::status_text(restore, "node");
  // What is on no node can be begun by nobody, but be ended by anybody: the first one does.
  if (!node.empty() && node != context_.node) return kube::Reconciled();
  if (is_cancel_wanted(restore)) {
    TRY("", transfer.cancel(stop));
  } else if (!pod) {
    TRY("", transfer.refuse(pod.error().message(), stop));
  } else if (!node.empty()) {
    TRY("", advance(restore, *pod, transfer, stop));
  }
  return kube::Reconciled();
}

}  // namespace landfall::agent
