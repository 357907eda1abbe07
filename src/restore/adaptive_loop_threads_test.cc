#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "base/guarded.h"
#include "restore/adaptive_loop.h"

namespace landfall::restore {
namespace {

AdaptiveLoop::Options quick(int first, int most) {
  return {.first = first, .step = 4, .most = most, .look_every = std::chrono::milliseconds(20)};
}

TEST(AdaptiveLoop, DoesEachNumberOnce) {
  AdaptiveLoop loop(system_clock(), quick(4, 16));
  std::vector<std::atomic<int>> seen(5000);

  ASSERT_TRUE(loop.run(seen.size(), {}, [&](std::size_t i) -> Status {
    ++seen[i];
    return {};
  }));

  for (const auto& one : seen) EXPECT_EQ(one, 1);
}

TEST(AdaptiveLoop, TakesMoreWorkersWhereTheyWaitForAServerFarAway) {
  AdaptiveLoop loop(system_clock(), quick(2, 32));

  ASSERT_TRUE(loop.run(1500, {}, [&](std::size_t) -> Status {
    system_clock().sleep_for(std::chrono::milliseconds(4), {});
    return {};
  }));

  EXPECT_GT(loop.workers(), 2);
}

TEST(AdaptiveLoop, TakesNoMoreThanHelpWhereTheServerDoesOneAtATime) {
  AdaptiveLoop loop(system_clock(), quick(4, 64));
  Guarded<int> server;

  ASSERT_TRUE(loop.run(400, {}, [&](std::size_t) -> Status {
    server.with([](int&) { system_clock().sleep_for(std::chrono::milliseconds(1), {}); });
    return {};
  }));

  EXPECT_LT(loop.workers(), 32);
}

TEST(AdaptiveLoop, TheFirstErrorEndsIt) {
  AdaptiveLoop loop(system_clock(), quick(4, 8));
  std::atomic<int> begun = 0;

  const Status done = loop.run(1'000'000, {}, [&](std::size_t i) -> Status {
    ++begun;
    return i == 10 ? Status(fail(Code::kInvalid, "ten")) : Status();
  });

  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message(), "ten");
  EXPECT_LT(begun, 1'000'000);
}

TEST(AdaptiveLoop, AStopEndsItAndIsSaid) {
  AdaptiveLoop loop(system_clock(), quick(4, 8));
  std::stop_source stop;

  const Status done = loop.run(1'000'000, stop.get_token(), [&](std::size_t i) -> Status {
    if (i == 100) stop.request_stop();
    return {};
  });

  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code(), Code::kCancelled);
}

TEST(AdaptiveLoop, NothingToDoIsDone) {
  AdaptiveLoop loop(system_clock(), quick(4, 8));
  EXPECT_TRUE(loop.run(0, {}, [](std::size_t) -> Status { return {}; }));
}

}  // namespace
}  // namespace landfall::restore
