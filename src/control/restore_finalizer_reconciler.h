#pragma once

#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

#include "control/active_restores.h"
#include "control/context.h"
#include "control/restore_settings.h"
#include "control/settled_volumes.h"
#include "kube/controller.h"
#include "kube/discovery.h"
#include "operation/results.h"

namespace landfall::control {

// Finalizing… → Completed or PartiallyFailed: volumes that were provisioned anew get back their reclaim policy and
// labels, claims that are made of snapshots and the exec hooks are waited for, and what went wrong with any of them is
// added to the results.
//
// It does not wait in a call: it looks again every second, so that a hook that waits for hours keeps no worker. After a
// restart the hooks go on by the journal. Doing it twice does no harm.
class RestoreFinalizerReconciler final : public kube::Reconciler {
 public:
  // `active` outlives it.
  RestoreFinalizerReconciler(const Context& context, RestoreSettings settings, ActiveRestores& active)
      : context_(context), settings_(std::move(settings)), active_(active), discovery_(context.client) {}

  Result<kube::Reconciled> reconcile(const k8s::NamespacedName& name, const std::stop_token& stop) override;

 private:
  // The restore as the run left it, or, of another process, as its journal tells.
  Result<std::shared_ptr<ActiveRestore>> active_of(const json::Json& restore, const FoundLocation& location,
                                                   const std::stop_token& stop);
  Status plan_volumes(ActiveRestore& active, const json::Json& restore, const std::stop_token& stop) const;
  Status show_waiting(const json::Json& before, ActiveRestore& active, const std::stop_token& stop) const;
  // Whether it is not final yet after all.
  Result<bool> wait_again(const json::Json& before, ActiveRestore& active, const std::stop_token& stop) const;
  Status finish(const json::Json& before, ActiveRestore& active, const std::stop_token& stop);
  SettledVolumes settle_volumes(const json::Json& restore, ActiveRestore& active, const std::stop_token& stop) const;
  Status add_to_results(RestoreFiles& files, const operation::Results& added, const std::stop_token& stop) const;
  Status cancel(const json::Json& before, const FoundLocation& location, const std::stop_token& stop);

  const Context context_;
  const RestoreSettings settings_;
  ActiveRestores& active_;
  kube::DiscoveryCache discovery_;
};

}  // namespace landfall::control
