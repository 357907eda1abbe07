#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/result.h"
#include "control/context.h"
#include "control/repository_manager.h"
#include "json/json.h"
#include "kube/controller.h"

namespace landfall::control {

// Prepares the repository of each BackupRepository, and maintains it from time to time. A repository of a type that no
// manager is for is NotReady, and its message says so. In a read-only location a repository is opened, but neither
// created nor maintained. Key: the BackupRepository's name; a change of its location is a reason to call, too.
// Thread-safe.
class BackupRepositoryReconciler final : public kube::Reconciler {
 public:
  struct Settings {
    // How soon one that is not ready is tried again.
    Duration resync = std::chrono::minutes(5);
    // Of repositories that do not say; 0 leaves it to the manager.
    Duration maintenance_frequency{};
  };
  // The managers are borrowed.
  BackupRepositoryReconciler(const Context& context, Settings settings, std::vector<RepositoryManager*> managers);

  Result<kube::Reconciled> reconcile(const k8s::NamespacedName& name, const std::stop_token& stop) override;

 private:
  struct Repository {
    json::Json object;
    FoundLocation location;
    RepositoryManager& manager;
  };
  RepositoryManager* manager_of(const json::Json& repository) const;
  Status set_not_ready(const json::Json& repository, const std::string& message, const std::stop_token& stop) const;
  Result<kube::Reconciled> prepare(const Repository& repository, const std::stop_token& stop);
  Result<kube::Reconciled> maintain(const Repository& repository, const std::stop_token& stop) const;
  Duration frequency_of(const Repository& repository) const;
  bool has_moved(const Repository& repository);

  const Context context_;
  const Settings settings_;
  const std::vector<RepositoryManager*> managers_;
  // Where each was when it was prepared, by its name. Another bucket is another repository.
  Guarded<std::map<std::string, std::string>> places_;
};

}  // namespace landfall::control
