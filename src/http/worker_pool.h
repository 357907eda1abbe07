#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "http/responder.h"

namespace landfall::http {

// A fixed number of threads for handlers that block, with a bounded queue before them.
// The destructor asks the running tasks to stop by their stop_token, waits for them and drops those that still wait, so
// destroy it after the server. Thread-safe.
class WorkerPool {
 public:
  using Task = std::function<void(const std::stop_token&)>;

  struct Options {
    std::string name = "http-work";  // threads are called NAME-0 …
    std::size_t threads = 4;
    std::size_t queue = 64;
  };

  WorkerPool(Options options, Clock& clock, Logger log);
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  ~WorkerPool();

  // False when the queue is full. A task that throws is logged.
  bool submit(Task task);
  // Takes the next piece of work that was admitted before, whatever the queue's length: for streams that wait for their
  // client between pieces. Each has at most one in the queue, so the open connections bound it.
  void resume(Task task);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// What a handler on the pool is given: it may block, and should come back soon after the stop is asked for.
using BlockingHandler = std::function<void(Request, std::shared_ptr<Responder>, const std::stop_token&)>;

// Runs the handler on the pool, which must outlive the server. A full queue is answered with 503 and Retry-After; a
// handler that throws with 500; a request whose client has gone meanwhile is not run at all.
Handler on_workers(WorkerPool& pool, BlockingHandler handler);

}  // namespace landfall::http
