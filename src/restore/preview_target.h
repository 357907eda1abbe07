#pragma once

#include <memory>
#include <set>
#include <stop_token>
#include <string>

#include "kube/discovery.h"
#include "restore/restore_job.h"
#include "restore/target.h"

namespace landfall::restore {

// Looks what would become of objects, and changes nothing. Thread-safe.
class PreviewTarget final : public Target {
 public:
  // `live` is what the cluster serves now: of a kind that it does not serve yet there is no object. `namespaces` are
  // those that are there.
  PreviewTarget(const RestoreJob& job, RestoreTools& tools, const kube::Discovery& live,
                const std::set<std::string>& namespaces)
      : job_(job), tools_(tools), live_(live), namespaces_(namespaces) {}

  Result<std::unique_ptr<json::Json>> put(const Candidate& candidate, bool wants_created, ItemEnd& end,
                                          const std::stop_token& stop) override;
  Result<bool> ensure_namespace(const std::string& name, const json::Json* source,
                                const std::stop_token& stop) override;

 private:
  const RestoreJob& job_;
  RestoreTools& tools_;
  const kube::Discovery& live_;
  const std::set<std::string>& namespaces_;
};

}  // namespace landfall::restore
