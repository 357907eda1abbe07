#include "sandbox_world/garbage_collector.h"

#include <algorithm>
#include <optional>

#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"

namespace landfall::sandbox {
namespace {

using json::Json;

constexpr std::string_view kForeground = "foregroundDeletion";
constexpr std::string_view kOrphan = "orphan";

// Keys: what is to be done, and the uid it is to be done to.
constexpr char kCollect = 'c';
constexpr char kFinish = 'f';

bool mentions(const StoredObject& object, std::string_view text) {
  return object.bytes.find(text) != std::string::npos;
}

ObjectId id_of(const k8s::GroupResource& resource, const StoredObject& object) {
  return {resource, std::string(object.name_space()), std::string(object.name()), object.uid};
}

std::vector<Owner> owners_of(const Json& object) {
  std::vector<Owner> out;
  const k8s::ObjectView view(object);
  for (const k8s::OwnerReference& owner : view.owner_references()) {
    out.push_back({.api_version = std::string(owner.api_version),
                   .kind = std::string(owner.kind),
                   .name = std::string(owner.name),
                   .uid = std::string(owner.uid),
                   .blocks_deletion = owner.block_owner_deletion});
  }
  return out;
}

// As the object itself was told to go about it.
std::string propagation_of(const Json& object) {
  const k8s::ObjectView view(object);
  if (view.has_finalizer(kOrphan)) return "Orphan";
  return view.has_finalizer(kForeground) ? "Foreground" : "Background";
}

}  // namespace

KindPtr GarbageCollector::kind_of(const k8s::GroupResource& resource) const {
  return cluster_.api().registry().kinds()->find_resource(resource);
}

void GarbageCollector::observe(const k8s::GroupResource& resource, const Change& change, WorkQueue& queue) {
  const StoredObject& object = *change.object;
  if (change.type != ChangeType::kDeleted) return observe_state(resource, object, queue);
  wake_owners(object.uid, queue);
  index_.erase(object.uid);
  ending_.erase(object.uid);
  for (const std::string& uid : index_.dependents_of(object.uid)) queue.add(kCollect + uid);
}

// Owners that may have waited for this dependent.
void GarbageCollector::wake_owners(const std::string& uid, WorkQueue& queue) const {
  const Dependent* dependent = index_.find(uid);
  if (dependent == nullptr) return;
  for (const Owner& owner : dependent->owners) {
    if (ending_.contains(owner.uid)) queue.add(kFinish + owner.uid);
  }
}

void GarbageCollector::observe_state(const k8s::GroupResource& resource, const StoredObject& object, WorkQueue& queue) {
  wake_owners(object.uid, queue);
  // Most objects have no owners: their text need not be read.
  if (mentions(object, "\"ownerReferences\"")) {
    const KindPtr kind = kind_of(resource);
    if (kind) index_.put({id_of(resource, object), owners_of(decode(*kind, object))});
    queue.add(kCollect + object.uid);
  } else {
    index_.erase(object.uid);
  }
  if (object.is_deleting && (mentions(object, "\"foregroundDeletion\"") || mentions(object, "\"orphan\""))) {
    ending_.insert_or_assign(object.uid, id_of(resource, object));
    queue.add(kFinish + object.uid);
  }
}

void GarbageCollector::forget(const k8s::GroupResource& resource) {
  index_.erase_all(resource);
  std::erase_if(ending_, [&](const auto& entry) { return entry.second.resource == resource; });
}

Status GarbageCollector::reconcile(const std::string& key, WorkQueue& queue) {
  const std::string uid = key.substr(1);
  return key[0] == kCollect ? collect(uid) : finish_owner(uid, queue);
}

GarbageCollector::OwnerState GarbageCollector::look_up(const Dependent& dependent, const Owner& owner) const {
  const k8s::GroupVersionKind wanted = k8s::kind_of(owner.api_version, owner.kind);
  const KindSetPtr served = cluster_.api().registry().kinds();
  KindPtr kind = served->find_kind(wanted.group, wanted.version, wanted.kind);
  if (!kind) kind = served->find_kind(wanted.group, "", wanted.kind);
  // What cannot be asked for is not known to be gone; nor can an owner in some namespace own something outside of it.
  if (!kind || (kind->is_namespaced && dependent.id.name_space.empty())) return OwnerState::kThere;
  const ObjectPtr object =
      cluster_.api().store().get(kind->storage, kind->is_namespaced ? dependent.id.name_space : "", owner.name);
  if (!object || object->uid != owner.uid) return OwnerState::kGone;
  return object->is_deleting && mentions(*object, "\"foregroundDeletion\"") ? OwnerState::kWaiting : OwnerState::kThere;
}

Status GarbageCollector::collect(const std::string& uid) {
  const Dependent* dependent = index_.find(uid);
  if (dependent == nullptr) return {};
  const KindPtr kind = kind_of(dependent->id.resource);
  if (!kind) return {};
  const std::optional<Json> object = cluster_.get(*kind, dependent->id.name_space, dependent->id.name);
  if (!object || k8s::ObjectView(*object).uid() != uid) return {};
  if (k8s::ObjectView(*object).is_being_deleted()) return {};

  std::vector<std::string> gone;
  std::vector<std::string> waiting;
  for (const Owner& owner : dependent->owners) {
    const OwnerState state = look_up(*dependent, owner);
    if (state == OwnerState::kGone) gone.push_back(owner.uid);
    if (state == OwnerState::kWaiting) waiting.push_back(owner.uid);
  }
  if (gone.empty() && waiting.empty()) return {};
  if (gone.size() + waiting.size() < dependent->owners.size()) {
    gone.insert(gone.end(), waiting.begin(), waiting.end());
    return drop_owners(*kind, *object, gone);
  }
  // An owner that waits wants everything below it to go first, level by level.
  const bool is_chain = !waiting.empty() && !index_.dependents_of(uid).empty();
  return cluster_.remove(*kind, *object, {.propagation = is_chain ? "Foreground" : propagation_of(*object)});
}

Status GarbageCollector::drop_owners(const KindInfo& kind, const Json& object,
                                     const std::vector<std::string>& uids) const {
  return cluster_.modify(kind, object, [&](Json& live) -> Status {
    Json kept = Json::array();
    for (const Json& reference : copy_or(live, {"metadata", "ownerReferences"}, Json::array())) {
      const std::string uid = json::string_or(reference, {"uid"}, "");
      if (std::find(uids.begin(), uids.end(), uid) == uids.end()) kept.push_back(reference);
    }
    if (kept.empty()) {
      live["metadata"].erase("ownerReferences");
    } else {
      live["metadata"]["ownerReferences"] = std::move(kept);
    }
    return {};
  });
}

Status GarbageCollector::orphan_dependents(const std::string& uid) const {
  for (const std::string& dependent_uid : index_.dependents_of(uid)) {
    const Dependent* dependent = index_.find(dependent_uid);
    const KindPtr kind = kind_of(dependent->id.resource);
    if (!kind) continue;
    const std::optional<Json> object = cluster_.get(*kind, dependent->id.name_space, dependent->id.name);
    if (object) TRY("turn loose " + dependent->id.name, drop_owners(*kind, *object, {uid}));
  }
  return {};
}

Status GarbageCollector::finish_owner(const std::string& uid, WorkQueue& queue) {
  const auto at = ending_.find(uid);
  if (at == ending_.end()) return {};
  const KindPtr kind = kind_of(at->second.resource);
  if (!kind) return {};
  const std::optional<Json> object = cluster_.get(*kind, at->second.name_space, at->second.name);
  if (!object) return {};
  const k8s::ObjectView view(*object);
  std::string_view done;
  if (view.has_finalizer(kOrphan)) {
    TRY("", orphan_dependents(uid));
    done = kOrphan;
  } else if (view.has_finalizer(kForeground)) {
    const std::vector<std::string> blockers = index_.blockers_of(uid);
    for (const std::string& blocker : index_.dependents_of(uid)) queue.add(kCollect + blocker);
    if (!blockers.empty()) return {};
    done = kForeground;
  } else {
    return {};
  }
  return cluster_.rewrite(*kind, *object, [&](Json& live) -> Status {
    k8s::remove_finalizer(live, done);
    return {};
  });
}

}  // namespace landfall::sandbox
