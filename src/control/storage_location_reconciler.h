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
#include "json/json_fwd.h"
#include "kube/controller.h"

namespace landfall::control {

// Finds out whether each BackupStorageLocation can be used, again and again and when its spec changes, and writes that
// into its status; keeps exactly one of them the default. Key: the location's name.
//
// Nothing is ever written into a bucket for this, whatever the access mode: a probe every minute costs money, and
// leaves versions behind in buckets that keep them. Thread-safe.
class StorageLocationReconciler final : public kube::Reconciler {
 public:
  struct Settings {
    Duration validation_frequency = std::chrono::minutes(1);
    // Becomes the default when no location is marked as such.
    std::string default_location = "default";
  };
  StorageLocationReconciler(const Context& context, Settings settings);

  Result<kube::Reconciled> reconcile(const k8s::NamespacedName& name, const std::stop_token& stop) override;

 private:
  Status keep_one_default(const std::vector<json::Json>& all, const std::stop_token& stop) const;
  Status set_default(const json::Json& location, bool is_default, const std::stop_token& stop) const;
  // How long until it is to be validated again: 0 for now, nothing for never.
  std::optional<Duration> due_in(const json::Json& location) const;
  // What users should know of a location that can be used; an error when it cannot.
  Result<std::string> check(const json::Json& location, const std::vector<json::Json>& all,
                            const std::stop_token& stop) const;
  Status validate(const json::Json& location, const std::vector<json::Json>& all, const std::stop_token& stop);
  // Takes over what another server has found, of a location that is validated only once.
  void sweep(const json::Json& location, const std::stop_token& stop);
  void adopt(const json::Json& location);
  void forget(const std::string& name);

  const Context context_;
  const Settings settings_;
  // The specs that this process has validated, by the location's name. (The generation does not tell: without a status
  // subresource it grows with every status.)
  Guarded<std::map<std::string, std::string>> validated_;
  Guarded<std::map<std::string, WallTime>> swept_;  // when last, by name
};

}  // namespace landfall::control
