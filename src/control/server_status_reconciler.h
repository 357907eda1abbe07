#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "control/context.h"
#include "kube/controller.h"

namespace landfall::control {

// Answers ServerStatusRequests: `velero version` and `velero plugin get` ask for the server's version and its plugins
// by one, and do not clean up. An answered one is deleted after a minute.
class ServerStatusReconciler final : public kube::Reconciler {
 public:
  struct Plugin {
    std::string name;  // "velero.io/pod"
    std::string kind;  // "BackupItemAction"
  };
  struct Settings {
    std::string server_version;  // "v1.18.3+landfall.1": Velero's client compares the first two numbers with its own
    std::vector<Plugin> plugins;
    Duration keep_for = std::chrono::minutes(1);
  };

  ServerStatusReconciler(const Context& context, Settings settings)
      : context_(context), settings_(std::move(settings)) {}

  Result<kube::Reconciled> reconcile(const k8s::NamespacedName& name, const std::stop_token& stop) override;

 private:
  const Context context_;
  const Settings settings_;
};

}  // namespace landfall::control
