#include "server/cluster_check.h"

#include <string_view>

#include "base/quote.h"
#include "json/json.h"
#include "kube/resource.h"
#include "kube/reviews.h"

namespace landfall::server {

Status check_namespace(kube::Client& client, const std::string& name, const std::stop_token& stop) {
  const auto found = kube::Resource(client, {"", "v1", "namespaces"}).get(name, stop);
  if (found || found.error().code() == Code::kForbidden) return {};
  if (found.error().code() == Code::kNotFound) {
    return fail(Code::kNotFound, "the cluster has no namespace " + quote(name) +
                                     ", in which the server's objects are: create it, or name another with "
                                     "--namespace");
  }
  return fail("namespace " + quote(name), found.error());
}

Status check_lease_rights(kube::Client& client, const std::string& name_space, const Logger& log,
                          const std::stop_token& stop) {
  for (const char* verb : {"get", "create", "update"}) {
    const auto verdict = kube::review_own_access(
        client, {.verb = verb, .group = "coordination.k8s.io", .resource = "leases", .name_space = name_space}, stop);
    if (!verdict) {
      if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
      log.warning("whether the server may have a lease cannot be found out; going on", {LogField(verdict.error())});
      return {};
    }
    if (!verdict->is_allowed) {
      return fail(Code::kForbidden, "the server may not " + std::string(verb) +
                                        " leases (coordination.k8s.io) in namespace " + quote(name_space) +
                                        ": grant its service account that, or run one replica with "
                                        "--leader-elect=false");
    }
  }
  return {};
}

}  // namespace landfall::server
