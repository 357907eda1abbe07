#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/result.h"
#include "k8s/kinds.h"
#include "sandbox/stored_object.h"

namespace landfall::sandbox {

enum class ChangeType { kAdded, kModified, kDeleted };

// What happened to an object. Its revision is that of the change: a deleted object is its last state under the revision
// of the deletion.
struct Change {
  ChangeType type = ChangeType::kAdded;
  ObjectPtr object;
  ObjectPtr previous;  // null for an addition
};

// The objects of a resource at one revision, in the order of their keys.
struct Snapshot {
  std::uint64_t revision = 0;
  std::vector<ObjectPtr> objects;
};
using SnapshotPtr = std::shared_ptr<const Snapshot>;

struct StoreLimits {
  // Of each resource: what watches and consistent pages can go back to.
  std::size_t history_changes = 20'000;
  std::size_t history_bytes = std::size_t{32} << 20U;
  // Lists that are being paged through.
  std::size_t kept_snapshots = 32;
  Duration snapshot_age = std::chrono::minutes(5);
};

// All objects of a sandbox, by resource. Each resource has a lock of its own, held for a few microseconds (a list
// copies pointers); the revision is one for all. Writes are optimistic: they name the state that they replace.
// Thread-safe.
class Store {
 public:
  // Called under the resource's lock, in the order of the changes: it may note what changed, but neither call the store
  // nor wait.
  using Listener = std::function<void(const k8s::GroupResource& resource, const Change& change)>;
  // Called after a change, without a lock: look at changes_after().
  using Wake = std::function<void()>;

  explicit Store(Clock& clock, StoreLimits limits = {});
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // Of the last change.
  std::uint64_t revision() const { return revision_.load(); }
  // For a store that goes on where another ended; before the first change. What was before is forgotten.
  void start_at(std::uint64_t revision) { revision_ = first_ = revision; }

  // Null when there is none.
  ObjectPtr get(const k8s::GroupResource& resource, std::string_view name_space, std::string_view name) const;

  // kAlreadyExists.
  Result<ObjectPtr> create(const k8s::GroupResource& resource, StoredObject object);
  // kConflict unless the object in the store is this very state of it.
  Result<ObjectPtr> update(const k8s::GroupResource& resource, const ObjectPtr& expected, StoredObject next);
  // Returns the last state under the revision of the deletion.
  Result<ObjectPtr> remove(const k8s::GroupResource& resource, const ObjectPtr& expected);

  // Everything, or everything in a namespace, now.
  Snapshot list(const k8s::GroupResource& resource, std::string_view name_space) const;
  std::size_t count(const k8s::GroupResource& resource) const;
  // The resources that hold objects.
  std::vector<k8s::GroupResource> resources() const;

  // As it was: from a kept snapshot, or worked out from the history. kGone when that does not go back far enough.
  Result<SnapshotPtr> at(const k8s::GroupResource& resource, std::string_view name_space, std::uint64_t revision) const;
  // Keeps a snapshot for the pages to come.
  void keep(const k8s::GroupResource& resource, std::string_view name_space, SnapshotPtr snapshot);

  // The changes of a resource after a revision, the oldest first, at most `most` of them; kGone when some of them are
  // forgotten. `reached` is the revision up to which there is nothing more when fewer than `most` come back.
  struct Changes {
    std::vector<Change> changes;
    std::uint64_t reached = 0;
    bool is_closed = false;  // the resource is not served any more
  };
  Result<Changes> changes_after(const k8s::GroupResource& resource, std::uint64_t revision, std::size_t most) const;

  // Calls after every change of the resource as long as the returned token lives; a call may still be running then.
  using Subscription = std::shared_ptr<const Wake>;
  Subscription subscribe(const k8s::GroupResource& resource, Wake wake);
  // Before the first change. Kept for the store's life.
  void on_change(Listener listener);

  // Ends the watches of a resource whose definition has gone. The objects are the caller's to remove first.
  void close(const k8s::GroupResource& resource);

 private:
  class Collection;
  struct KeptSnapshot {
    k8s::GroupResource resource;
    std::string name_space;
    SnapshotPtr snapshot;
    SteadyTime since;
  };

  Collection& collection(const k8s::GroupResource& resource) const;

  Clock& clock_;
  const StoreLimits limits_;
  mutable std::atomic<std::uint64_t> revision_{1};  // collections, made at the first look, count it on
  std::atomic<std::uint64_t> first_{0};             // nothing is known about the time before it
  std::vector<Listener> listeners_;
  mutable std::shared_mutex mutex_;
  mutable std::map<k8s::GroupResource, std::unique_ptr<Collection>> collections_;
  Guarded<std::vector<KeptSnapshot>> kept_;
};

}  // namespace landfall::sandbox
