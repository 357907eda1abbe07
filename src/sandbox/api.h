#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "base/result.h"
#include "json/json_fwd.h"
#include "sandbox/registry.h"
#include "sandbox/request.h"
#include "sandbox/service_addresses.h"
#include "sandbox/store.h"

namespace landfall::sandbox {

enum class PatchType { kJson, kMerge, kStrategic, kApply };

struct WriteOptions {
  std::string subresource;  // "", "status", or another that is written like the object itself
  std::string manager = "landfall-sandbox";
  bool dry_run = false;
  bool force = false;  // of an apply patch
  FieldValidation field_validation = FieldValidation::kIgnore;
  std::vector<std::string> field_problems;       // what reading a patch has found already: fields that are there twice
  std::vector<std::string>* warnings = nullptr;  // where to put them; optional
};

struct DeleteOptions {
  std::optional<std::int64_t> grace_period_seconds;
  std::string propagation;  // "", "Orphan", "Background", "Foreground"
  std::optional<bool> orphan_dependents;
  std::string uid;  // preconditions
  std::string resource_version;
  bool dry_run = false;
};

struct Written {
  ObjectPtr object;
  bool was_created = false;
};

struct Removed {
  ObjectPtr object;
  bool is_gone = false;  // false: marked, and waiting for its finalizers or its grace period
};

// The operations of the API server on its objects: what HTTP requests do, and what the sandbox's own controllers do.
// Everything that a server does on the way is done here: defaults, pruning, admission, validation, managed fields,
// allocation, finalizers. Errors carry an ApiFailure. Thread-safe; no call waits.
class Api {
 public:
  Api(Store& store, Registry& registry, Clock& clock, Random& random);

  // The namespace is empty for cluster-scoped kinds.
  Result<ObjectPtr> get(const KindInfo& kind, std::string_view name_space, std::string_view name) const;
  // The same as a document; and any object as one.
  Result<json::Json> read(const KindInfo& kind, std::string_view name_space, std::string_view name) const;

  Result<ObjectPtr> create(const KindInfo& kind, std::string_view name_space, json::Json object,
                           const WriteOptions& options = {});
  // With the resourceVersion in the object, only if it is still that one (409). Kinds that may be created by an update
  // are.
  Result<Written> update(const KindInfo& kind, std::string_view name_space, std::string_view name, json::Json object,
                         const WriteOptions& options = {});
  Result<Written> patch(const KindInfo& kind, std::string_view name_space, std::string_view name, PatchType type,
                        const json::Json& patch, const WriteOptions& options = {});
  // Reads, lets `change` alter the document and writes it; again when it changed meanwhile. An unchanged document is
  // not written. An error of `change` ends it.
  using Change = std::function<Status(json::Json&)>;
  Result<Written> modify(const KindInfo& kind, std::string_view name_space, std::string_view name, const Change& change,
                         const WriteOptions& options = {});

  // The same without defaults, preparation, managed fields and validation: for what the server does to its own objects
  // (binding a pod, finalizing a namespace).
  Result<Written> rewrite(const KindInfo& kind, std::string_view name_space, std::string_view name,
                          const Change& change, bool dry_run = false);

  Result<Removed> remove(const KindInfo& kind, std::string_view name_space, std::string_view name,
                         const DeleteOptions& options = {});

  Store& store() { return store_; }
  const Store& store() const { return store_; }
  Registry& registry() { return registry_; }
  Clock& clock() { return clock_; }
  Random& random() { return random_; }

 private:
  // Makes the next state from the live one. Without `track` it has seen to managedFields itself.
  using Transform = std::function<Result<json::Json>(const json::Json& live)>;

  Result<Written> change(const KindInfo& kind, std::string_view name_space, std::string_view name,
                         const Transform& transform, bool track, const WriteOptions& options);
  Result<json::Json> next_state(const KindInfo& kind, const StoredObject& before, const json::Json& live,
                                json::Json next, bool track, const WriteOptions& options);
  Result<std::optional<Written>> commit(const KindInfo& kind, const ObjectPtr& before, const json::Json& live,
                                        const json::Json& next, bool dry_run);
  Result<Written> apply(const KindInfo& kind, std::string_view name_space, std::string_view name,
                        const json::Json& configuration, const WriteOptions& options);
  Result<ObjectPtr> store_new(const KindInfo& kind, json::Json object, const WriteOptions& options);
  Status admit_new(const KindInfo& kind, std::string_view name_space, std::string_view name) const;
  Result<json::Json> prepare_new(const KindInfo& kind, std::string_view name_space, json::Json object,
                                 const WriteOptions& options);
  Result<std::optional<Removed>> try_remove(const KindInfo& kind, const ObjectPtr& before,
                                            const DeleteOptions& options);
  std::string now_text() const;

  Store& store_;
  Registry& registry_;
  Clock& clock_;
  Random& random_;
  ServiceAddresses addresses_;
};

// The resource as errors name it.
k8s::GroupResource group_resource(const KindInfo& kind);

}  // namespace landfall::sandbox
