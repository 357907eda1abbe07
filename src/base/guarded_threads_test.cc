#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <thread>
#include <vector>

#include "base/guarded.h"
#include "base/manual_clock.h"

namespace landfall {
namespace {

using std::chrono::seconds;

constexpr int kThreads = 4;
constexpr int kEntries = 2000;

TEST(Guarded, LosesNoChangeOfManyThreads) {
  Guarded<int> count(0);
  {
    std::vector<std::jthread> threads;
    threads.reserve(kThreads);
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        for (int n = 0; n < 1000; ++n) {
          count.with([](int& value) { ++value; });
        }
      });
    }
  }
  EXPECT_EQ(count.copy(), kThreads * 1000);
}

TEST(Monitor, AnUpdateWakesTheWaiter) {
  Monitor<int> value(0);
  bool seen = false;
  std::jthread waiter([&](const std::stop_token& stop) {
    seen = value.wait_until(system_clock(), stop, kNever, [](int v) { return v == 2; });
  });
  value.update([](int& v) { v = 1; });
  value.update([](int& v) { v = 2; });
  waiter.join();
  EXPECT_TRUE(seen);
}

TEST(Monitor, AWaitEndsAtItsDeadline) {
  ManualClock clock;
  Monitor<bool> ready(false);
  bool seen = true;
  std::jthread waiter([&](const std::stop_token& stop) {
    seen = ready.wait_until(clock, stop, clock.now() + seconds(5), [](bool r) { return r; });
  });
  clock.await_waiters(1);
  clock.advance(seconds(5));
  waiter.join();
  EXPECT_FALSE(seen);
}

TEST(Monitor, AWaitEndsWhenItIsStopped) {
  Monitor<bool> ready(false);
  bool seen = true;
  std::jthread waiter([&](const std::stop_token& stop) {
    seen = ready.wait_until(system_clock(), stop, kNever, [](bool r) { return r; });
  });
  waiter.request_stop();
  waiter.join();
  EXPECT_FALSE(seen);
}

TEST(Monitor, HandsEachEntryOfAQueueToOneThread) {
  Monitor<std::deque<int>> queue;
  Guarded<std::vector<int>> taken;
  {
    std::vector<std::jthread> workers;
    workers.reserve(kThreads);
    for (int i = 0; i < kThreads; ++i) {
      workers.emplace_back([&](const std::stop_token& stop) {
        int entry = 0;
        const auto has_entry = [](const std::deque<int>& entries) { return !entries.empty(); };
        const auto take = [&](std::deque<int>& entries) {
          entry = entries.front();
          entries.pop_front();
        };
        while (queue.wait_then(system_clock(), stop, kNever, has_entry, take)) {
          taken.with([&](std::vector<int>& all) { all.push_back(entry); });
        }
      });
    }
    for (int i = 0; i < kEntries; ++i) {
      queue.update([&](std::deque<int>& entries) { entries.push_back(i); });
    }
    std::stop_source never;
    queue.wait_until(system_clock(), never.get_token(), kNever,
                     [](const std::deque<int>& entries) { return entries.empty(); });
  }
  std::vector<int> sorted = taken.copy();
  std::ranges::sort(sorted);
  ASSERT_EQ(sorted.size(), kEntries);
  EXPECT_EQ(sorted.front(), 0);
  EXPECT_EQ(sorted.back(), kEntries - 1);
  EXPECT_EQ(std::ranges::adjacent_find(sorted), sorted.end());
}

}  // namespace
}  // namespace landfall
