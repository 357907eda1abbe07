#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/manual_clock.h"
#include "store/limited_store.h"
#include "store/memory_store.h"
#include "testkit/gate.h"

namespace landfall::store {
namespace {

// Counts how many puts read it at once.
class CrowdedSource final : public extension::ObjectSource, public io::Reader {
 public:
  CrowdedSource(std::atomic<int>& now, std::atomic<int>& most) : now_(now), most_(most) {}
  Result<std::unique_ptr<io::Reader>> open() const override { return std::make_unique<CrowdedSource>(now_, most_); }
  std::optional<std::uint64_t> size() const override { return std::nullopt; }
  Result<std::size_t> read(std::span<char> /*buffer*/) override {
    const int here = ++now_;
    int seen = most_;
    while (seen < here && !most_.compare_exchange_weak(seen, here)) {
    }
    std::this_thread::yield();
    --now_;
    return 0UL;
  }

 private:
  std::atomic<int>& now_;
  std::atomic<int>& most_;
};

TEST(LimitedStore, LetsNoMoreCallsPassThanItMay) {
  const auto store = make_limited_store(make_memory_store(), 3, system_clock());
  std::atomic<int> now = 0;
  std::atomic<int> most = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&, i] {
        for (int round = 0; round < 50; ++round) {
          EXPECT_TRUE(store->put("key-" + std::to_string(i), CrowdedSource(now, most), {}, {}));
        }
      });
    }
  }
  EXPECT_LE(most, 3);
  EXPECT_GE(most, 1);
}

TEST(LimitedStore, AReaderKeepsItsPlaceUntilItIsGone) {
  ManualClock clock;
  const auto store = make_limited_store(make_memory_store(), 1, clock);
  ASSERT_TRUE(store->put("key", extension::BytesSource("x"), {}, {}));
  auto reader = store->get("key", {});
  ASSERT_TRUE(reader);
  testkit::Gate done;
  const std::jthread other([&] {
    EXPECT_EQ(store->exists("key", {}), true);
    done.open();
  });
  clock.await_waiters(1);
  EXPECT_FALSE(done.is_open());
  reader->reset();
  EXPECT_TRUE(done.await());
}

TEST(LimitedStore, AFailedGetGivesItsPlaceBack) {
  const auto store = make_limited_store(make_memory_store(), 1, system_clock());
  EXPECT_EQ(store->get("none", {}).error().code(), Code::kNotFound);
  EXPECT_EQ(store->exists("none", {}), false);
}

TEST(LimitedStore, AStopEndsTheWaiting) {
  ManualClock clock;
  const auto store = make_limited_store(make_memory_store(), 1, clock);
  ASSERT_TRUE(store->put("key", extension::BytesSource("x"), {}, {}));
  const auto reader = store->get("key", {});
  ASSERT_TRUE(reader);
  std::stop_source stop;
  std::optional<Error> error;
  {
    const std::jthread other([&] { error = store->exists("key", stop.get_token()).error(); });
    clock.await_waiters(1);
    stop.request_stop();
  }
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), Code::kCancelled);
}

}  // namespace
}  // namespace landfall::store
