#pragma once

#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/guarded.h"
#include "base/result.h"
#include "k8s/kinds.h"
#include "kube/client.h"

namespace landfall::kube {

// One kind of object that a server serves, in one version.
struct ApiResource {
  k8s::GroupVersionResource id;
  std::string kind;
  std::string singular;
  bool is_namespaced = false;
  std::vector<std::string> verbs;
  std::vector<std::string> short_names;
  std::vector<std::string> categories;
  std::vector<std::string> subresources;  // "status", "scale" …

  bool can(std::string_view verb) const;
  k8s::GroupVersionKind group_version_kind() const { return {id.group, id.version, kind}; }
};

struct ApiGroup {
  std::string name;                   // empty for the core group
  std::vector<std::string> versions;  // the server's order; the preferred one first
};

// What a server serves, at one moment. Immutable.
class Discovery {
 public:
  Discovery(std::vector<ApiGroup> groups, std::vector<ApiResource> resources,
            std::map<k8s::GroupVersion, Error> failures);

  const std::vector<ApiGroup>& groups() const { return groups_; }
  // Every version of every kind, in the order of groups and versions.
  const std::vector<ApiResource>& resources() const { return resources_; }
  // Each kind once, in the version that the server prefers of those that have it.
  std::vector<const ApiResource*> preferred() const;
  // Group versions that could not be read, and why: an aggregated API that is down. The others are whole.
  const std::map<k8s::GroupVersion, Error>& failures() const { return failures_; }

  // Null when there is none.
  const ApiResource* find(const k8s::GroupVersionResource& id) const;
  const ApiResource* find(const k8s::GroupVersionKind& kind) const;
  // In the preferred version.
  const ApiResource* find(const k8s::GroupResource& id) const;
  // What people type: plural, singular, short name or kind, in any case, with or without the group, with or without a
  // version
  // ("po", "Deployment.apps", "deployments.v1.apps"). Of several groups the first in the server's order counts, as in
  // kubectl.
  const ApiResource* find_by_word(std::string_view word) const;

 private:
  std::vector<ApiGroup> groups_;
  std::vector<ApiResource> resources_;
  std::map<k8s::GroupVersion, Error> failures_;
};

// Asks the server, in two calls where it offers aggregated discovery, else one per group version, in parallel. A group
// that does not answer is a failure of that group alone, after `group_timeout`; only when the groups themselves cannot
// be listed there is an error.
Result<Discovery> discover(Client& client, const std::stop_token& stop,
                           Duration group_timeout = std::chrono::seconds(10));

// Keeps the newest. Thread-safe.
class DiscoveryCache {
 public:
  explicit DiscoveryCache(Client& client) : client_(client) {}
  // Asks the first time.
  Result<std::shared_ptr<const Discovery>> get(const std::stop_token& stop);
  // Asks again; on an error the old one stays.
  Result<std::shared_ptr<const Discovery>> refresh(const std::stop_token& stop);

 private:
  Client& client_;
  Guarded<std::shared_ptr<const Discovery>> newest_;
};

}  // namespace landfall::kube
