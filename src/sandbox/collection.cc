#include "sandbox/collection.h"

#include <algorithm>
#include <string>
#include <utility>

namespace landfall::sandbox {
namespace {

// The history is what keeps the state before a change alive.
std::size_t bytes_of(const Change& change) {
  return change.object->bytes.size() + (change.previous ? change.previous->bytes.size() : 0) + sizeof(Change);
}

std::string prefix_of(std::string_view name_space) { return std::string(name_space) + '/'; }

}  // namespace

ObjectPtr Store::Collection::get(std::string_view key) const {
  const std::scoped_lock lock(mutex_);
  const auto found = objects_.find(key);
  return found == objects_.end() ? nullptr : found->second;
}

Result<ObjectPtr> Store::Collection::create(StoredObject object) {
  ObjectPtr stored;
  std::shared_ptr<const Waiting> waiting;
  {
    const std::scoped_lock lock(mutex_);
    const auto place = objects_.lower_bound(object.key);
    if (place != objects_.end() && place->first == object.key) {
      return fail(Code::kAlreadyExists, "there is an object " + object.key);
    }
    is_closed_ = false;
    stored = with_revision(std::move(object), ++revision_);
    objects_.emplace_hint(place, stored->key, stored);
    waiting = record({.type = ChangeType::kAdded, .object = stored});
  }
  wake(waiting);
  return stored;
}

Result<ObjectPtr> Store::Collection::update(const ObjectPtr& expected, StoredObject next) {
  ObjectPtr stored;
  std::shared_ptr<const Waiting> waiting;
  {
    const std::scoped_lock lock(mutex_);
    const auto place = objects_.find(expected->key);
    if (place == objects_.end() || place->second != expected || next.key != expected->key) {
      return fail(Code::kConflict, "the object has changed meanwhile");
    }
    stored = with_revision(std::move(next), ++revision_);
    const auto hint = std::next(place);
    auto node = objects_.extract(place);
    node.key() = stored->key;
    node.mapped() = stored;
    objects_.insert(hint, std::move(node));
    waiting = record({.type = ChangeType::kModified, .object = stored, .previous = expected});
  }
  wake(waiting);
  return stored;
}

Result<ObjectPtr> Store::Collection::remove(const ObjectPtr& expected) {
  ObjectPtr last;
  std::shared_ptr<const Waiting> waiting;
  {
    const std::scoped_lock lock(mutex_);
    const auto place = objects_.find(expected->key);
    if (place == objects_.end() || place->second != expected) {
      return fail(Code::kConflict, "the object has changed meanwhile");
    }
    objects_.erase(place);
    last = with_revision(*expected, ++revision_);
    waiting = record({.type = ChangeType::kDeleted, .object = last, .previous = expected});
  }
  wake(waiting);
  return last;
}

std::shared_ptr<const Store::Collection::Waiting> Store::Collection::record(Change change) {
  for (const Listener& listener : listeners_) listener(resource_, change);
  history_bytes_ += bytes_of(change);
  history_.push_back(std::move(change));
  while (history_.size() > limits_.history_changes || history_bytes_ > limits_.history_bytes) {
    forgotten_ = history_.front().object->revision;
    history_bytes_ -= bytes_of(history_.front());
    history_.pop_front();
  }
  return waiting_;
}

void Store::Collection::wake(const std::shared_ptr<const Waiting>& waiting) {
  for (const std::weak_ptr<const Wake>& weak : *waiting) {
    if (const std::shared_ptr<const Wake> call = weak.lock()) (*call)();
  }
}

Snapshot Store::Collection::copy_range(std::string_view name_space) const {
  Snapshot out;
  out.revision = revision_.load();
  auto begin = objects_.begin();
  auto end = objects_.end();
  if (!name_space.empty()) {
    std::string bound = prefix_of(name_space);
    begin = objects_.lower_bound(bound);
    ++bound.back();
    end = objects_.lower_bound(bound);
  } else {
    out.objects.reserve(objects_.size());
  }
  for (; begin != end; ++begin) out.objects.push_back(begin->second);
  return out;
}

Snapshot Store::Collection::list(std::string_view name_space) const {
  const std::scoped_lock lock(mutex_);
  return copy_range(name_space);
}

Result<Snapshot> Store::Collection::list_at(std::string_view name_space, std::uint64_t revision) const {
  Snapshot now;
  std::map<std::string, ObjectPtr> before;  // what changed since, as it was; null: it was not there
  {
    const std::scoped_lock lock(mutex_);
    if (is_forgotten(revision)) return fail(Code::kGone, "the history does not go back that far");
    now = copy_range(name_space);
    const std::string prefix = name_space.empty() ? std::string() : prefix_of(name_space);
    for (auto change = history_.rbegin(); change != history_.rend() && change->object->revision > revision; ++change) {
      if (change->object->key.starts_with(prefix)) before[change->object->key] = change->previous;
    }
  }
  std::map<std::string_view, ObjectPtr> then;
  for (const ObjectPtr& object : now.objects) then.emplace(object->key, object);
  for (const auto& [key, object] : before) {
    if (object) {
      then.insert_or_assign(key, object);
    } else {
      then.erase(key);
    }
  }
  Snapshot out{.revision = revision};
  out.objects.reserve(then.size());
  for (const auto& [key, object] : then) out.objects.push_back(object);
  return out;
}

std::size_t Store::Collection::count() const {
  const std::scoped_lock lock(mutex_);
  return objects_.size();
}

Result<Store::Changes> Store::Collection::changes_after(std::uint64_t revision, std::size_t most) const {
  const std::scoped_lock lock(mutex_);
  if (is_forgotten(revision)) return fail(Code::kGone, "the history does not go back that far");
  Changes out{.reached = revision_.load(), .is_closed = is_closed_};
  auto next =
      std::upper_bound(history_.begin(), history_.end(), revision,
                       [](std::uint64_t value, const Change& change) { return value < change.object->revision; });
  for (; next != history_.end() && out.changes.size() < most; ++next) out.changes.push_back(*next);
  return out;
}

Store::Subscription Store::Collection::subscribe(Wake wake) {
  auto call = std::make_shared<const Wake>(std::move(wake));
  const std::scoped_lock lock(mutex_);
  auto next = std::make_shared<Waiting>();
  for (const auto& weak : *waiting_) {
    if (!weak.expired()) next->push_back(weak);
  }
  next->push_back(call);
  waiting_ = std::move(next);
  return call;
}

void Store::Collection::close() {
  std::shared_ptr<const Waiting> waiting;
  {
    const std::scoped_lock lock(mutex_);
    is_closed_ = true;
    waiting = waiting_;
  }
  wake(waiting);
}

}  // namespace landfall::sandbox
