#include "kube/work_queue.h"

#include <gtest/gtest.h>

#include "base/manual_clock.h"

namespace landfall::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

const WorkQueue::Key kA{"ns", "a"};
const WorkQueue::Key kB{"ns", "b"};

class WorkQueueTest : public testing::Test {
 protected:
  // The next name that is ready now, or an empty one.
  WorkQueue::Key next() { return queue_.size() == 0 ? WorkQueue::Key{} : queue_.get({}).value_or(WorkQueue::Key{}); }
  ManualClock clock_;
  SeededRandom random_{1};
  WorkQueue queue_{clock_, random_, {.first = milliseconds(100), .cap = seconds(1), .jitter = 0}};
};

TEST_F(WorkQueueTest, HoldsANameOnceAndInOrder) {
  queue_.add(kA);
  queue_.add(kB);
  queue_.add(kA);
  EXPECT_EQ(queue_.size(), 2U);
  EXPECT_EQ(next(), kA);
  EXPECT_EQ(next(), kB);
  EXPECT_EQ(queue_.size(), 0U);
}

TEST_F(WorkQueueTest, ANameAddedWhileItIsWorkedOnComesAgainAfterwards) {
  queue_.add(kA);
  EXPECT_EQ(next(), kA);
  queue_.add(kA);
  queue_.add(kA);
  EXPECT_EQ(queue_.size(), 0U) << "not to a second worker";
  queue_.done(kA);
  EXPECT_EQ(next(), kA);
  queue_.done(kA);
  EXPECT_EQ(queue_.size(), 0U);
}

TEST_F(WorkQueueTest, TheEarliestOfSeveralTimesCounts) {
  queue_.add_after(kA, seconds(10));
  queue_.add_after(kA, seconds(2));
  queue_.add_after(kA, seconds(5));
  clock_.advance(seconds(1));
  EXPECT_EQ(queue_.size(), 0U);
  clock_.advance(seconds(1));
  EXPECT_EQ(queue_.size(), 1U);
  EXPECT_EQ(next(), kA);
  queue_.done(kA);
  clock_.advance(seconds(20));
  EXPECT_EQ(queue_.size(), 0U);
}

TEST_F(WorkQueueTest, FailuresWaitLongerEachTimeUntilForgotten) {
  for (const int expected : {100, 200, 400, 800, 1000, 1000}) {
    queue_.add_failed(kA);
    clock_.advance(milliseconds(expected - 1));
    EXPECT_EQ(queue_.size(), 0U) << expected;
    clock_.advance(milliseconds(1));
    EXPECT_EQ(next(), kA) << expected;
    queue_.done(kA);
  }
  queue_.forget(kA);
  queue_.add_failed(kA);
  clock_.advance(milliseconds(100));
  EXPECT_EQ(queue_.size(), 1U);
}

TEST_F(WorkQueueTest, ThousandsOfFailuresDoNotOverflow) {
  for (int i = 0; i < 5000; ++i) {
    queue_.add_failed(kA);
  }
  clock_.advance(seconds(1));
  EXPECT_EQ(queue_.size(), 1U);
}

TEST_F(WorkQueueTest, AStopEndsAWait) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(queue_.get(stop.get_token()));
}

}  // namespace
}  // namespace landfall::kube
