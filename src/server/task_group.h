#pragma once

#include <functional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/result.h"

namespace landfall::server {

// Threads that run until they are told to stop. One that ends before, by itself or by an exception, is a fault that
// on_death hears of, on that thread. Owned by one thread.
class TaskGroup {
 public:
  using Body = std::function<void(const std::stop_token&)>;
  using OnDeath = std::function<void(const Error&)>;

  TaskGroup(Clock& clock, OnDeath on_death) : clock_(clock), on_death_(std::move(on_death)) {}
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;
  // Stops them and waits.
  ~TaskGroup();

  void start(const std::string& name, Body body);
  void request_stop() { stop_.request_stop(); }
  // Waits until all have ended; the names of those that have not by the deadline.
  std::vector<std::string> wait(SteadyTime deadline);

 private:
  void run(const std::string& name, const Body& body);

  Clock& clock_;
  const OnDeath on_death_;
  std::stop_source stop_;
  Monitor<std::multiset<std::string>> running_;
  std::vector<std::jthread> threads_;
};

}  // namespace landfall::server
