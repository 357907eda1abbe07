#pragma once

#include <stop_token>
#include <utility>

#include "control/active_restores.h"
#include "control/context.h"
#include "control/restore_settings.h"
#include "kube/controller.h"
#include "kube/discovery.h"

namespace landfall::control {

// What is wanted of Restores that are not wanted any more, without waiting for the one that runs: a Restore that is
// canceled before its turn ends at once; one that is deleted is canceled if it runs, and then its files go, and last
// its finalizer. Files in a location that is read-only or gone stay.
class RestoreWithdrawalReconciler final : public kube::Reconciler {
 public:
  // `active` outlives it.
  RestoreWithdrawalReconciler(const Context& context, RestoreSettings settings, ActiveRestores& active)
      : context_(context), settings_(std::move(settings)), active_(active), discovery_(context.client) {}

  Result<kube::Reconciled> reconcile(const k8s::NamespacedName& name, const std::stop_token& stop) override;

 private:
  Result<kube::Reconciled> remove(const json::Json& restore, const std::stop_token& stop);
  Status remove_files(const json::Json& restore, const std::stop_token& stop);

  const Context context_;
  const RestoreSettings settings_;
  ActiveRestores& active_;
  kube::DiscoveryCache discovery_;
};

}  // namespace landfall::control
