#include "sandbox_world/work_loop.h"

#include <algorithm>
#include <exception>

namespace landfall::sandbox {
namespace {

constexpr std::size_t kPull = 2000;
constexpr int kDrainRounds = 8;  // then a key gets its turn, however busy the store is
constexpr int kMostFailures = 5;
constexpr Duration kRetry = std::chrono::seconds(1);

}  // namespace

class WorkLoop::Queue final : public WorkQueue {
 public:
  Queue(WorkLoop& loop, std::size_t index) : loop_(loop), index_(index) {}
  void add(std::string key) override { loop_.add_ready({index_, std::move(key)}); }
  void add_after(std::string key, Duration delay) override {
    loop_.add_later({index_, std::move(key)}, loop_.clock_.after(delay));
  }

 private:
  WorkLoop& loop_;
  const std::size_t index_;
};

WorkLoop::WorkLoop(Store& store, Clock& clock, Logger log)
    : store_(store), clock_(clock), log_(std::move(log)), dirty_(std::make_shared<Monitor<Dirty>>()) {}

WorkLoop::~WorkLoop() = default;

void WorkLoop::add(std::unique_ptr<Controller> controller) {
  queues_.push_back(std::make_unique<Queue>(*this, controllers_.size()));
  controllers_.push_back(std::move(controller));
  controllers_.back()->start(*queues_.back());
}

void WorkLoop::follow(const k8s::GroupResource& resource) {
  const auto [at, is_new] = feeds_.try_emplace(resource);
  if (!is_new) return;
  // Before the list: a change in between is then seen twice rather than never.
  at->second.subscription = store_.subscribe(
      resource, [dirty = dirty_, resource] { dirty->update([&](Dirty& set) { set.insert(resource); }); });
  read_all(resource, at->second);
}

void WorkLoop::unfollow(const k8s::GroupResource& resource) { feeds_.erase(resource); }

void WorkLoop::read_all(const k8s::GroupResource& resource, Feed& feed) {
  const Snapshot now = store_.list(resource, "");
  feed.position = now.revision;
  for (const ObjectPtr& object : now.objects) tell(resource, {.type = ChangeType::kAdded, .object = object});
}

void WorkLoop::tell(const k8s::GroupResource& resource, const Change& change) {
  for (std::size_t i = 0; i < controllers_.size(); ++i) {
    if (controllers_[i]->follows(resource)) controllers_[i]->observe(resource, change, *queues_[i]);
  }
}

void WorkLoop::pull(const k8s::GroupResource& resource, Feed& feed) {
  const auto news = store_.changes_after(resource, feed.position, kPull);
  if (!news) {
    for (const auto& controller : controllers_) {
      if (controller->follows(resource)) controller->forget(resource);
    }
    read_all(resource, feed);
    return;
  }
  for (const Change& change : news->changes) tell(resource, change);
  if (news->changes.size() < kPull) {
    feed.position = std::max(feed.position, news->reached);
    return;
  }
  feed.position = news->changes.back().object->revision;
  dirty_->update([&](Dirty& set) { set.insert(resource); });
}

void WorkLoop::drain() {
  for (int round = 0; round < kDrainRounds; ++round) {
    if (dirty_->with([](const Dirty& set) { return set.empty(); })) return;
    const Dirty changed = dirty_->update([](Dirty& set) { return std::exchange(set, {}); });
    for (const k8s::GroupResource& resource : changed) {
      if (const auto feed = feeds_.find(resource); feed != feeds_.end()) pull(resource, feed->second);
    }
  }
}

void WorkLoop::add_ready(Item item) {
  if (waiting_.insert(item).second) ready_.push_back(std::move(item));
}

void WorkLoop::add_later(Item item, SteadyTime due) {
  const auto [at, is_new] = due_.try_emplace(item, due);
  if (!is_new) {
    if (at->second <= due) return;
    later_.erase({at->second, item});
    at->second = due;
  }
  later_.emplace(due, std::move(item));
}

void WorkLoop::take_due() {
  const SteadyTime now = clock_.now();
  while (!later_.empty() && later_.begin()->first <= now) {
    Item item = later_.begin()->second;
    later_.erase(later_.begin());
    due_.erase(item);
    add_ready(std::move(item));
  }
}

// An object that no schema vouches for may have anything anywhere, and the document type throws when it does.
Status WorkLoop::reconcile(const Item& item) {
  try {
    return controllers_[item.first]->reconcile(item.second, *queues_[item.first]);
  } catch (const std::exception& error) {
    return fail(Code::kInvalid, std::string("the object has an unexpected shape: ") + error.what());
  }
}

void WorkLoop::work_on_next() {
  const Item item = std::move(ready_.front());
  ready_.pop_front();
  waiting_.erase(item);
  const auto& [index, key] = item;
  const Status done = reconcile(item);
  if (done) {
    failures_.erase(item);
    return;
  }
  int& failures = failures_[item];
  failures = std::min(failures + 1, kMostFailures);
  log_.debug("tried in vain, will try again",
             {{"controller", controllers_[index]->name()}, {"key", key}, {"error", done.error().message()}});
  add_later(item, clock_.after(kRetry * (1 << (failures - 1))));
}

void WorkLoop::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    drain();
    take_due();
    if (!ready_.empty()) {
      work_on_next();
      continue;
    }
    if (!was_idle_.copy()) was_idle_.update([](bool& was) { was = true; });
    const SteadyTime until = later_.empty() ? kNever : later_.begin()->first;
    dirty_->wait_until(clock_, stop, until, [](const Dirty& set) { return !set.empty(); });
  }
}

bool WorkLoop::await_idle(const std::stop_token& stop, SteadyTime deadline) {
  return was_idle_.wait_until(clock_, stop, deadline, [](bool was) { return was; });
}

}  // namespace landfall::sandbox
