#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/log.h"
#include "sandbox/store.h"
#include "sandbox_world/controller.h"

namespace landfall::sandbox {

// Runs controllers, one key after the other, on the thread that calls run(). It sleeps until an object changes or a
// delayed key is due; all that changed is observed before the next key is taken, so that a controller that keeps an
// index never acts on an older state than the event that woke it. What is passed by reference must outlive it.
// All calls but await_idle() come from the one thread: add() and follow() before run() or from a controller.
class WorkLoop {
 public:
  WorkLoop(Store& store, Clock& clock, Logger log);
  ~WorkLoop();
  WorkLoop(const WorkLoop&) = delete;
  WorkLoop& operator=(const WorkLoop&) = delete;

  void add(std::unique_ptr<Controller> controller);
  // Tells the controllers what there is of the resource, and from now on what changes. A second call does nothing.
  void follow(const k8s::GroupResource& resource);
  void unfollow(const k8s::GroupResource& resource);

  void run(const std::stop_token& stop);
  // Waits, on another thread, until run() has nothing to do for the first time.
  bool await_idle(const std::stop_token& stop, SteadyTime deadline);

 private:
  using Item = std::pair<std::size_t, std::string>;  // the controller and the key
  using Dirty = std::set<k8s::GroupResource>;
  class Queue;
  struct Feed {
    std::uint64_t position = 0;
    Store::Subscription subscription;
  };

  void drain();
  void pull(const k8s::GroupResource& resource, Feed& feed);
  void read_all(const k8s::GroupResource& resource, Feed& feed);
  void tell(const k8s::GroupResource& resource, const Change& change);
  void take_due();
  Status reconcile(const Item& item);
  void work_on_next();
  void add_ready(Item item);
  void add_later(Item item, SteadyTime due);

  Store& store_;
  Clock& clock_;
  const Logger log_;
  std::vector<std::unique_ptr<Controller>> controllers_;
  std::vector<std::unique_ptr<Queue>> queues_;
  std::map<k8s::GroupResource, Feed> feeds_;
  // Shared with the subscriptions: one may still be calling when the loop is gone.
  std::shared_ptr<Monitor<Dirty>> dirty_;
  Monitor<bool> was_idle_;
  std::deque<Item> ready_;
  std::set<Item> waiting_;  // those in ready_
  std::set<std::pair<SteadyTime, Item>> later_;
  std::map<Item, SteadyTime> due_;  // those in later_
  std::map<Item, int> failures_;
};

}  // namespace landfall::sandbox
