#include "store/retrying_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "base/manual_clock.h"
#include "io/log_sink.h"
#include "store/faulty_store.h"
#include "store/memory_store.h"

namespace landfall::store {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const Error kDown(Code::kUnavailable, "the store is down");

class RetryingStoreTest : public testing::Test {
 protected:
  RetryingStoreTest() {
    auto faulty = std::make_unique<FaultyStore>(make_memory_store());
    faulty_ = faulty.get();
    const RetryOptions options{.attempts = 4, .backoff = {.first = std::chrono::seconds(1), .factor = 2, .jitter = 0}};
    store_ = make_retrying_store(std::move(faulty), options, clock_, random_, Logger(clock_, log_));
  }

  // Runs a call on a thread of its own, for a clock that is moved over each delay that the call is expected to wait.
  template <class Run>
  auto run_over(const std::vector<int>& delays, const Run& run) {
    std::optional<decltype(run())> result;
    {
      const std::jthread thread([&] { result = run(); });
      for (const int seconds : delays) {
        clock_.await_waiters(1);
        clock_.advance(std::chrono::seconds(seconds));
      }
    }
    return *std::move(result);
  }

  Status put(std::string_view bytes, const extension::PutOptions& options = {}) {
    return store_->put("key", extension::BytesSource(bytes), options, {});
  }

  ManualClock clock_;
  SeededRandom random_{1};
  const std::shared_ptr<io::MemoryLogSink> log_ = std::make_shared<io::MemoryLogSink>();
  FaultyStore* faulty_ = nullptr;
  std::unique_ptr<extension::ObjectStore> store_;
};

TEST_F(RetryingStoreTest, TriesAgainAfterGrowingDelays) {
  faulty_->fail_call(StoreOperation::kExists, 1, kDown);
  faulty_->fail_call(StoreOperation::kExists, 2, Error(Code::kThrottled, "slow down"));
  faulty_->fail_call(StoreOperation::kExists, 3, Error(Code::kTimeout, "timed out"));
  const auto found = run_over({1, 2, 4}, [&] { return store_->exists("key", {}); });
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_FALSE(*found);
  EXPECT_EQ(faulty_->calls(StoreOperation::kExists), 4);
  EXPECT_THAT(log_->text(), HasSubstr("the store is down"));
}

TEST_F(RetryingStoreTest, GivesUpAndSaysHowOftenItTried) {
  faulty_->fail_every(1, kDown);
  const auto reader = run_over({1, 2, 4}, [&] { return store_->get("key", {}); });
  ASSERT_FALSE(reader);
  EXPECT_EQ(reader.error(), Error(Code::kUnavailable, "tried 4 times: the store is down"));
}

TEST_F(RetryingStoreTest, ReturnsWhatCannotPassByItself) {
  faulty_->fail_call(StoreOperation::kRemove, 1, Error(Code::kForbidden, "no"));
  EXPECT_EQ(store_->remove(std::vector<std::string>{"key"}, {}).error(), Error(Code::kForbidden, "no"));
  EXPECT_EQ(faulty_->calls(StoreOperation::kRemove), 1);
}

TEST_F(RetryingStoreTest, AStopEndsTheWaiting) {
  faulty_->fail_every(1, kDown);
  std::stop_source stop;
  std::optional<Result<std::vector<std::string>>> result;
  {
    const std::jthread thread([&] { result = store_->folders("", stop.get_token()); });
    clock_.await_waiters(1);
    stop.request_stop();
  }
  ASSERT_FALSE(*result);
  EXPECT_EQ(result->error().code(), Code::kCancelled);
  EXPECT_THAT(result->error().message(), HasSubstr("the store is down"));
}

TEST_F(RetryingStoreTest, SendsASourceAgainFromItsStart) {
  faulty_->fail_call(StoreOperation::kPut, 1, Error(Code::kTimeout, "timed out"), FaultyStore::Effect::kDone);
  ASSERT_TRUE(run_over({1}, [&] { return put("hello"); }));
  const auto reader = store_->get("key", {});
  ASSERT_TRUE(reader);
  EXPECT_EQ(io::read_all(**reader, 100), "hello");
}

TEST_F(RetryingStoreTest, AStreamThatWasReadCannotBeSentAgain) {
  faulty_->cut_writes(2);
  io::StringReader stream("hello");
  const Status stored = store_->put("key", extension::StreamSource(stream), {}, {});
  ASSERT_FALSE(stored);
  EXPECT_EQ(stored.error().code(), Code::kUnavailable) << "the error is the store's, not that of opening again";
  EXPECT_THAT(stored.error().message(), HasSubstr("connection cut"));
  EXPECT_EQ(faulty_->calls(StoreOperation::kPut), 1);
}

TEST_F(RetryingStoreTest, AStreamThatWasNotTouchedIsSent) {
  faulty_->fail_call(StoreOperation::kPut, 1, kDown);
  io::StringReader stream("hello");
  const Status stored = run_over({1}, [&] { return store_->put("key", extension::StreamSource(stream), {}, {}); });
  ASSERT_TRUE(stored) << stored.error().message();
}

TEST_F(RetryingStoreTest, DoesNotMistakeItsOwnObjectForAnothers) {
  faulty_->fail_call(StoreOperation::kPut, 1, Error(Code::kTimeout, "timed out"), FaultyStore::Effect::kDone);
  EXPECT_EQ(put("mine", {.if_absent = true}).error().code(), Code::kTimeout);
  EXPECT_EQ(faulty_->calls(StoreOperation::kPut), 1);
  ASSERT_TRUE(store_->remove(std::vector<std::string>{"key"}, {}));
  faulty_->fail_call(StoreOperation::kPut, 1, Error(Code::kThrottled, "slow down"));
  EXPECT_TRUE(run_over({1}, [&] { return put("mine", {.if_absent = true}); }));
}

TEST_F(RetryingStoreTest, AListingGoesOnBehindTheLastKey) {
  for (const char* key : {"a", "b", "c"}) {
    ASSERT_TRUE(store_->put(key, extension::BytesSource("x"), {}, {}));
  }
  faulty_->fail_call(StoreOperation::kList, 1, kDown, FaultyStore::Effect::kDone);
  std::vector<std::string> seen;
  const auto visit = [&](const extension::ObjectInfo& info) -> Status {
    seen.push_back(info.key);
    return {};
  };
  ASSERT_TRUE(run_over({1}, [&] { return store_->list("", visit, {}); }));
  EXPECT_THAT(seen, ElementsAre("a", "b", "c"));
  EXPECT_EQ(faulty_->calls(StoreOperation::kList), 2);
}

TEST_F(RetryingStoreTest, AVisitorsErrorIsNotTriedAgain) {
  ASSERT_TRUE(put("x"));
  const Status listed =
      store_->list("", [](const extension::ObjectInfo&) -> Status { return tl::unexpected(kDown); }, {});
  EXPECT_EQ(listed.error(), kDown);
  EXPECT_EQ(faulty_->calls(StoreOperation::kList), 1);
}

}  // namespace
}  // namespace landfall::store
