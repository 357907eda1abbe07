#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "k8s/kinds.h"
#include "sandbox/store.h"

namespace landfall::sandbox {

// Where a controller notes what it has to look at. A key that waits already is not added twice.
class WorkQueue {
 public:
  virtual ~WorkQueue() = default;
  virtual void add(std::string key) = 0;
  // At the earlier of two times when the key waits already.
  virtual void add_after(std::string key, Duration delay) = 0;
};

// Keeps one kind of promise about the objects of a sandbox: it is told what changed, notes keys, and brings the world
// in order for one key at a time. It reads the state afresh each time and does what is missing, so that it can be
// stopped at any point and started again. All calls come from the one thread of a WorkLoop.
class Controller {
 public:
  Controller() = default;
  virtual ~Controller() = default;
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  // For the log.
  virtual std::string_view name() const = 0;
  // Whether observe() should hear of this resource.
  virtual bool follows(const k8s::GroupResource& resource) const = 0;
  // Once, before anything is observed.
  virtual void start(WorkQueue& queue) { static_cast<void>(queue); }
  // What is there at the start comes as added.
  virtual void observe(const k8s::GroupResource& resource, const Change& change, WorkQueue& queue) = 0;
  // Changes of the resource were lost: what is there will come as added once more.
  virtual void forget(const k8s::GroupResource& resource) { static_cast<void>(resource); }
  // An error is tried again later.
  virtual Status reconcile(const std::string& key, WorkQueue& queue) = 0;
};

}  // namespace landfall::sandbox
