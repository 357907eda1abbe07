#include "http/worker_pool.h"

#include <fmt/format.h>
#include <pthread.h>

#include <deque>
#include <exception>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "base/guarded.h"

namespace landfall::http {

struct WorkerPool::Impl {
  Impl(Options given, Clock& the_clock, Logger logger)
      : options(std::move(given)), clock(the_clock), log(std::move(logger)) {}

  void work(const std::stop_token& stop) {
    while (true) {
      Task task;
      const bool got = queue.wait_then(
          clock, stop, kNever, [](const std::deque<Task>& tasks) { return !tasks.empty(); },
          [&](std::deque<Task>& tasks) {
            task = std::move(tasks.front());
            tasks.pop_front();
          });
      if (!got || stop.stop_requested()) return;
      try {
        task(stop);
      } catch (const std::exception& e) {
        log.error("a task threw", {{"pool", options.name}, {"error", e.what()}});
      } catch (...) {
        log.error("a task threw something that is not an exception", {{"pool", options.name}});
      }
    }
  }

  const Options options;
  Clock& clock;
  const Logger log;
  Monitor<std::deque<Task>> queue;
  std::vector<std::jthread> threads;  // last: they end before the rest goes
};

WorkerPool::WorkerPool(Options options, Clock& clock, Logger log)
    : impl_(std::make_unique<Impl>(std::move(options), clock, std::move(log))) {
  for (std::size_t i = 0; i < impl_->options.threads; ++i) {
    impl_->threads.emplace_back([impl = impl_.get()](const std::stop_token& stop) { impl->work(stop); });
    const std::string name = fmt::format("{}-{}", impl_->options.name, i).substr(0, 15);  // all that Linux takes
    pthread_setname_np(impl_->threads.back().native_handle(), name.c_str());
  }
}

WorkerPool::~WorkerPool() {
  for (std::jthread& thread : impl_->threads) thread.request_stop();
}

bool WorkerPool::submit(Task task) {
  return impl_->queue.update([&](std::deque<Task>& tasks) {
    if (tasks.size() >= impl_->options.queue) return false;
    tasks.push_back(std::move(task));
    return true;
  });
}

void WorkerPool::resume(Task task) {
  impl_->queue.update([&](std::deque<Task>& tasks) { tasks.push_back(std::move(task)); });
}

Handler on_workers(WorkerPool& pool, BlockingHandler handler) {
  const auto shared = std::make_shared<const BlockingHandler>(std::move(handler));
  return [&pool, shared](Request request, std::shared_ptr<Responder> responder) {
    // A task must be copyable.
    const auto held = std::make_shared<Request>(std::move(request));
    const bool taken = pool.submit([shared, held, responder](const std::stop_token& stop) {
      if (responder->closed()) return;
      try {
        (*shared)(std::move(*held), responder, stop);
      } catch (...) {
        responder->send(error_answer(500, "internal error"));
        responder->abort(Error(Code::kInternal, "the handler threw"));  // only an answer that had begun already is cut
        throw;                                                          // for the pool to log
      }
    });
    if (!taken) {
      Response busy = error_answer(503, "too many requests are waiting: try again in a moment");
      busy.headers.add("Retry-After", "1");
      responder->send(std::move(busy));
    }
  };
}

}  // namespace landfall::http
