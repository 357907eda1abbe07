#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"
#include "json/access.h"
#include "json/json_fwd.h"
#include "sandbox/api.h"

namespace landfall::sandbox {

// The built-in kinds that controllers deal with, all of them in version v1.
struct Kinds {
  const KindInfo& namespaces;
  const KindInfo& service_accounts;
  const KindInfo& config_maps;
  const KindInfo& secrets;
  const KindInfo& nodes;
  const KindInfo& pods;
  const KindInfo& claims;
  const KindInfo& volumes;
  const KindInfo& storage_classes;
  const KindInfo& deployments;
  const KindInfo& replica_sets;
  const KindInfo& stateful_sets;
  const KindInfo& daemon_sets;
  const KindInfo& controller_revisions;
  const KindInfo& jobs;
  const KindInfo& definitions;  // CustomResourceDefinitions
};
const Kinds& kinds();

// The API as controllers use it: documents in, documents out, and what is gone is no error. A cheap handle; what it is
// made from must outlive it. Thread-safe as the Api is.
class Cluster {
 public:
  Cluster(Api& api, std::string manager) : api_(&api), manager_(std::move(manager)) {}

  // The same API under the name of another component of a cluster: it stands in managedFields.
  Cluster as(std::string manager) const { return {*api_, std::move(manager)}; }
  Api& api() const { return *api_; }
  std::string now_text() const;

  std::optional<json::Json> get(const KindInfo& kind, std::string_view name_space, std::string_view name) const;
  // `with`: only objects whose text holds this (a uid, say): a cheap way not to look into all of them.
  std::vector<json::Json> list(const KindInfo& kind, std::string_view name_space, std::string_view with = {}) const;

  Result<json::Json> create(const KindInfo& kind, std::string_view name_space, json::Json object) const;
  // Alters the object if it is still there with this uid.
  Status modify(const KindInfo& kind, const json::Json& object, const Api::Change& change) const;
  Status modify_status(const KindInfo& kind, const json::Json& object, const Api::Change& change) const;
  // Behind the back of validation: what only the server may write.
  Status rewrite(const KindInfo& kind, const json::Json& object, const Api::Change& change) const;
  Status remove(const KindInfo& kind, const json::Json& object, DeleteOptions options = {}) const;

 private:
  Api* api_;
  std::string manager_;
};

// A copy of what is there, or the fallback; never fails, whatever the document looks like.
json::Json copy_or(const json::Json& document, const json::Path& path, json::Json fallback);

// "shop/web" as namespace and name.
std::pair<std::string, std::string> split_key(std::string_view key);

// Sets a condition in status.conditions; its lastTransitionTime changes with its status only.
void set_condition(json::Json& object, std::string_view type, bool is_true, std::string_view reason,
                   std::string_view message, const std::string& now);
// {"apiVersion":…, "controller":true, "blockOwnerDeletion":true …} for what a controller makes.
json::Json controller_reference(const KindInfo& kind, const json::Json& owner);
bool is_controlled_by(const json::Json& object, std::string_view uid);

}  // namespace landfall::sandbox
