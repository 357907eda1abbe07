#include "server/guarded_reconciler.h"

#include <exception>

#include "metrics/server_metrics.h"

namespace landfall::server {

Result<kube::Reconciled> GuardedReconciler::reconcile(const k8s::NamespacedName& name, const std::stop_token& stop) {
  auto result = without_exceptions(name, stop);
  // A conflict is an everyday event, and what a stop interrupts has not failed.
  if (!result && result.error().code() != Code::kConflict && !stop.stop_requested()) {
    metrics_.count(metrics::kReconcileErrorsTotal, {controller_});
  }
  return result;
}

Result<kube::Reconciled> GuardedReconciler::without_exceptions(const k8s::NamespacedName& name,
                                                               const std::stop_token& stop) {
  try {
    return reconciler_->reconcile(name, stop);
  } catch (const std::exception& exception) {
    return fail(Code::kInternal, std::string("an exception: ") + exception.what());
  } catch (...) {
    return fail(Code::kInternal, "an exception of an unknown type");
  }
}

}  // namespace landfall::server
