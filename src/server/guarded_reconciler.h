#pragma once

#include <memory>
#include <string>
#include <utility>

#include "kube/controller.h"
#include "metrics/metrics.h"

namespace landfall::server {

// Keeps one object that a reconciler cannot stand from ending the server with all that it does for others: an exception
// becomes an error of that object, which is tried again as any other. Counts errors.
class GuardedReconciler final : public kube::Reconciler {
 public:
  GuardedReconciler(std::string controller, std::unique_ptr<kube::Reconciler> reconciler, metrics::Metrics& metrics)
      : controller_(std::move(controller)), reconciler_(std::move(reconciler)), metrics_(metrics) {}

  Result<kube::Reconciled> reconcile(const k8s::NamespacedName& name, const std::stop_token& stop) override;

 private:
  Result<kube::Reconciled> without_exceptions(const k8s::NamespacedName& name, const std::stop_token& stop);

  const std::string controller_;
  const std::unique_ptr<kube::Reconciler> reconciler_;
  metrics::Metrics& metrics_;
};

}  // namespace landfall::server
