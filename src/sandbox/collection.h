#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string_view>
#include <vector>

#include "sandbox/store.h"

namespace landfall::sandbox {

// Internal to the store. The objects of one resource, its history and those who wait for changes, under one lock.
class Store::Collection {
 public:
  Collection(k8s::GroupResource resource, const StoreLimits& limits, std::atomic<std::uint64_t>& revision,
             const std::atomic<std::uint64_t>& first, const std::vector<Listener>& listeners)
      : resource_(std::move(resource)), limits_(limits), revision_(revision), first_(first), listeners_(listeners) {}

  ObjectPtr get(std::string_view key) const;
  Result<ObjectPtr> create(StoredObject object);
  Result<ObjectPtr> update(const ObjectPtr& expected, StoredObject next);
  Result<ObjectPtr> remove(const ObjectPtr& expected);
  Snapshot list(std::string_view name_space) const;
  Result<Snapshot> list_at(std::string_view name_space, std::uint64_t revision) const;
  std::size_t count() const;
  Result<Changes> changes_after(std::uint64_t revision, std::size_t most) const;
  Subscription subscribe(Wake wake);
  void close();

 private:
  using Objects = std::map<std::string_view, ObjectPtr>;  // keys point into the objects
  using Waiting = std::vector<std::weak_ptr<const Wake>>;

  // With the lock held; returns whom to wake without it.
  std::shared_ptr<const Waiting> record(Change change);
  static void wake(const std::shared_ptr<const Waiting>& waiting);
  Snapshot copy_range(std::string_view name_space) const;
  bool is_forgotten(std::uint64_t revision) const { return revision < forgotten_ || revision < first_; }

  const k8s::GroupResource resource_;
  const StoreLimits& limits_;
  std::atomic<std::uint64_t>& revision_;
  const std::atomic<std::uint64_t>& first_;
  const std::vector<Listener>& listeners_;
  mutable std::mutex mutex_;
  Objects objects_;
  std::deque<Change> history_;
  std::size_t history_bytes_ = 0;
  std::uint64_t forgotten_ = 0;  // the newest revision that has left the history
  bool is_closed_ = false;
  std::shared_ptr<const Waiting> waiting_ = std::make_shared<const Waiting>();
};

}  // namespace landfall::sandbox
