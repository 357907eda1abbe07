#pragma once

#include <array>
#include <atomic>
#include <latch>
#include <thread>

#include "store_conformance/fixture.h"

namespace landfall::store {

inline constexpr int kRacers = 8;

// Runs the same in several threads that start together.
inline void race(const std::function<void(int)>& run) {
  std::latch start(kRacers);
  std::vector<std::jthread> threads;
  for (int i = 0; i < kRacers; ++i) {
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      run(i);
    });
  }
}

TEST_P(StoreConformance, OneOfManyCreatesWhatIsAbsent) {
  if (!store_->capabilities().creates_if_absent) GTEST_SKIP() << "this store cannot create only if absent";
  for (int round = 0; round < 5; ++round) {
    const std::string name = "lock/" + std::to_string(round);
    std::array<std::optional<Error>, kRacers> outcome;
    race([&](int i) {
      const Status stored = put(name, "by " + std::to_string(i), {.if_absent = true});
      if (!stored) outcome.at(static_cast<std::size_t>(i)) = stored.error();
    });
    int winners = 0;
    for (int i = 0; i < kRacers; ++i) {
      const auto& error = outcome.at(static_cast<std::size_t>(i));
      if (!error) {
        ++winners;
        EXPECT_TRUE(holds(name, "by " + std::to_string(i)));
      } else {
        EXPECT_EQ(error->code(), Code::kAlreadyExists) << error->message();
      }
    }
    EXPECT_EQ(winners, 1);
  }
}

TEST_P(StoreConformance, ConcurrentPutsLeaveOneWholeObject) {
  constexpr std::size_t kSize = 300'000;
  const auto is_whole = [](const std::string& bytes) {
    return bytes.size() > kSize && bytes.find_first_not_of(bytes.front()) == std::string::npos &&
           bytes.size() == kSize + static_cast<std::size_t>(bytes.front());
  };
  ASSERT_TRUE(put("object", std::string(kSize + 'a', 'a')));
  race([&](int i) {
    const char letter = static_cast<char>('a' + i);
    for (int round = 0; round < 5; ++round) {
      const Status stored = put("object", std::string(kSize + static_cast<std::size_t>(letter), letter));
      EXPECT_TRUE(stored) << stored.error().message();
      const auto content = get("object");
      EXPECT_TRUE(content) << content.error().message();
      EXPECT_TRUE(content && is_whole(*content)) << "what is read while others write is whole";
    }
  });
  EXPECT_THAT(names(""), testing::ElementsAre("object"));
}

TEST_P(StoreConformance, RemovalsDoNotHarmPutsBesideThem) {
  race([&](int i) {
    const std::string mine = "shared/deep/" + std::to_string(i);
    for (int round = 0; round < 20; ++round) {
      const Status stored = put(mine, "x");
      EXPECT_TRUE(stored) << stored.error().message();
      EXPECT_TRUE(exists(mine)) << "what was stored is seen";
      const Status removed = store_->remove(std::vector{key(mine)}, {});
      EXPECT_TRUE(removed) << removed.error().message();
    }
    EXPECT_TRUE(put(mine, "at the end"));
  });
  EXPECT_EQ(names("shared/").size(), static_cast<std::size_t>(kRacers));
}

}  // namespace landfall::store
