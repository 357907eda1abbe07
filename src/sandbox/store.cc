#include "sandbox/store.h"

#include <algorithm>
#include <utility>

#include "sandbox/collection.h"

namespace landfall::sandbox {

Store::Store(Clock& clock, StoreLimits limits) : clock_(clock), limits_(limits) {}
Store::~Store() = default;

Store::Collection& Store::collection(const k8s::GroupResource& resource) const {
  {
    const std::shared_lock lock(mutex_);
    if (const auto found = collections_.find(resource); found != collections_.end()) return *found->second;
  }
  const std::unique_lock lock(mutex_);
  auto& entry = collections_[resource];
  if (!entry) entry = std::make_unique<Collection>(resource, limits_, revision_, first_, listeners_);
  return *entry;
}

ObjectPtr Store::get(const k8s::GroupResource& resource, std::string_view name_space, std::string_view name) const {
  return collection(resource).get(object_key(name_space, name));
}

Result<ObjectPtr> Store::create(const k8s::GroupResource& resource, StoredObject object) {
  return collection(resource).create(std::move(object));
}

Result<ObjectPtr> Store::update(const k8s::GroupResource& resource, const ObjectPtr& expected, StoredObject next) {
  return collection(resource).update(expected, std::move(next));
}

Result<ObjectPtr> Store::remove(const k8s::GroupResource& resource, const ObjectPtr& expected) {
  return collection(resource).remove(expected);
}

Snapshot Store::list(const k8s::GroupResource& resource, std::string_view name_space) const {
  return collection(resource).list(name_space);
}

std::size_t Store::count(const k8s::GroupResource& resource) const { return collection(resource).count(); }

std::vector<k8s::GroupResource> Store::resources() const {
  const std::shared_lock lock(mutex_);
  std::vector<k8s::GroupResource> out;
  for (const auto& [resource, collection] : collections_) {
    if (collection->count() > 0) out.push_back(resource);
  }
  return out;
}

Result<SnapshotPtr> Store::at(const k8s::GroupResource& resource, std::string_view name_space,
                              std::uint64_t revision) const {
  const SteadyTime oldest = clock_.now() - limits_.snapshot_age;
  SnapshotPtr kept = kept_.with([&](const std::vector<KeptSnapshot>& all) -> SnapshotPtr {
    for (const KeptSnapshot& entry : all) {
      if (entry.snapshot->revision == revision && entry.resource == resource && entry.name_space == name_space &&
          entry.since >= oldest) {
        return entry.snapshot;
      }
    }
    return nullptr;
  });
  if (kept) return kept;
  TRY_ASSIGN(Snapshot rebuilt, "", collection(resource).list_at(name_space, revision));
  return std::make_shared<const Snapshot>(std::move(rebuilt));
}

void Store::keep(const k8s::GroupResource& resource, std::string_view name_space, SnapshotPtr snapshot) {
  const SteadyTime now = clock_.now();
  kept_.with([&](std::vector<KeptSnapshot>& all) {
    std::erase_if(all, [&](const KeptSnapshot& entry) {
      const bool same = entry.resource == resource && entry.name_space == name_space &&
                        entry.snapshot->revision == snapshot->revision;
      return same || entry.since < now - limits_.snapshot_age;
    });
    if (all.size() >= limits_.kept_snapshots) all.erase(all.begin());
    all.push_back({resource, std::string(name_space), std::move(snapshot), now});
  });
}

Result<Store::Changes> Store::changes_after(const k8s::GroupResource& resource, std::uint64_t revision,
                                            std::size_t most) const {
  return collection(resource).changes_after(revision, most);
}

Store::Subscription Store::subscribe(const k8s::GroupResource& resource, Wake wake) {
  return collection(resource).subscribe(std::move(wake));
}

void Store::on_change(Listener listener) { listeners_.push_back(std::move(listener)); }

void Store::close(const k8s::GroupResource& resource) { collection(resource).close(); }

}  // namespace landfall::sandbox
