// Asio has memory fences beside its locks; g++'s ThreadSanitizer knows the locks only, and warns of the fences.
#if defined(__SANITIZE_THREAD__)
#pragma GCC diagnostic ignored "-Wtsan"
#endif

#include "http/io_loop.h"

#include <pthread.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <exception>
#include <optional>
#include <thread>
#include <utility>

namespace landfall::http {

namespace asio = boost::asio;

struct IoLoop::Impl {
  explicit Impl(Logger logger) : log(std::move(logger)) {}

  // A task that throws ends with a line in the log; the loop and the other connections go on.
  void run() {
    while (true) {
      try {
        context.run();
        return;
      } catch (const std::exception& e) {
        log.error("an I/O callback threw", {{"error", e.what()}});
      } catch (...) {
        log.error("an I/O callback threw something that is not an exception");
      }
    }
  }

  const Logger log;
  asio::io_context context{1};  // one thread runs it; posts from others stay safe
  std::optional<asio::executor_work_guard<asio::io_context::executor_type>> work{asio::make_work_guard(context)};
  asio::steady_timer timer{context};
  std::jthread thread;
};

IoLoop::IoLoop(Logger log) : impl_(std::make_unique<Impl>(std::move(log))) {}
IoLoop::~IoLoop() = default;

void IoLoop::start(const std::string& thread_name) {
  impl_->thread = std::jthread([impl = impl_.get()] { impl->run(); });
  pthread_setname_np(impl_->thread.native_handle(), thread_name.substr(0, 15).c_str());  // all that Linux takes
}

void IoLoop::finish() {
  impl_->work.reset();
  if (impl_->thread.joinable()) impl_->thread.join();
}

void IoLoop::post(std::function<void()> task) { asio::post(impl_->context, std::move(task)); }

void IoLoop::after(std::chrono::milliseconds delay, std::function<void()> task) {
  impl_->timer.expires_after(delay);
  impl_->timer.async_wait([task = std::move(task)](const boost::system::error_code& error) {
    if (!error) task();
  });
}

void IoLoop::cancel_timer() { impl_->timer.cancel(); }

boost::asio::io_context& IoLoop::context() { return impl_->context; }

}  // namespace landfall::http
