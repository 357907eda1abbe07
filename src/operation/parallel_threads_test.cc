#include <gtest/gtest.h>

#include <atomic>
#include <chrono>

#include "base/clock.h"
#include "operation/parallel.h"

namespace landfall::operation {
namespace {

TEST(Parallel, DoesEachOnce) {
  std::vector<std::atomic<int>> done(500);
  ASSERT_TRUE(for_each_in_parallel(done.size(), 4, {}, [&](std::size_t index, const std::stop_token&) -> Status {
    ++done[index];
    return {};
  }));
  for (const auto& one : done) EXPECT_EQ(one, 1);
}

TEST(Parallel, EndsWithTheFirstError) {
  std::atomic<int> begun = 0;
  const Status status =
      for_each_in_parallel(1000, 4, {}, [&](std::size_t index, const std::stop_token& stop) -> Status {
        ++begun;
        if (index == 3) return fail(Code::kInvalid, "the fourth");
        system_clock().sleep_for(std::chrono::seconds(60), stop);
        return {};
      });
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message(), "the fourth");
  EXPECT_LE(begun, 8);
}

TEST(Parallel, AStopEndsItAndIsAnError) {
  std::stop_source source;
  const Status status =
      for_each_in_parallel(1000, 2, source.get_token(), [&](std::size_t, const std::stop_token&) -> Status {
        source.request_stop();
        return {};
      });
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), Code::kCancelled);
}

}  // namespace
}  // namespace landfall::operation
