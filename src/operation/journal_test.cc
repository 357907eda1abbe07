#include "operation/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <thread>

#include "base/manual_clock.h"
#include "operation/journal_record.h"
#include "operation/memory_records.h"
#include "operation/test_records.h"

namespace landfall::operation {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class JournalTest : public testing::Test {
 protected:
  std::unique_ptr<Journal> open(RecordStore& store, std::size_t compact_after = 60) {
    auto journal = Journal::open(store, {.compact_after = compact_after}, clock_, random_, Logger(), {});
    EXPECT_TRUE(journal) << journal.error().message();
    return *std::move(journal);
  }
  std::string open_error() {
    const auto journal = Journal::open(memory_, {}, clock_, random_, Logger(), {});
    if (journal) return "it opened";
    EXPECT_EQ(journal.error().code(), Code::kDataLoss);
    return journal.error().message();
  }
  Status flush(Journal& journal, const std::stop_token& stop = {}) {
    return journal.flush(clock_.after(std::chrono::hours(1)), stop);
  }
  std::vector<std::string> names() { return memory_.list({}).value(); }
  std::vector<std::string> found() { return open(memory_)->take_found(); }

  ManualClock clock_;
  SeededRandom random_{1};
  MemoryRecords memory_;
};

TEST_F(JournalTest, GivesTheLinesOfAllProcessesBackInTheOrderOfWriting) {
  for (int process = 0; process < 3; ++process) {
    const auto journal = open(memory_);
    EXPECT_THAT(journal->take_found(), SizeIs(process * 4));
    EXPECT_THAT(journal->take_found(), IsEmpty());
    for (int line = 0; line < 4; ++line) {
      journal->add("[" + std::to_string(process) + ",\n" + std::to_string(line) + "]");
      if (line % 2 == 1) {
        EXPECT_TRUE(flush(*journal));
      }
    }
  }
  EXPECT_THAT(found(), ElementsAre("[0, 0]", "[0, 1]", "[0, 2]", "[0, 3]", "[1, 0]", "[1, 1]", "[1, 2]", "[1, 3]",
                                   "[2, 0]", "[2, 1]", "[2, 2]", "[2, 3]"));
  EXPECT_THAT(names(), SizeIs(6));
}

TEST_F(JournalTest, WritesWithinTheIntervalWithoutBeingAsked) {
  TestRecords store(memory_, {});
  const auto journal = open(store);
  journal->add("1");
  journal->add("2");
  clock_.advance(std::chrono::milliseconds(999));
  EXPECT_EQ(store.put_count(), 0);
  clock_.advance(std::chrono::milliseconds(1));
  ASSERT_TRUE(store.await_puts(1));
  EXPECT_TRUE(flush(*journal));
  EXPECT_EQ(store.put_count(), 1);
  EXPECT_THAT(found(), ElementsAre("1", "2"));
}

TEST_F(JournalTest, WritesTheRestAtItsEnd) {
  open(memory_)->add("1");
  EXPECT_THAT(found(), ElementsAre("1"));
}

TEST_F(JournalTest, TriesAgainEveryIntervalWithEverythingSince) {
  TestRecords store(memory_, {.failing_puts = 2});
  const auto journal = open(store);
  journal->add("1");
  Status flushed;
  {
    const std::jthread flusher([&] { flushed = flush(*journal); });
    ASSERT_TRUE(store.await_puts(1));
    clock_.await_waiters(2);  // the flusher, and the writer for its next turn
    journal->add("2");
    clock_.advance(std::chrono::seconds(1));
    ASSERT_TRUE(store.await_puts(2));
    clock_.await_waiters(2);
    clock_.advance(std::chrono::seconds(1));
  }
  EXPECT_TRUE(flushed) << flushed.error().message();
  EXPECT_EQ(store.put_count(), 3);
  EXPECT_THAT(found(), ElementsAre("1", "2"));
}

TEST_F(JournalTest, AWriteThatSeemedToFailDoesNotGiveLinesTwice) {
  TestRecords store(memory_, {.failing_puts = 1, .effect = TestRecords::Effect::kDone});
  const auto journal = open(store);
  journal->add("1");
  clock_.advance(std::chrono::seconds(1));
  ASSERT_TRUE(store.await_puts(1));
  clock_.await_waiters(1);
  journal->add("2");
  clock_.advance(std::chrono::seconds(1));
  EXPECT_TRUE(flush(*journal));
  EXPECT_THAT(names(), SizeIs(2));
  EXPECT_THAT(found(), ElementsAre("1", "2"));
}

TEST_F(JournalTest, SaysWhichRecordIsDamagedAndWhatIsMissing) {
  {
    const auto journal = open(memory_);
    for (const char* const line : {"1", "2", "3"}) {
      journal->add(line);
      EXPECT_TRUE(flush(*journal));
    }
  }
  const std::string name = names()[1];
  const std::string bytes = memory_.get(name, {}).value();
  ASSERT_TRUE(memory_.put(name, bytes.substr(0, bytes.size() - 1), {}));
  EXPECT_THAT(open_error(), HasSubstr("journal record " + name));
  ASSERT_TRUE(memory_.put(name, encode_section({1, "x"}, 0, {}), {}));
  EXPECT_THAT(open_error(), HasSubstr("journal record " + name + ": byte 0: expected the beginning of a section"));
  ASSERT_TRUE(memory_.remove(name, {}));
  EXPECT_THAT(open_error(), HasSubstr("is not whole: expected line 1, found 2"));
}

TEST_F(JournalTest, RemovesEverythingOfItsOwnAndWritesNoMore) {
  ASSERT_TRUE(memory_.put("plan", "x", {}));
  open(memory_)->add("1");
  const auto journal = open(memory_);
  journal->add("2");
  EXPECT_TRUE(flush(*journal));
  journal->add("3");
  EXPECT_TRUE(journal->remove({}));
  journal->add("4");
  EXPECT_FALSE(flush(*journal));
  EXPECT_TRUE(journal->remove({}));
  EXPECT_THAT(names(), ElementsAre("plan"));
}

TEST_F(JournalTest, PutsRecordsTogetherAlsoThoseOfEarlierProcesses) {
  for (int process = 0; process < 3; ++process) {
    TestRecords store(memory_, {});
    const auto journal = open(store, 4);
    for (int line = 0; line < 3; ++line) {
      journal->add(std::to_string((process * 3) + line));
      EXPECT_TRUE(flush(*journal));
    }
    EXPECT_TRUE(store.await_records_at_most(4));
  }
  EXPECT_THAT(found(), ElementsAre("0", "1", "2", "3", "4", "5", "6", "7", "8"));
}

// One that has lost its lease and does not know it yet.
TEST_F(JournalTest, LosesNothingOfAProcessThatWritesAtTheSameTime) {
  const auto older = open(memory_);
  {
    TestRecords store(memory_, {});
    const auto newer = open(store, 2);
    older->add("a");
    EXPECT_TRUE(flush(*older));
    for (const char* const line : {"b", "c", "d"}) {
      newer->add(line);
      EXPECT_TRUE(flush(*newer));
    }
    EXPECT_TRUE(store.await_records_at_most(2));
  }
  EXPECT_THAT(found(), testing::UnorderedElementsAre("a", "b", "c", "d"));
}

// Where another process puts records together between being listed and being read.
class MovingRecords final : public RecordStore {
 public:
  explicit MovingRecords(MemoryRecords& memory) : memory_(memory) {}
  Result<std::vector<std::string>> list(const std::stop_token& stop) override { return memory_.list(stop); }
  Result<std::string> get(const std::string& name, const std::stop_token& stop) override {
    if (!std::exchange(has_moved_, true)) {
      std::string all;
      const std::vector<std::string> names = memory_.list({}).value();
      for (const std::string& one : names) {
        all += memory_.get(one, {}).value();
        EXPECT_TRUE(memory_.remove(one, {}));
      }
      EXPECT_TRUE(memory_.put(to_string(RecordName{99, "0123456789abcdef"}), all, {}));
    }
    return memory_.get(name, stop);
  }
  Status put(const std::string& name, std::string_view bytes, const std::stop_token& stop) override {
    return memory_.put(name, bytes, stop);
  }
  Status remove(const std::string& name, const std::stop_token& stop) override { return memory_.remove(name, stop); }

