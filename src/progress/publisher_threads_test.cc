#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "base/manual_clock.h"
#include "progress/publisher.h"
#include "progress/recorder.h"

namespace landfall::progress {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Heard = Recorder<int>::Heard;

class LogLines : public LogSink {
 public:
  void write(const LogEntry& entry) override {
    lines_.with([&](std::vector<std::string>& lines) { lines.push_back(entry.message); });
  }
  std::vector<std::string> lines() const { return lines_.copy(); }

 private:
  Guarded<std::vector<std::string>> lines_;
};

Status until_stopped(const std::stop_token& stop) {
  system_clock().sleep_for(30s, stop);
  return fail(Code::kCancelled, "stopped");
}

struct PublisherTest : testing::Test {
  // A second passes, as seen by `threads` subscribers that wait.
  void pass(Duration duration, int threads = 1) {
    clock.await_waiters(threads);
    clock.advance(duration);
  }

  ManualClock clock;
  const SteadyTime start = clock.now();
  std::shared_ptr<LogLines> log = std::make_shared<LogLines>();
  Logger logger{clock, log};
  Recorder<int> recorder{clock};
  Recorder<int> other{clock};
};

TEST_F(PublisherTest, SendsTheFirstValueAtOnce) {
  Publisher<int> publisher(clock, logger);
  publisher.subscribe("resource", recorder.subscriber());
  clock.await_waiters(1);
  publisher.publish(1);
  ASSERT_TRUE(recorder.await(1));
  EXPECT_THAT(recorder.heard(), ElementsAre(Heard{start, 1}));
}

TEST_F(PublisherTest, SendsOnlyTheNewestValueAndOnlyOnceASecond) {
  Publisher<int> publisher(clock, logger);
  publisher.subscribe("resource", recorder.subscriber());
  publisher.publish(1);
  ASSERT_TRUE(recorder.await(1));
  publisher.publish(2);
  publisher.publish(3);
  pass(1s);
  ASSERT_TRUE(recorder.await(2));
  EXPECT_THAT(recorder.heard(), ElementsAre(Heard{start, 1}, Heard{start + 1s, 3}));
}

TEST_F(PublisherTest, SendsAtOnceAgainAfterARest) {
  Publisher<int> publisher(clock, logger);
  publisher.subscribe("resource", recorder.subscriber());
  publisher.publish(1);
  ASSERT_TRUE(recorder.await(1));
  pass(5s);
  publisher.publish(2);
  ASSERT_TRUE(recorder.await(2));
  EXPECT_THAT(recorder.heard(), ElementsAre(Heard{start, 1}, Heard{start + 5s, 2}));
}

TEST_F(PublisherTest, KeepsEachSubscribersOwnInterval) {
  Publisher<int> publisher(clock, logger);
  publisher.subscribe("terminal", recorder.subscriber(), 100ms);
  publisher.subscribe("resource", other.subscriber());
  publisher.publish(1);
  ASSERT_TRUE(recorder.await(1) && other.await(1));
  publisher.publish(2);
  pass(100ms, 2);
  ASSERT_TRUE(recorder.await(2));
  pass(900ms, 2);
  ASSERT_TRUE(other.await(2));
  EXPECT_THAT(recorder.heard(), ElementsAre(Heard{start, 1}, Heard{start + 100ms, 2}));
  EXPECT_THAT(other.heard(), ElementsAre(Heard{start, 1}, Heard{start + 1s, 2}));
}

TEST_F(PublisherTest, DoesNotRepeatWhatHasNotChangedOrHasChangedBack) {
  Publisher<int> publisher(clock, logger);
  publisher.subscribe("resource", recorder.subscriber());
  publisher.publish(1);
  ASSERT_TRUE(recorder.await(1));
  publisher.publish(1);
  publisher.publish(2);
  publisher.publish(1);
  pass(1s);
  EXPECT_TRUE(publisher.close(kNever, {}));
  EXPECT_THAT(recorder.values(), ElementsAre(1));
}

TEST_F(PublisherTest, GivesTheNewestValueToWhoComesLate) {
  Publisher<int> publisher(clock, logger);
  publisher.publish(1);
  publisher.publish(2);
  publisher.subscribe("web", recorder.subscriber());
  ASSERT_TRUE(recorder.await(1));
  EXPECT_THAT(recorder.values(), ElementsAre(2));
}

TEST_F(PublisherTest, RetriesAFailedDeliveryAnIntervalLaterWithTheNewestValue) {
  std::atomic<int> failures = 2;
  recorder.then([&](int, const std::stop_token&) -> Status {
    return failures-- > 0 ? Status(fail(Code::kUnavailable, "the API server is away")) : Status();
  });
  Publisher<int> publisher(clock, logger);
  publisher.subscribe("resource", recorder.subscriber());
  publisher.publish(1);
  ASSERT_TRUE(recorder.await(1));
  publisher.publish(2);
  pass(1s);
  ASSERT_TRUE(recorder.await(2));
  publisher.publish(3);
  pass(1s);
  ASSERT_TRUE(recorder.await(3));
  EXPECT_TRUE(publisher.close(kNever, {}));

  EXPECT_THAT(recorder.heard(), ElementsAre(Heard{start, 1}, Heard{start + 1s, 2}, Heard{start + 2s, 3}));
  EXPECT_THAT(log->lines(), ElementsAre(HasSubstr("could not be published"), HasSubstr("published again")));
}

TEST_F(PublisherTest, RepeatsTheValueBeforeAFailureBecauseTheFailedOneMayHaveTakenEffect) {
  recorder.then([&](int value, const std::stop_token&) -> Status {
    return value == 2 ? Status(fail(Code::kTimeout, "no answer")) : Status();
  });
  Publisher<int> publisher(clock, logger);
  publisher.subscribe("resource", recorder.subscriber());
  publisher.publish(1);
  ASSERT_TRUE(recorder.await(1));
  publisher.publish(2);
  pass(1s);
  ASSERT_TRUE(recorder.await(2));
  publisher.publish(1);
  pass(1s);
  ASSERT_TRUE(recorder.await(3));
  EXPECT_THAT(recorder.values(), ElementsAre(1, 2, 1));
}

TEST_F(PublisherTest, SendsTheLastValueAtCloseWithoutWaitingForTheInterval) {
  Publisher<int> publisher(clock, logger);
  publisher.subscribe("resource", recorder.subscriber());
  publisher.subscribe("metrics", other.subscriber(), 1h);
  publisher.publish(1);
  ASSERT_TRUE(recorder.await(1) && other.await(1));
  publisher.publish(2);
  publisher.publish(3);
  EXPECT_TRUE(publisher.close(kNever, {}));
  publisher.publish(4);
  EXPECT_TRUE(publisher.close(kNever, {}));
  EXPECT_THAT(recorder.values(), ElementsAre(1, 3));
  EXPECT_THAT(other.values(), ElementsAre(1, 3));
}

TEST_F(PublisherTest, ClosesQuietlyWhenNothingWasPublished) {
  Publisher<int> publisher(clock, logger);
  publisher.subscribe("resource", recorder.subscriber());
  EXPECT_TRUE(publisher.close(kNever, {}));
  EXPECT_THAT(recorder.values(), IsEmpty());
}

TEST_F(PublisherTest, TriesTheLastValueAgainUntilTheDeadline) {
  std::atomic<int> failures = 3;
  recorder.then([&](int, const std::stop_token&) -> Status {
    return failures-- > 0 ? Status(fail(Code::kUnavailable, "the API server is away")) : Status();
  });
  Publisher<int> publisher(clock, logger);
  publisher.subscribe("resource", recorder.subscriber());
  publisher.publish(1);
  ASSERT_TRUE(recorder.await(1));
  publisher.publish(2);
  Monitor<std::optional<Status>> closed;
  const std::jthread closer([&] {
    Status status = publisher.close(clock.after(10s), {});
    closed.update([&](std::optional<Status>& result) { result = std::move(status); });
  });
  for (std::size_t tries = 2; tries <= 4; ++tries) {
    pass(1s, 2);
    ASSERT_TRUE(recorder.await(tries));
  }
  ASSERT_TRUE(closed.wait_until(system_clock(), {}, system_clock().after(30s), [](const auto& is) { return !!is; }));
  EXPECT_TRUE(*closed.copy());
  EXPECT_THAT(recorder.values(), ElementsAre(1, 2, 2, 2));
}

TEST_F(PublisherTest, NamesAtTheDeadlineWhoDidNotGetTheLastValue) {
  recorder.then([](int, const std::stop_token& stop) { return until_stopped(stop); });
  Publisher<int> publisher(clock, logger);
  publisher.subscribe("web page", recorder.subscriber());
  publisher.subscribe("resource", other.subscriber());
  publisher.publish(1);
  ASSERT_TRUE(recorder.await(1) && other.await(1));
  publisher.publish(2);
  EXPECT_TRUE(other.heard().size() == 1);

  const Status status = publisher.close(clock.now(), {});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), Code::kTimeout);
  EXPECT_THAT(status.error().message(), HasSubstr("web page"));
}

