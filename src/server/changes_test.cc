#include "server/changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "base/manual_clock.h"
#include "json/json.h"
#include "metrics/metrics.h"
#include "server/guarded_reconciler.h"
#include "server/readiness.h"

namespace landfall::server {
namespace {

using json::Json;
using testing::HasSubstr;

kube::Object object(const Json& document) { return std::make_shared<const Json>(document); }

const Json kBackup = {{"metadata", {{"name", "a"}, {"resourceVersion", "1"}, {"labels", {{"x", "1"}}}}},
                      {"spec", {{"ttl", "1h"}}},
                      {"status", {{"phase", "InProgress"}, {"progress", {{"itemsBackedUp", 1}}}}}};

kube::CacheChange changed(const std::string& pointer, const Json& value) {
  Json after = kBackup;
  after[Json::json_pointer(pointer)] = value;
  after["metadata"]["resourceVersion"] = "2";
  return {.name = {"velero", "a"}, .before = object(kBackup), .after = object(after)};
}

TEST(Changes, AreNoWorkWhenOnlyProgressMoves) {
  EXPECT_FALSE(is_work(changed("/status/progress/itemsBackedUp", 2)));
  EXPECT_FALSE(is_work(changed("/status/lastValidationTime", "2030-01-01T00:00:00Z")));
}

TEST(Changes, AreWorkWhenSomebodyDecidedSomething) {
  EXPECT_TRUE(is_work(changed("/spec/cancel", true)));
  EXPECT_TRUE(is_work(changed("/metadata/labels/x", "2")));
  EXPECT_TRUE(is_work(changed("/metadata/deletionTimestamp", "2030-01-01T00:00:00Z")));
  EXPECT_TRUE(is_work(changed("/status/phase", "Completed")));
  EXPECT_TRUE(is_work({.name = {"velero", "a"}, .before = nullptr, .after = object(kBackup)}));
  EXPECT_TRUE(is_work({.name = {"velero", "a"}, .before = object(kBackup), .after = nullptr}));
}

TEST(Changes, OfThePhaseAreToldFromOthers) {
  EXPECT_FALSE(is_new_phase(changed("/spec/cancel", true)));
  EXPECT_TRUE(is_new_phase(changed("/status/phase", "Completed")));
}

TEST(Changes, OfHostileObjectsDoNoHarm) {
  const kube::CacheChange change{
      .name = {"velero", "a"}, .before = object(Json::array()), .after = object({{"status", "x"}, {"metadata", 3}})};
  EXPECT_FALSE(is_work(change));
}

TEST(Readiness, OfAReplicaThatWaitsIsGoodOnceItIsClearThatAnotherWorks) {
  ManualClock clock;
  Readiness readiness(clock);
  EXPECT_FALSE(readiness.verdict().is_ready);

  readiness.set(Stage::kWaiting);
  EXPECT_FALSE(readiness.verdict().is_ready);
  clock.advance(std::chrono::seconds(1));
  EXPECT_TRUE(readiness.verdict().is_ready);

  readiness.set(Stage::kSyncing);
  EXPECT_FALSE(readiness.verdict().is_ready);
  readiness.set(Stage::kWorking);
  EXPECT_TRUE(readiness.verdict().is_ready);
}

TEST(Readiness, EndsWithTheStopForGood) {
  ManualClock clock;
  Readiness readiness(clock);
  readiness.set(Stage::kStopping);
  readiness.set(Stage::kWorking);
  EXPECT_FALSE(readiness.verdict().is_ready);
  EXPECT_EQ(readiness.verdict().why, "stopping");
}

class Throwing final : public kube::Reconciler {
 public:
  Result<kube::Reconciled> reconcile(const k8s::NamespacedName& name, const std::stop_token&) override {
    if (name.name == "conflict") return fail(Code::kConflict, "changed meanwhile");
    throw std::runtime_error("type must be string, but is null");
  }
};

TEST(GuardedReconciler, TurnsAnExceptionIntoAnErrorOfThatObject) {
  metrics::Metrics metrics;
  GuardedReconciler reconciler("gc", std::make_unique<Throwing>(), metrics);

  const auto result = reconciler.reconcile({"velero", "bad"}, {});

  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Code::kInternal);
  EXPECT_THAT(result.error().message(), HasSubstr("type must be string"));
  EXPECT_THAT(metrics.text(), HasSubstr("landfall_reconcile_errors_total{controller=\"gc\"} 1\n"));
}

TEST(GuardedReconciler, CountsNoConflicts) {
  metrics::Metrics metrics;
  GuardedReconciler reconciler("gc", std::make_unique<Throwing>(), metrics);
  EXPECT_FALSE(reconciler.reconcile({"velero", "conflict"}, {}));
  EXPECT_EQ(metrics.text(), "");
}

}  // namespace
}  // namespace landfall::server