 private:
  MemoryRecords& memory_;
  bool has_moved_ = false;
};

TEST_F(JournalTest, ReadsAgainWhenRecordsArePutTogetherMeanwhile) {
  open(memory_)->add("1");
  open(memory_)->add("2");
  MovingRecords moving(memory_);
  EXPECT_THAT(open(moving)->take_found(), ElementsAre("1", "2"));
}

// A process is killed at each of its operations, once before and once after it has taken effect: whatever was flushed
// is found, once and in order, by a process that is killed at the same operation, and by one that is not.
TEST_F(JournalTest, LosesNothingThatWasFlushedWheneverItDies) {
  bool has_survived = false;
  for (int operation = 1; !has_survived && operation < 100; ++operation) {
    has_survived = true;
    for (const auto effect : {TestRecords::Effect::kNone, TestRecords::Effect::kDone}) {
      MemoryRecords memory;
      std::vector<std::string> flushed;
      for (int process = 0; process < 2; ++process) {
        TestRecords store(memory, {.dies_after = operation, .effect = effect});
        auto opened = Journal::open(store, {.compact_after = 3}, clock_, random_, Logger(), store.death());
        ASSERT_TRUE(opened) << opened.error().message();
        const std::unique_ptr<Journal> journal = *std::move(opened);
        std::vector<std::string> taken = journal->take_found();
        EXPECT_TRUE(std::ranges::includes(taken, flushed)) << operation << ": " << testing::PrintToString(taken);
        flushed = std::move(taken);
        for (int i = 0; i < 8; ++i) {
          const std::string line = std::to_string(process) + std::to_string(i);
          journal->add(line);
          if (flush(*journal, store.death())) flushed.push_back(line);
        }
        ASSERT_TRUE(store.await_records_at_most(3));
        has_survived = has_survived && !store.is_dead();
      }
      std::vector<std::string> found = open(memory)->take_found();
      // The line in the middle of which it died may be there.
      std::map<std::string, int> times;
      for (const std::string& line : found) ++times[line];
      for (const auto& [line, count] : times) EXPECT_EQ(count, 1) << line << " after " << operation;
      EXPECT_TRUE(std::ranges::is_sorted(found));
      EXPECT_TRUE(std::ranges::includes(found, flushed)) << operation << ": " << testing::PrintToString(found);
      EXPECT_LE(found.size(), flushed.size() + 1);
    }
  }
  EXPECT_TRUE(has_survived);
}

}  // namespace
}  // namespace landfall::operation
