#include "operation/parallel.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/guarded.h"

namespace landfall::operation {

Status for_each_in_parallel(std::size_t count, int workers, const std::stop_token& stop,
                            const std::function<Status(std::size_t, const std::stop_token&)>& work) {
  std::stop_source inner;
  const std::stop_callback forward(stop, [&inner] { inner.request_stop(); });
  std::atomic<std::size_t> next = 0;
  Guarded<std::optional<Error>> first_error;
  const auto run = [&] {
    while (!inner.stop_requested()) {
      const std::size_t index = next.fetch_add(1);
      if (index >= count) return;
      Status status = work(index, inner.get_token());
      if (status) continue;
      first_error.with([&](std::optional<Error>& error) {
        if (!error) error = std::move(status).error();
      });
      inner.request_stop();
    }
  };
  {
    std::vector<std::jthread> threads;
    const std::size_t wanted = std::clamp<std::size_t>(workers < 1 ? 1 : static_cast<std::size_t>(workers), 1, 64);
    for (std::size_t i = 1; i < std::min(wanted, count); ++i) threads.emplace_back(run);
    run();
  }
  if (stop.stop_requested()) return fail(Code::kCancelled, "stopped");
  if (auto error = first_error.copy()) return tl::unexpected<Error>(*std::move(error));
  return {};
}

}  // namespace landfall::operation
