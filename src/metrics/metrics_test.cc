#include "metrics/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "metrics/server_metrics.h"

namespace landfall::metrics {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr Counter kRuns = {"runs_total", "Runs", {"place", "who"}};
constexpr Gauge kHeat = {"heat", "Heat", {"place"}};
constexpr Gauge kAlone = {"alone", "No labels"};
constexpr std::array<double, 2> kBounds = {1, 10};
constexpr Histogram kTime = {"time_seconds", "Time", {"place"}, kBounds};

TEST(Metrics, HaveTheirTypeAndHelpAndOneLineForEachSetOfLabels) {
  Metrics metrics;
  metrics.count(kRuns, {"here", "me"});
  metrics.count(kRuns, {"here", "me"}, 2);
  metrics.count(kRuns, {"there", "me"}, 0);
  metrics.set(kAlone, {}, -1.5);

  const std::string text = metrics.text();

  EXPECT_THAT(text, HasSubstr("# HELP runs_total Runs\n# TYPE runs_total counter\n"));
  EXPECT_THAT(text, HasSubstr("runs_total{place=\"here\",who=\"me\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("runs_total{place=\"there\",who=\"me\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("# TYPE alone gauge\nalone -1.5\n"));
}

TEST(Metrics, CountObservationsInBucketsThatAddUp) {
  Metrics metrics;
  for (const double seconds : {0.5, 5.0, 50.0}) metrics.observe(kTime, {"here"}, seconds);

  const std::string text = metrics.text();

  EXPECT_THAT(text, HasSubstr("time_seconds_bucket{place=\"here\",le=\"1\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("time_seconds_bucket{place=\"here\",le=\"10\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("time_seconds_bucket{place=\"here\",le=\"+Inf\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("time_seconds_sum{place=\"here\"} 55.5\n"));
}

TEST(Metrics, HoldTimesInSecondsToTheSecond) {
  Metrics metrics;
  metrics.set(kAlone, {}, 1763241234);

  EXPECT_THAT(metrics.text(), HasSubstr("\nalone 1763241234\n"));
}

TEST(Metrics, EscapeHostileLabelValues) {
  Metrics metrics;
  metrics.set(kHeat, {"a\"} 1\nheat{place=\"b\\\xff"}, 2);

  EXPECT_THAT(metrics.text(), HasSubstr("\nheat{place=\"a\\\"} 1\\nheat{place=\\\"b\\\\\xEF\xBF\xBD\"} 2\n"));
}

TEST(Metrics, TakeTheWrongNumberOfLabelValuesWithoutHarm) {
  Metrics metrics;
  metrics.count(kRuns, {"here"});
  metrics.set(kAlone, {"too", "many"}, 1);

  EXPECT_THAT(metrics.text(), HasSubstr("runs_total{place=\"here\",who=\"\"} 1\n"));
  EXPECT_THAT(metrics.text(), HasSubstr("\nalone 1\n"));
}

TEST(Metrics, ForgetOneSeriesAndItsFamilyWithTheLast) {
  Metrics metrics;
  metrics.set(kHeat, {"here"}, 1);
  metrics.set(kHeat, {"there"}, 2);
  metrics.observe(kTime, {"here"}, 1);
  metrics.count(kRuns, {"here", "me"});

  metrics.forget(kHeat, {"here"});
  metrics.forget(kHeat, {"nowhere"});
  metrics.forget(kTime, {"here"});
  metrics.forget(kRuns, {"here", "me"});

  const std::string text = metrics.text();
  EXPECT_THAT(text, Not(HasSubstr("\"here\"")));
  EXPECT_THAT(text, HasSubstr("heat{place=\"there\"} 2\n"));
  EXPECT_THAT(text, Not(HasSubstr("time_seconds")));
  EXPECT_THAT(text, Not(HasSubstr("runs_total")));
}

TEST(ServerMetrics, OfAScheduleAppearOnceAndKeepTheirValues) {
  Metrics metrics;
  show_schedule(metrics, "daily");
  metrics.count(kBackupAttemptTotal, {"daily"});
  metrics.set(kBackupLastStatus, {"daily"}, 0);

  show_schedule(metrics, "daily");

  const std::string text = metrics.text();
  EXPECT_THAT(text, HasSubstr("velero_backup_attempt_total{schedule=\"daily\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("velero_backup_failure_total{schedule=\"daily\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("velero_backup_last_status{schedule=\"daily\"} 0\n"));
}

TEST(ServerMetrics, OfAScheduleThatIsGoneAreForgotten) {
  Metrics metrics;
  show_schedule(metrics, "daily");
  metrics.set(kBackupLastSuccessfulTimestamp, {"daily"}, 1);
  metrics.observe(kBackupDurationSeconds, {"daily"}, 1);

  forget_schedule(metrics, "daily");

  EXPECT_EQ(metrics.text(), "");
}

TEST(ServerMetrics, OfProgressEndWithTheBackup) {
  Metrics metrics;
  metrics.set(kBackupProgressItemsDone, {"nightly"}, 3);
  metrics.set(kBackupProgressStalled, {"nightly"}, 1);
  metrics.set(kBackupProgressRate, {"other"}, 1);

  forget_backup_progress(metrics, "nightly");

  EXPECT_THAT(metrics.text(), Not(HasSubstr("nightly")));
  EXPECT_THAT(metrics.text(), HasSubstr("landfall_backup_progress_rate{backup=\"other\"} 1\n"));
}

}  // namespace
}  // namespace landfall::metrics
