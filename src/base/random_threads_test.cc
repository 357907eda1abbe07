#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

#include "base/guarded.h"
#include "base/random.h"

namespace landfall {
namespace {

constexpr int kThreads = 4;
constexpr int kDraws = 2000;

TEST(SeededRandom, GivesNoNumberToTwoThreads) {
  SeededRandom random(11);
  Guarded<std::set<std::uint64_t>> seen;
  {
    std::vector<std::jthread> threads;
    threads.reserve(kThreads);
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        for (int n = 0; n < kDraws; ++n) {
          const std::uint64_t number = random.bits();
          seen.with([&](auto& numbers) { numbers.insert(number); });
        }
      });
    }
  }
  EXPECT_EQ(seen.copy().size(), kThreads * kDraws);
}

}  // namespace
}  // namespace landfall
