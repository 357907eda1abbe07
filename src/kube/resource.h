#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "json/json_fwd.h"
#include "k8s/kinds.h"
#include "kube/client.h"

namespace landfall::kube {

struct ListOptions {
  std::string label_selector;
  std::string field_selector;
  std::int64_t page_size = 500;
  std::string resource_version;
  std::string resource_version_match;
  std::size_t max_items = 5'000'000;  // Resource::list() holds them all; more is kTooLarge
};

struct WriteOptions {
  bool dry_run = false;
  std::string subresource;  // "status", "scale" …
  std::string field_manager;
  std::string field_validation;  // "Strict", "Warn", "Ignore"
  bool force = false;            // of an apply patch: take fields over from other managers
};

enum class Propagation { kServerDefault, kOrphan, kBackground, kForeground };

struct DeleteOptions {
  Propagation propagation = Propagation::kServerDefault;
  std::optional<std::int64_t> grace_period_seconds;
  std::string uid;               // only this very object
  std::string resource_version;  // only if it has not changed
  bool dry_run = false;
};

enum class PatchType { kJson, kMerge, kStrategic, kApply };

// All objects of a list, with what a watch needs to go on from there.
struct ObjectList {
  std::vector<json::Json> items;
  std::string resource_version;
};

// The verbs on one kind of object, in one namespace, or on cluster scope and over all namespaces without one.
//
// Objects are documents, sent and returned as they are: fields we do not know stay. Lists fill in each item's
// apiVersion and kind, which the server leaves out. A cheap value; thread-safe as the client is.
class Resource {
 public:
  Resource(Client& client, k8s::GroupVersionResource resource, std::string name_space = {});

  Resource in(std::string name_space) const;
  // The same, with calls that end within this time.
  Resource within(Duration timeout) const;
  const k8s::GroupVersionResource& id() const { return resource_; }
  const std::string& name_space() const { return name_space_; }

  Result<json::Json> get(const std::string& name, const std::stop_token& stop,
                         const std::string& subresource = {}) const;
  // Every object, read page by page. When the server has forgotten the list's version half way (410) it starts over, a
  // few times, so what is returned is one consistent state.
  Result<ObjectList> list(const ListOptions& options, const std::stop_token& stop) const;

  Result<json::Json> create(const json::Json& object, const std::stop_token& stop,
                            const WriteOptions& options = {}) const;
  Result<json::Json> update(const json::Json& object, const std::stop_token& stop,
                            const WriteOptions& options = {}) const;
  Result<json::Json> patch(const std::string& name, PatchType type, const json::Json& patch,
                           const std::stop_token& stop, const WriteOptions& options = {}) const;
  // kNotFound when there is none. What is returned is the object that is going, or a Status.
  Result<json::Json> remove(const std::string& name, const std::stop_token& stop,
                            const DeleteOptions& options = {}) const;
  Status remove_all(const ListOptions& which, const std::stop_token& stop, const DeleteOptions& options = {}) const;

  Client& client() const { return *client_; }

 private:
  Result<json::Json> call(Call call, const std::stop_token& stop) const;

  Client* client_;
  k8s::GroupVersionResource resource_;
  std::string name_space_;
  std::optional<Duration> timeout_;
};

// The query parameters of a list, without those of paging; for watches and raw lists too.
io::QueryParameters selector_query(const ListOptions& options);

}  // namespace landfall::kube
