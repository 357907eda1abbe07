#pragma once

#include <stop_token>
#include <utility>

#include "control/active_restores.h"
#include "control/context.h"
#include "control/restore_settings.h"
#include "kube/controller.h"
#include "kube/discovery.h"

namespace landfall::control {

// Runs restores: New → InProgress → WaitingForPluginOperations… or Finalizing…, or FailedValidation, Failed; previews
// end Completed.
//
// A call lasts as long as the restore, and one runs at a time, as in Velero: give it one worker. A Restore that is
// found InProgress, because a server died over it or lost its lease, is gone on with by its stored plan and its
// journal. When this server stops, the Restore stays InProgress for the next one.
class RestoreRunReconciler final : public kube::Reconciler {
 public:
  // `active` outlives it.
  RestoreRunReconciler(const Context& context, RestoreSettings settings, ActiveRestores& active)
      : context_(context), settings_(std::move(settings)), active_(active), discovery_(context.client) {}

  Result<kube::Reconciled> reconcile(const k8s::NamespacedName& name, const std::stop_token& stop) override;

 private:
  // Deleting a Restore means deleting its files: with this it waits for us.
  Status add_finalizer(json::Json& restore, const std::stop_token& stop) const;
  Status start(const json::Json& restore, const std::stop_token& stop);

  const Context context_;
  const RestoreSettings settings_;
  ActiveRestores& active_;
  kube::DiscoveryCache discovery_;
};

}  // namespace landfall::control
