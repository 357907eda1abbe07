#pragma once

#include "agent/active_transfers.h"
#include "agent/agent_context.h"
#include "agent/transfer.h"
#include "agent/volume_finder.h"
#include "kube/controller.h"

namespace landfall::agent {

// Takes the PodVolumeRestores of pods on this node as soon as their init container waits: fills the volume, and lays
// the file into it that the init container waits for. One that another process has left InProgress is begun anew. One
// whose pod is gone or does not wait any more fails. Key: its name; a change of its pod is a reason to call, too. Calls
// last as long as the copying. Thread-safe.
class PodVolumeRestoreReconciler final : public kube::Reconciler {
 public:
  PodVolumeRestoreReconciler(const AgentContext& context, ActiveTransfers& active)
      : context_(context), active_(active), finder_(context.client, context.pods_directory) {}

  Result<kube::Reconciled> reconcile(const k8s::NamespacedName& name, const std::stop_token& stop) override;

 private:
  Status advance(const json::Json& restore, const json::Json& pod, Transfer& transfer,
                 const std::stop_token& stop) const;
  Status take(const json::Json& restore, Transfer& transfer, const std::stop_token& stop) const;
  // Its directory.
  Result<std::string> find_volume(const json::Json& restore, const std::stop_token& stop) const;
  Result<TransferOutcome> download(const json::Json& restore, const std::string& directory,
                                   extension::Uploader& uploader, progress::ByteReporter& reporter,
                                   const std::stop_token& stop) const;

  const AgentContext& context_;
  ActiveTransfers& active_;
  const VolumeFinder finder_;
};

}  // namespace landfall::agent