TEST_F(PublisherTest, StopsWaitingWhenItIsToldTo) {
  recorder.then([](int, const std::stop_token& stop) { return until_stopped(stop); });
  Publisher<int> publisher(clock, logger);
  publisher.subscribe("web page", recorder.subscriber());
  publisher.publish(1);
  ASSERT_TRUE(recorder.await(1));
  std::stop_source stop;
  stop.request_stop();
  const Status status = publisher.flush(kNever, stop.get_token());
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), Code::kCancelled);
}

TEST_F(PublisherTest, LetsAHangingSubscriberHoldUpNobody) {
  recorder.then([](int, const std::stop_token& stop) { return until_stopped(stop); });
  Publisher<int> publisher(clock, logger);
  publisher.subscribe("web page", recorder.subscriber());
  publisher.subscribe("resource", other.subscriber());
  publisher.publish(1);
  ASSERT_TRUE(recorder.await(1) && other.await(1));
  for (int value = 2; value <= 4; ++value) {
    publisher.publish(value);
    pass(1s);
    ASSERT_TRUE(other.await(static_cast<std::size_t>(value)));
  }
  EXPECT_THAT(other.values(), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(recorder.values(), ElementsAre(1));
}

TEST_F(PublisherTest, FlushesAndGoesOn) {
  Publisher<int> publisher(clock, logger);
  publisher.subscribe("resource", recorder.subscriber());
  publisher.publish(1);
  ASSERT_TRUE(recorder.await(1));
  publisher.publish(2);
  EXPECT_TRUE(publisher.flush(kNever, {}));
  EXPECT_THAT(recorder.values(), ElementsAre(1, 2));

  publisher.publish(3);
  pass(1s);
  ASSERT_TRUE(recorder.await(3));
  EXPECT_EQ(recorder.heard().back(), (Heard{start + 1s, 3}));
}

TEST_F(PublisherTest, TakesSamplesFromTheFirstRefreshOn) {
  std::atomic<int> count = 0;
  Publisher<int> publisher(clock, logger, [&] { return count.load(); });
  publisher.subscribe("resource", recorder.subscriber());
  pass(5s);
  clock.await_waiters(1);
  EXPECT_THAT(recorder.values(), IsEmpty());

  publisher.refresh();
  ASSERT_TRUE(recorder.await(1));
  pass(1s);  // nothing has changed
  count = 7;
  pass(1s);
  ASSERT_TRUE(recorder.await(2));
  EXPECT_EQ(recorder.heard().front(), (Heard{start + 5s, 0}));
  EXPECT_EQ(recorder.heard().back().value, 7);
}

TEST_F(PublisherTest, SamplesThatChangeWithTimeAloneGetThroughOnceASecond) {
  Publisher<int> publisher(clock, logger, [&] { return static_cast<int>((clock.now() - start) / 1ms); });
  publisher.subscribe("resource", recorder.subscriber());
  publisher.refresh();
  ASSERT_TRUE(recorder.await(1));
  for (std::size_t seconds = 1; seconds <= 3; ++seconds) {
    pass(1s);
    ASSERT_TRUE(recorder.await(seconds + 1));
  }
  EXPECT_THAT(recorder.values(), ElementsAre(0, 1000, 2000, 3000));
}

TEST_F(PublisherTest, SampledCloseSendsTheStateAtClose) {
  std::atomic<int> count = 1;
  Publisher<int> publisher(clock, logger, [&] { return count.load(); });
  publisher.subscribe("resource", recorder.subscriber());
  publisher.refresh();
  ASSERT_TRUE(recorder.await(1));
  count = 2;
  EXPECT_TRUE(publisher.close(kNever, {}));
  EXPECT_THAT(recorder.values(), ElementsAre(1, 2));
}

TEST_F(PublisherTest, DropsWhatIsLeftWhenItIsDestroyedWithoutClose) {
  {
    Publisher<int> publisher(clock, logger);
    publisher.subscribe("resource", recorder.subscriber());
    publisher.publish(1);
    ASSERT_TRUE(recorder.await(1));
    publisher.publish(2);
  }
  EXPECT_THAT(recorder.values(), ElementsAre(1));
}

// Publishes 1, 2, 3 … in between random pauses to a subscriber that fails at random.
RC_GTEST_PROP(Publisher, DeliversAnOrderedPartOfWhatWasPublishedThatEndsWithTheLast, ()) {
  const auto pauses = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 1500));
  const auto failing = *rc::gen::container<std::set<std::size_t>>(rc::gen::inRange<std::size_t>(0, 10));
  ManualClock clock;
  const SteadyTime start = clock.now();
  Recorder<int> recorder(clock);
  Guarded<std::vector<int>> taken;
  std::size_t deliveries = 0;  // touched by the one subscriber only
  recorder.then([&](int value, const std::stop_token&) -> Status {
    if (failing.contains(deliveries++)) {
      return fail(Code::kUnavailable, "away");
    }
    taken.with([&](std::vector<int>& all) { all.push_back(value); });
    return {};
  });
  Publisher<int> publisher(clock, Logger());
  publisher.subscribe("resource", recorder.subscriber());
  int last = 0;
  for (const int pause : pauses) {
    publisher.publish(++last);
    clock.advance(std::chrono::milliseconds(pause));
  }
  const auto before_close = std::ssize(recorder.heard());
  RC_ASSERT(before_close <= 1 + (clock.now() - start) / 1s);
  std::jthread time([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      clock.advance(1s);  // lets a delivery that failed be tried again
      std::this_thread::yield();
    }
  });
  RC_ASSERT(publisher.close(kNever, {}).has_value());
  time.request_stop();

  const auto values = taken.copy();
  RC_ASSERT(std::ranges::adjacent_find(values, std::greater_equal<>()) == values.end());
  RC_ASSERT((values.empty() ? 0 : values.back()) == last);
}

