#pragma once

#include "agent/active_transfers.h"
#include "agent/agent_context.h"
#include "agent/transfer.h"
#include "agent/volume_finder.h"
#include "kube/controller.h"

namespace landfall::agent {

// Takes the PodVolumeBackups of this node: copies the files of the volume into its repository. One that another process
// has left InProgress is begun anew; what was uploaded by then is not uploaded again. Key: its name. A call lasts as
// long as the copying: the controller has as many workers as transfers may run at once. One whose pod is gone or being
// deleted after the copying fails, also when the volume was found empty: nobody knows what was copied. Thread-safe.
class PodVolumeBackupReconciler final : public kube::Reconciler {
 public:
  PodVolumeBackupReconciler(const AgentContext& context, ActiveTransfers& active)
      : context_(context), active_(active), finder_(context.client, context.pods_directory) {}

  Result<kube::Reconciled> reconcile(const k8s::NamespacedName& name, const std::stop_token& stop) override;

 private:
  // Its directory.
  Result<std::string> find_volume(const json::Json& backup, const std::stop_token& stop) const;
  Result<TransferOutcome> upload(const json::Json& backup, const std::string& directory, extension::Uploader& uploader,
                                 progress::ByteReporter& reporter, const std::stop_token& stop) const;
  Result<std::string> parent_of(const json::Json& backup, std::string_view type, const std::stop_token& stop) const;

  const AgentContext& context_;
  ActiveTransfers& active_;
  const VolumeFinder finder_;
};

}  // namespace landfall::agent
