#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/log.h"

namespace boost::asio {
class io_context;
}

namespace landfall::http {

// Internal to the module. One thread that waits for many descriptors.
class IoLoop {
 public:
  explicit IoLoop(Logger log);
  IoLoop(const IoLoop&) = delete;
  IoLoop& operator=(const IoLoop&) = delete;
  // After finish(), or before start().
  ~IoLoop();

  void start(const std::string& thread_name);
  // Lets the thread end once no operation is left, and waits for it.
  void finish();

  // From any thread: runs the task on the loop's thread.
  void post(std::function<void()> task);
  // On the loop's thread: runs the task after the delay, in real time. A timer that has not run yet is replaced.
  void after(std::chrono::milliseconds delay, std::function<void()> task);
  void cancel_timer();

  boost::asio::io_context& context();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace landfall::http
