#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/manual_clock.h"
#include "progress/contract_check.h"
#include "progress/item_reporter.h"
#include "progress/recorder.h"

namespace landfall::progress {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals

// "pods shop/web-N", with the text that the ID borrows.
struct Pod {
  explicit Pod(int n) : name("web-" + std::to_string(n)) {}
  ItemId id() const { return {.kind = "pods", .ns = "shop", .name = name}; }
  std::string name;
};

struct ItemReporterTest : testing::Test {
  void plan(int count) {
    for (int i = 0; i < count; ++i) {
      reporter.planned(Pod(i).id());
    }
    reporter.collected();
    reporter.step(ItemStep::kRestoringItems);
  }
  // Does so many items a second, with a snapshot after each second as subscribers cause them.
  void work(int seconds, int per_second) {
    for (int second = 0; second < seconds; ++second) {
      clock.advance(1s);
      for (int i = 0; i < per_second; ++i) {
        reporter.done(Pod(next++).id(), Outcome::kCreated);
      }
      reporter.snapshot();
    }
  }

  ManualClock clock;
  ItemReporter reporter{clock, Logger()};
  int next = 0;
};

TEST_F(ItemReporterTest, PublishesCollectingWithTheItemsInTheBackupFirst) {
  Recorder<ItemProgress> recorder(clock);
  ItemReporter own(clock, Logger());
  own.subscribe("resource", recorder.subscriber());
  own.seen(Pod(1).id());
  own.seen(Pod(2).id());
  own.start();
  ASSERT_TRUE(recorder.await(1));

  const ItemProgress first = recorder.values().front();
  EXPECT_EQ(first.step, ItemStep::kCollecting);
  EXPECT_EQ(first.items.in_backup, 2);
  EXPECT_EQ(first.items.total, std::nullopt);
}

TEST_F(ItemReporterTest, PublishesNothingWhileAResumedRestoreReplaysItsJournal) {
  Recorder<ItemProgress> recorder(clock);
  ItemReporter own(clock, Logger());
  own.planned(Pod(1).id());
  own.planned(Pod(2).id());
  own.collected();
  own.step(ItemStep::kRestoringItems);
  own.done(Pod(1).id(), Outcome::kCreated);
  own.subscribe("resource", recorder.subscriber());
  clock.await_waiters(1);  // whatever there was to hear has been heard
  EXPECT_TRUE(recorder.values().empty());

  own.start();
  ASSERT_TRUE(recorder.await(1));
  EXPECT_EQ(recorder.values().front().items.done, 1);
  EXPECT_EQ(recorder.values().front().items.total, 2);
}

TEST_F(ItemReporterTest, TellsTheRateAndWhenItWillBeThrough) {
  plan(1000);
  reporter.start();
  work(10, 5);

  const ItemProgress now = reporter.snapshot();
  EXPECT_EQ(now.items_per_minute, 300);
  EXPECT_EQ(now.estimated_completion, clock.wall_now() + 190s);
  EXPECT_EQ(now.stalled, std::nullopt);
}

TEST_F(ItemReporterTest, DoesNotCountReplayedItemsIntoTheRate) {
  plan(1000);
  while (next < 500) {
    reporter.done(Pod(next++).id(), Outcome::kCreated);
  }
  reporter.start();
  work(10, 5);
  EXPECT_EQ(reporter.snapshot().items_per_minute, 300);
}

TEST_F(ItemReporterTest, HasNoRateWhereItemsAreNotWhatIsBeingDone) {
  plan(1000);
  reporter.start();
  work(10, 5);
  reporter.step(ItemStep::kRestoringVolumes);
  work(10, 5);
  EXPECT_EQ(reporter.snapshot().items_per_minute, std::nullopt);
  EXPECT_EQ(reporter.snapshot().estimated_completion, std::nullopt);
}

TEST_F(ItemReporterTest, ShowsWhatIsInFlight) {
  plan(3);
  EXPECT_EQ(reporter.snapshot().current, "");
  reporter.started(Pod(0).id());
  EXPECT_EQ(reporter.snapshot().current, "pods shop/web-0");
  reporter.started(Pod(1).id());
  reporter.started(Pod(2).id());
  EXPECT_EQ(reporter.snapshot().current, "pods shop/web-2 and 2 more");
  reporter.done(Pod(2).id(), Outcome::kCreated);
  reporter.given_up(Pod(0).id());
  EXPECT_EQ(reporter.snapshot().current, "pods shop/web-1");
  reporter.doing("waiting for the namespace to end");
  EXPECT_EQ(reporter.snapshot().current, "waiting for the namespace to end");
  reporter.step(ItemStep::kFinalizing);
  EXPECT_EQ(reporter.snapshot().current, "pods shop/web-1");
}

TEST_F(ItemReporterTest, StallsOnTheItemThatHasBeenAtItLongestAndRecovers) {
  plan(1000);
  reporter.start();
  work(10, 5);
  const WallTime last = clock.wall_now();
  reporter.started(Pod(next).id());
  clock.advance(10s);
  reporter.started(Pod(next + 1).id());
  reporter.blame("throttled");
  clock.advance(20s);

  const ItemProgress stalled = reporter.snapshot();
  EXPECT_EQ(stalled.stalled, (Stall{.since = last, .reason = "throttled", .item = "pods shop/web-50"}));
  EXPECT_EQ(stalled.items_per_minute, std::nullopt);
  EXPECT_EQ(stalled.estimated_completion, std::nullopt);

  work(1, 1);
  EXPECT_EQ(reporter.snapshot().stalled, std::nullopt);
  EXPECT_EQ(reporter.snapshot().items_per_minute, std::nullopt) << "too early to tell";
  work(10, 5);
  EXPECT_EQ(reporter.snapshot().items_per_minute, 300) << "what was before the stall is forgotten";
}

TEST_F(ItemReporterTest, DoesNotTakeTheSameItemDoneAgainForProgress) {
  plan(2);
  reporter.done(Pod(0).id(), Outcome::kSkipped);
  reporter.start();
  clock.advance(29s);
  reporter.done(Pod(0).id(), Outcome::kFailed);
  clock.advance(1s);
  EXPECT_TRUE(reporter.snapshot().stalled.has_value());
  reporter.alive();
  EXPECT_FALSE(reporter.snapshot().stalled.has_value());
}

TEST_F(ItemReporterTest, IsNotStalledWhileItIsStillCollecting) {
  reporter.start();
  for (int i = 0; i < 10; ++i) {
    clock.advance(20s);
    reporter.seen(Pod(i).id());
  }
  EXPECT_EQ(reporter.snapshot().stalled, std::nullopt);
}

TEST_F(ItemReporterTest, EndsWithTheExactCountsAndNothingElse) {
  Recorder<ItemProgress> recorder(clock);
  reporter.subscribe("resource", recorder.subscriber());
  plan(1000);
  reporter.start();
  ASSERT_TRUE(recorder.await(1));
  reporter.started(Pod(0).id());
  reporter.done(Pod(1).id(), Outcome::kFailed);
  clock.advance(40s);
  ASSERT_TRUE(reporter.finish(kNever, {}));
  reporter.done(Pod(2).id(), Outcome::kCreated);

  ItemProgress expected;
  expected.step = ItemStep::kRestoringItems;
  expected.items.total = 1000;
  expected.items.in_backup = 1000;
  expected.items.done = 1;
  expected.items.outcomes.failed = 1;
  EXPECT_EQ(recorder.values().back(), expected);
}

// Eight workers restore 4,000 items, which bring 500 more that nobody planned; three subscribers listen.
TEST(ItemReporterThreads, KeepTheContractAtEveryPublishedMoment) {
  constexpr int planned = 4000;
  Clock& clock = system_clock();
  Recorder<ItemProgress> quick(clock);
  Recorder<ItemProgress> slow(clock);
  Recorder<ItemProgress> failing(clock);
  slow.then([&](const ItemProgress&, const std::stop_token& stop) -> Status {
    clock.sleep_for(10ms, stop);
    return {};
  });
  std::atomic<int> tries = 0;
  failing.then([&](const ItemProgress&, const std::stop_token&) -> Status {
    return ++tries % 2 == 0 ? Status(fail(Code::kConflict, "changed underneath")) : Status();
  });
  ItemReporter reporter(clock, Logger());
  reporter.subscribe("quick", quick.subscriber(), 1ms);
  reporter.subscribe("slow", slow.subscriber(), 1ms);
  reporter.subscribe("failing", failing.subscriber(), 1ms);
  reporter.start();
  for (int i = 0; i < planned; ++i) {
    reporter.planned(Pod(i).id());
  }
  reporter.collected();
  reporter.step(ItemStep::kRestoringItems);
  {
    std::atomic<int> next = 0;
    std::vector<std::jthread> workers;
    workers.reserve(8);
    for (int worker = 0; worker < 8; ++worker) {
      workers.emplace_back([&] {
        for (int i = next++; i < planned; i = next++) {
          const Pod pod(i);
          reporter.started(pod.id());
          const std::string secret = "token-" + std::to_string(i % 500);
          const ItemId extra = {.kind = "secrets", .ns = "shop", .name = secret};
          reporter.added(extra);
          reporter.done(extra, i % 3 == 0 ? Outcome::kUnchanged : Outcome::kUpdated);
          reporter.done(pod.id(), Outcome::kCreated);
        }
      });
    }
  }
  ASSERT_TRUE(reporter.finish(clock.after(30s), {}));

  const OutcomeCounts outcomes = {.created = planned, .updated = 500};
  for (const auto* recorder : {&quick, &slow, &failing}) {
    ContractCheck contract;
    for (const ItemProgress& progress : recorder->values()) {
      ASSERT_EQ(contract.next(progress.items), "");
    }
    const ItemCounts last = recorder->values().back().items;
    EXPECT_EQ(last.total, planned + 500);
    EXPECT_EQ(last.done, planned + 500);
    EXPECT_EQ(last.not_in_backup, 500);
    EXPECT_EQ(last.outcomes, outcomes);
  }
}

}  // namespace
}  // namespace landfall::progress
