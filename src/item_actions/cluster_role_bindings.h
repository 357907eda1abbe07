#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "base/result.h"
#include "json/json_fwd.h"
#include "k8s/kinds.h"
#include "k8s/object_ref.h"
#include "kube/client.h"
#include "kube/discovery.h"

namespace landfall::item_actions {

// Which ClusterRoleBindings name a service account. Lives as long as one backup.
//
// The bindings are listed when they are asked for the first time, and kept; of threads that ask meanwhile, all but one
// wait. An error is kept as well, since the client has already tried again; only a stop leaves the list to the next
// who asks. Thread-safe.
class ClusterRoleBindings {
 public:
  // Borrows the client; the discovery is needed only during the call.
  ClusterRoleBindings(kube::Client& client, const kube::Discovery& discovery);

  // The bindings and, behind them, their ClusterRoles, each once and by name. A server without RBAC has none.
  Result<std::vector<k8s::ObjectRef>> naming(const k8s::NamespacedName& service_account, const std::stop_token& stop);

 private:
  struct Grants {
    std::set<std::string> bindings;
    std::set<std::string> roles;
  };
  using Index = std::map<k8s::NamespacedName, Grants>;
  using Listed = Result<std::shared_ptr<const Index>>;
  enum class Step { kUnlisted, kListing, kListed };
  struct State {
    Step step = Step::kUnlisted;
    std::optional<Listed> listed;
  };

  Listed get(const std::stop_token& stop);
  Listed list(const std::stop_token& stop) const;
  static void add(const json::Json& binding, Index& index);

  kube::Client& client_;
  std::optional<k8s::GroupVersionResource> resource_;  // none: not served
  std::optional<Error> unknown_;                       // the server could not say whether it is
  Monitor<State> state_;
};

}  // namespace landfall::item_actions
