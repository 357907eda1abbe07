#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "metrics/metrics.h"

namespace landfall::metrics {
namespace {

constexpr Counter kRuns = {"runs_total", "Runs", {}};
constexpr Gauge kHeat = {"heat", "Heat", {"place"}};

TEST(Metrics, AreSetForgottenAndReadAtTheSameTime) {
  Metrics metrics;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&metrics] {
        for (int i = 0; i < 200; ++i) {
          metrics.count(kRuns);
          metrics.set(kHeat, {"here"}, i);
          metrics.forget(kHeat, {"here"});
          if (i % 50 == 0) {
            EXPECT_THAT(metrics.text(), testing::HasSubstr("runs_total"));
          }
        }
      });
    }
  }
  EXPECT_THAT(metrics.text(), testing::HasSubstr("\nruns_total 800\n"));
}

}  // namespace
}  // namespace landfall::metrics
