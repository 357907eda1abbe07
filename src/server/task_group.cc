#include "server/task_group.h"

#include <pthread.h>

#include <exception>
#include <utility>

namespace landfall::server {
namespace {

constexpr std::size_t kThreadName = 15;  // all that Linux takes

}  // namespace

TaskGroup::~TaskGroup() {
  request_stop();
  threads_.clear();
}

void TaskGroup::start(const std::string& name, Body body) {
  running_.update([&](auto& running) { running.insert(name); });
  threads_.emplace_back([this, name, body = std::move(body)] { run(name, body); });
}

void TaskGroup::run(const std::string& name, const Body& body) {
  pthread_setname_np(pthread_self(), name.substr(0, kThreadName).c_str());
  std::string why = "it ended by itself";
  try {
    body(stop_.get_token());
  } catch (const std::exception& exception) {
    why = exception.what();
  } catch (...) {
    why = "an exception of an unknown type";
  }
  if (!stop_.stop_requested()) on_death_(Error(Code::kInternal, name + ": " + why));
  running_.update([&](auto& running) { running.erase(running.find(name)); });
}

std::vector<std::string> TaskGroup::wait(SteadyTime deadline) {
  running_.wait_until(clock_, {}, deadline, [](const auto& running) { return running.empty(); });
  const auto left = running_.copy();
  return {left.begin(), left.end()};
}

}  // namespace landfall::server
