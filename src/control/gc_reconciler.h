#pragma once

#include <chrono>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "control/context.h"
#include "json/json_fwd.h"
#include "kube/controller.h"

namespace landfall::control {

// Asks for the deletion of Backups that have expired, by a DeleteBackupRequest: it deletes nothing itself. Why one that
// has expired cannot be deleted stands in its label velero.io/gc-failure. Key: the Backup's name. Thread-safe.
class GcReconciler final : public kube::Reconciler {
 public:
  struct Settings {
    Duration frequency = std::chrono::minutes(60);
  };
  GcReconciler(const Context& context, Settings settings) : context_(context), settings_(settings) {}

  Result<kube::Reconciled> reconcile(const k8s::NamespacedName& name, const std::stop_token& stop) override;

 private:
  Result<kube::Reconciled> collect(const json::Json& backup, const std::stop_token& stop) const;
  // An empty reason takes the label away.
  Status set_failure(const json::Json& backup, std::string_view reason, const std::stop_token& stop) const;
  Status request_deletion(const json::Json& backup, const std::stop_token& stop) const;

  const Context context_;
  const Settings settings_;
};

}  // namespace landfall::control
