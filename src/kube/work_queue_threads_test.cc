#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

#include "kube/work_queue.h"

namespace landfall::kube {
namespace {

// Workers and adders at once: no name is worked on by two, and no addition is lost.
TEST(WorkQueueThreads, NoNameIsWorkedOnTwiceAtOnceAndNoneIsLost) {
  constexpr int kNames = 20;
  constexpr int kRounds = 300;
  SeededRandom random(1);
  WorkQueue queue(system_clock(), random,
                  {.first = std::chrono::microseconds(50), .cap = std::chrono::milliseconds(1)});
  struct Name {
    std::atomic<int> wanted = 0;
    std::atomic<int> seen = 0;
    std::atomic<int> working = 0;
    std::atomic<int> failures = 5;  // the first looks fail and have to come again
  };
  std::array<Name, kNames> names;
  std::stop_source stop;
  std::vector<std::jthread> workers;
  std::atomic<bool> overlapped = false;
  for (int w = 0; w < 4; ++w) {
    workers.emplace_back([&] {
      while (const auto key = queue.get(stop.get_token())) {
        Name& name = names.at(std::stoul(key->name));
        overlapped = overlapped || name.working++ != 0;
        const int wanted = name.wanted;
        --name.working;
        if (name.failures > 0) {
          --name.failures;
          queue.done(*key);
          queue.add_failed(*key);
          continue;
        }
        name.seen = wanted;
        queue.done(*key);
      }
    });
  }
  {
    std::vector<std::jthread> adders;
    for (int a = 0; a < 3; ++a) {
      adders.emplace_back([&, a] {
        for (int i = 0; i < kRounds; ++i) {
          const auto n = static_cast<std::size_t>((i * 7 + a) % kNames);
          ++names.at(n).wanted;
          const WorkQueue::Key key{"", std::to_string(n)};
          if (i % 2 == 0) {
            queue.add(key);
          } else {
            queue.add_after(key, std::chrono::microseconds(i));
          }
        }
      });
    }
  }
  const SteadyTime deadline = system_clock().after(std::chrono::seconds(60));
  const auto settled = [&] {
    return std::ranges::all_of(names, [](const Name& name) { return name.seen == name.wanted; });
  };
  while (!settled() && system_clock().now() < deadline) {
    system_clock().sleep_for(std::chrono::milliseconds(1), {});
  }
  stop.request_stop();
  workers.clear();
  EXPECT_TRUE(settled());
  EXPECT_FALSE(overlapped);
}

}  // namespace
}  // namespace landfall::kube
