#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/manual_clock.h"
#include "operation/journal.h"
#include "operation/memory_records.h"
#include "operation/test_records.h"

namespace landfall::operation {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int kWriters = 16;

class JournalThreads : public testing::Test {
 protected:
  std::unique_ptr<Journal> open(RecordStore& store, Clock& clock, const Journal::Options& options = {}) {
    auto journal = Journal::open(store, options, clock, random_, Logger(), {});
    EXPECT_TRUE(journal) << journal.error().message();
    return *std::move(journal);
  }
  template <class F>
  static std::vector<std::jthread> writers(const F& f) {
    std::vector<std::jthread> threads;
    threads.reserve(kWriters);
    for (int i = 0; i < kWriters; ++i) threads.emplace_back([i, f] { f(i); });
    return threads;
  }

  SeededRandom random_{1};
  MemoryRecords memory_;
};

TEST_F(JournalThreads, AllThatWaitAtATimeShareOneWrite) {
  testkit::Gate gate;
  TestRecords store(memory_, {.gate = &gate});
  ManualClock clock;
  const auto journal = open(store, clock);
  journal->add("first");
  const SteadyTime deadline = clock.after(std::chrono::hours(1));
  {
    const std::jthread first([&] { EXPECT_TRUE(journal->flush(deadline, {})); });
    ASSERT_TRUE(store.await_puts(1));
    const auto threads = writers([&](int writer) {
      journal->add(std::to_string(writer));
      EXPECT_TRUE(journal->flush(deadline, {}));
    });
    clock.await_waiters(kWriters + 1);
    gate.open();
  }
  EXPECT_EQ(store.put_count(), 2);
}

TEST_F(JournalThreads, ManyWritersLoseNothingAndKeepTheirOrder) {
  constexpr int kLines = 200;
  TestRecords store(memory_, {.failing_puts = 3});
  {
    const auto journal = open(store, system_clock(), {.interval = std::chrono::milliseconds(2), .compact_after = 5});
    const auto threads = writers([&](int writer) {
      for (int line = 0; line < kLines; ++line) {
        journal->add(std::to_string((writer * kLines) + line));
        if (line % 10 == 9) {
          EXPECT_TRUE(journal->flush(system_clock().after(testkit::kPatience), {}));
        }
      }
    });
  }
  std::vector<std::vector<int>> lines(kWriters);
  for (const std::string& line : open(memory_, system_clock())->take_found()) {
    lines.at(std::stoul(line) / kLines).push_back(std::stoi(line) % kLines);
  }
  for (const auto& of_one : lines) {
    ASSERT_EQ(of_one.size(), kLines);
    EXPECT_TRUE(std::ranges::is_sorted(of_one));
  }
}

TEST_F(JournalThreads, AFlushEndsAtItsDeadlineAndWhenItIsStopped) {
  testkit::Gate gate;
  TestRecords store(memory_, {.failing_puts = 1, .gate = &gate});
  ManualClock clock;
  const auto journal = open(store, clock);
  journal->add("1");
  Status late;
  Status stopped;
  {
    const std::jthread waiting([&] { late = journal->flush(clock.after(std::chrono::seconds(1)), {}); });
    ASSERT_TRUE(store.await_puts(1));
    clock.await_waiters(1);
    clock.advance(std::chrono::seconds(1));
  }
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code(), Code::kTimeout);
  std::stop_source stop;
  {
    const std::jthread waiting([&] { stopped = journal->flush(kNever, stop.get_token()); });
    clock.await_waiters(1);
    stop.request_stop();
  }
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code(), Code::kCancelled);
  {
    const std::jthread waiting([&] { late = journal->flush(clock.after(std::chrono::milliseconds(10)), {}); });
    clock.await_waiters(1);
    gate.open();
    clock.await_waiters(2);  // the writer, which has failed
    clock.advance(std::chrono::milliseconds(10));
  }
  ASSERT_FALSE(late);
  EXPECT_THAT(late.error().message(), HasSubstr("write the journal: no answer"));
  clock.advance(std::chrono::seconds(1));
  EXPECT_TRUE(journal->flush(clock.after(std::chrono::hours(1)), {}));
}

TEST_F(JournalThreads, ItsEndDoesNotWaitForAStoreThatHangs) {
  testkit::Gate gate;  // stays closed
  TestRecords store(memory_, {.gate = &gate});
  ManualClock clock;
  auto journal = open(store, clock);
  journal->add("1");
  {
    const std::jthread end([&] { journal.reset(); });
    ASSERT_TRUE(store.await_puts(1));
    clock.await_waiters(1);
    clock.advance(std::chrono::seconds(3));
  }
  EXPECT_THAT(open(memory_, clock)->take_found(), IsEmpty());
}

TEST_F(JournalThreads, RemovalEndsAWriteAndThoseWhoWaitForIt) {
  testkit::Gate gate;  // stays closed
  TestRecords store(memory_, {.gate = &gate});
  ManualClock clock;
  open(memory_, clock)->add("0");
  const auto journal = open(store, clock);
  EXPECT_THAT(journal->take_found(), ElementsAre("0"));
  journal->add("1");
  {
    const std::jthread waiting([&] {
      const Status flushed = journal->flush(kNever, {});
      ASSERT_FALSE(flushed);
      EXPECT_THAT(flushed.error().message(), HasSubstr("it was removed"));
    });
    ASSERT_TRUE(store.await_puts(1));
    clock.await_waiters(1);
    EXPECT_TRUE(journal->remove({}));
  }
  EXPECT_THAT(memory_.list({}).value(), IsEmpty());
}

}  // namespace
}  // namespace landfall::operation
