#pragma once

#include <stop_token>
#include <utility>
#include <vector>

#include "control/active_restores.h"
#include "control/context.h"
#include "control/restore_files.h"
#include "control/restore_settings.h"
#include "kube/controller.h"
#include "kube/discovery.h"
#include "operation/item_operation.h"

namespace landfall::control {

// Waits for what actions have started and what goes on after the items are restored: WaitingForPluginOperations… →
// Finalizing…. The list of operations is stored, so that any server can go on waiting. A Restore that is to be canceled
// has its operations canceled.
class RestoreOperationsReconciler final : public kube::Reconciler {
 public:
  // `active` outlives it.
  RestoreOperationsReconciler(const Context& context, RestoreSettings settings, ActiveRestores& active)
      : context_(context), settings_(std::move(settings)), active_(active), discovery_(context.client) {}

  Result<kube::Reconciled> reconcile(const k8s::NamespacedName& name, const std::stop_token& stop) override;

 private:
  using Operations = std::vector<operation::ItemOperation>;

  Result<kube::Reconciled> wait(const json::Json& before, RestoreFiles& files, const kube::Discovery& discovery,
                                const std::stop_token& stop);
  Status settle(const json::Json& before, RestoreFiles& files, const Operations& old, const Operations& operations,
                const std::stop_token& stop);
  static Status add_to_results(RestoreFiles& files, const std::vector<std::string>& errors,
                               const std::stop_token& stop);
  Status cancel(const json::Json& before, std::unique_ptr<RestoreFiles> files, const kube::Discovery& discovery,
                const std::stop_token& stop);
  // The backup or its location is gone: nobody knows of the operations.
  Status give_up(const json::Json& before, const std::stop_token& stop);

  const Context context_;
  const RestoreSettings settings_;
  ActiveRestores& active_;
  kube::DiscoveryCache discovery_;
};

bool is_waiting_for_operations(const json::Json& restore);
// Tells all that are not over to stop.
Status cancel_restore_operations(const Context& context, const RestoreSettings& settings,
                                 const kube::Discovery& discovery, const json::Json& restore, RestoreFiles& files,
                                 const std::stop_token& stop);
Result<std::vector<operation::ItemOperation>> read_restore_operations(RestoreFiles& files, const std::stop_token& stop);

}  // namespace landfall::control
