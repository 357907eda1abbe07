#pragma once

#include <memory>
#include <utility>

#include "agent/active_transfers.h"
#include "agent/transfer.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "kube/cache.h"
#include "kube/controller.h"

namespace landfall::agent {

// Ends transfers whose objects say so. Those that take them are busy copying: one that runs or waits for its turn is
// told here, and one that is still behind others in the queue is given to a reconciler of its kind, which ends it
// without copying. Which are to end is seen by the cache: for all others no call is made. Key: the object's name.
// Thread-safe.
class TransferCancelReconciler final : public kube::Reconciler {
 public:
  TransferCancelReconciler(const kube::Cache& objects, ActiveTransfers& active, std::unique_ptr<kube::Reconciler> kind)
      : objects_(objects), active_(active), kind_(std::move(kind)) {}

  Result<kube::Reconciled> reconcile(const k8s::NamespacedName& name, const std::stop_token& stop) override {
    const kube::Object object = objects_.get(name);
    if (!object || is_over(*object) || !is_cancel_wanted(*object)) return kube::Reconciled();
    if (active_.cancel(std::string(k8s::ObjectView(*object).uid()))) return kube::Reconciled();
    return kind_->reconcile(name, stop);
  }

 private:
  const kube::Cache& objects_;
  ActiveTransfers& active_;
  const std::unique_ptr<kube::Reconciler> kind_;
};

}  // namespace landfall::agent