TEST(PublisherThreads, ManyWorkersASlowAndAFailingSubscriberAndCloseInTheMiddle) {
  Clock& clock = system_clock();
  std::atomic<int> count = 0;
  Recorder<int> quick(clock);
  Recorder<int> slow(clock);
  Recorder<int> failing(clock);
  slow.then([&](int, const std::stop_token& stop) -> Status {
    clock.sleep_for(20ms, stop);
    return {};
  });
  std::atomic<int> tries = 0;
  failing.then([&](int, const std::stop_token&) -> Status {
    return ++tries % 3 != 0 ? Status(fail(Code::kUnavailable, "away")) : Status();
  });
  Publisher<int> publisher(clock, Logger(), [&] { return count.load(); });
  publisher.subscribe("quick", quick.subscriber(), 1ms);
  publisher.subscribe("slow", slow.subscriber(), 1ms);
  publisher.subscribe("failing", failing.subscriber(), 1ms);
  publisher.refresh();
  {
    std::vector<std::jthread> workers;
    workers.reserve(8);
    for (int i = 0; i < 8; ++i) {
      workers.emplace_back([&](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
          if (++count % 1000 == 0) {
            publisher.refresh();
          }
        }
      });
    }
    ASSERT_TRUE(slow.await(3));
    ASSERT_TRUE(quick.await(10));
    ASSERT_TRUE(publisher.flush(clock.after(30s), {}));
    ASSERT_TRUE(publisher.close(clock.after(30s), {}));
  }
  std::vector<int> lasts;
  for (const auto* recorder : {&quick, &slow, &failing}) {
    const auto values = recorder->values();
    EXPECT_TRUE(std::ranges::is_sorted(values));
    lasts.push_back(values.back());
  }
  EXPECT_THAT(lasts, ::testing::Each(lasts.front()));
}

TEST(PublisherThreads, PublishingFromManyThreadsWhileClosingEndsWithOneLastValueForAll) {
  for (int round = 0; round < 20; ++round) {
    Clock& clock = system_clock();
    Recorder<int> a(clock);
    Recorder<int> b(clock);
    std::atomic<int> next = 0;
    Publisher<int> publisher(clock, Logger());
    publisher.subscribe("a", a.subscriber(), 1ms);
    publisher.subscribe("b", b.subscriber(), 2ms);
    {
      std::vector<std::jthread> workers;
      workers.reserve(4);
      for (int i = 0; i < 4; ++i) {
        workers.emplace_back([&](const std::stop_token& stop) {
          while (!stop.stop_requested()) {
            publisher.publish(++next);
          }
        });
      }
      ASSERT_TRUE(a.await(2) && b.await(2));
      ASSERT_TRUE(publisher.close(clock.after(30s), {}));
    }
    EXPECT_EQ(a.values().back(), b.values().back());
  }
}

}  // namespace
}  // namespace landfall::progress
