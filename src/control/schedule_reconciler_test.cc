#include "control/schedule_reconciler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/manual_clock.h"
#include "base/rfc3339.h"
#include "control/test_cluster.h"
#include "json/json.h"
#include "k8s/names.h"
#include "k8s/object_view.h"

namespace landfall::control {
namespace {

using json::Json;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kName = "nightly";

// The clock stands at 2030-01-01T00:00:00Z; schedules are due at 3:00 and were last run the day before.
struct ScheduleTest : ::testing::Test {
  Context context() {
    return {cluster.client(),  "velero",         clock, system_random(), Logger(), locations(),
            cluster.running(), cluster.metrics()};
  }
  Locations& locations() const { return cluster.context().locations; }

  Json create(Json spec = Json::object(), const Json& metadata = Json::object()) {
    Json whole = {{"schedule", "0 3 * * *"}, {"template", {{"includedNamespaces", {"shop"}}}}};
    whole.update(spec);
    Json object = {
        {"metadata", {{"name", kName}}}, {"spec", whole}, {"status", {{"lastBackup", "2029-12-31T03:00:00Z"}}}};
    object["metadata"].update(metadata);
    return cluster.create(api::kSchedule, object);
  }
  std::optional<Duration> reconcile(const std::string& name = kName) {
    ScheduleReconciler reconciler(context(), settings);
    return TestCluster::must(reconciler.reconcile({"velero", name}, {})).again_after;
  }
  std::vector<Json> backups() { return TestCluster::must(cluster.objects(api::kBackup).list({}, {})).items; }
  std::vector<std::string> names() {
    std::vector<std::string> all;
    for (const Json& backup : backups()) all.push_back(backup["metadata"]["name"]);
    return all;
  }
  Json schedule() { return cluster.get(api::kSchedule, kName); }
  void patch(const api::Kind& kind, const std::string& name, const Json& patch) {
    TestCluster::must(cluster.objects(kind).patch(name, kube::PatchType::kMerge, patch, {}));
  }
  void finish(const std::string& name) { patch(api::kBackup, name, {{"status", {{"phase", "Completed"}}}}); }

  TestCluster cluster;
  ManualClock clock;
  ScheduleReconciler::Settings settings;
};

TEST_F(ScheduleTest, MakesABackupWhenItIsDueAndNotBefore) {
  create();
  clock.advance(hours(2) + minutes(59) + seconds(20));
  EXPECT_EQ(reconcile(), seconds(40));
  EXPECT_THAT(names(), IsEmpty());
  EXPECT_EQ(schedule()["status"]["phase"], "Enabled");

  clock.advance(seconds(40));
  EXPECT_EQ(reconcile(), minutes(1));
  EXPECT_THAT(names(), ElementsAre("nightly-20300101030000"));
  EXPECT_EQ(schedule()["status"]["lastBackup"], "2030-01-01T03:00:00Z");

  finish("nightly-20300101030000");
  reconcile();
  EXPECT_EQ(names().size(), 1U);
}

TEST_F(ScheduleTest, GivesTheBackupTheTemplateAndWhereItComesFrom) {
  const Json made =
      create({{"useOwnerReferencesInBackup", true}},
             {{"labels", {{"team", "shop"}}},
              {"annotations", {{"note", "keep"}, {"kubectl.kubernetes.io/last-applied-configuration", "{}"}}}});
  clock.advance(hours(4));
  reconcile();
  const Json backup = backups().at(0);
  EXPECT_EQ(backup["spec"], made["spec"]["template"]);
  EXPECT_EQ(backup["metadata"]["labels"], Json({{"team", "shop"}, {"velero.io/schedule-name", "nightly"}}));
  const std::string uid = made["metadata"]["uid"];
  EXPECT_EQ(backup["metadata"]["annotations"],
            Json({{"note", "keep"}, {"landfall.dev/schedule-run", uid + "/2030-01-01T03:00:00Z"}}));
  const auto owner = k8s::ObjectView(backup).controller();
  ASSERT_TRUE(owner);
  EXPECT_EQ(owner->uid, uid);
  EXPECT_EQ(owner->kind, "Schedule");
}

TEST_F(ScheduleTest, TakesTheLabelsOfTheTemplateInPlaceOfItsOwn) {
  create({{"template", {{"metadata", {{"labels", {{"tier", "gold"}}}}}}}}, {{"labels", {{"team", "shop"}}}});
  clock.advance(hours(4));
  reconcile();
  EXPECT_EQ(backups().at(0)["metadata"]["labels"], Json({{"tier", "gold"}, {"velero.io/schedule-name", "nightly"}}));
  EXPECT_FALSE(backups().at(0)["metadata"].contains("ownerReferences"));
}

TEST_F(ScheduleTest, MakesUpForDaysOfDowntimeWithOneBackup) {
  create();
  clock.advance(hours(24 * 5 + 12));
  reconcile();
  EXPECT_THAT(names(), ElementsAre("nightly-20300106120000"));
  finish("nightly-20300106120000");
  reconcile();
  EXPECT_EQ(names().size(), 1U);
  clock.advance(hours(15));
  reconcile();
  EXPECT_EQ(names().size(), 2U);
}

TEST_F(ScheduleTest, WaitsForAnEarlierBackupUntilThatHasTakenItsPicture) {
  create();
  cluster.create(api::kBackup, {{"metadata", {{"name", "b1"}, {"labels", {{"velero.io/schedule-name", "nightly"}}}}}});
  clock.advance(hours(4));
  for (const char* phase : {"", "New", "Queued", "ReadyToStart", "InProgress"}) {
    patch(api::kBackup, "b1", {{"status", {{"phase", *phase == 0 ? Json() : Json(phase)}}}});
    EXPECT_EQ(reconcile(), minutes(1)) << phase;
    EXPECT_EQ(names().size(), 1U) << phase;
  }
  patch(api::kBackup, "b1", {{"status", {{"phase", "WaitingForPluginOperations"}}}});
  reconcile();
  EXPECT_EQ(names().size(), 2U);
}

TEST_F(ScheduleTest, MakesNoSecondBackupAfterACrashBeforeItWroteDownTheFirst) {
  create();
  clock.advance(hours(4));
  reconcile();
  finish("nightly-20300101040000");
  patch(api::kSchedule, kName, {{"status", {{"lastBackup", "2029-12-31T03:00:00Z"}}}});  // as if it had not got so far
  clock.advance(seconds(5));
  reconcile();
  EXPECT_EQ(names().size(), 1U);
  EXPECT_GE(schedule()["status"]["lastBackup"].get<std::string>(), "2030-01-01T03:00:00Z");
  clock.advance(hours(24));
  reconcile();
  EXPECT_EQ(names().size(), 2U);
}

TEST_F(ScheduleTest, IsNotSatisfiedByTheBackupOfAnotherClustersScheduleOfThatName) {
  create();
  cluster.create(api::kBackup,
                 {{"metadata",
                   {{"name", "nightly-of-the-other"},
                    {"labels", {{"velero.io/schedule-name", "nightly"}}},
                    {"annotations", {{"landfall.dev/schedule-run", "another-uid/2030-01-01T03:00:00Z"}}}}},
                  {"status", {{"phase", "Completed"}}}});
  clock.advance(hours(4));
  reconcile();
  EXPECT_EQ(names().size(), 2U);
}

TEST_F(ScheduleTest, DoesNothingWhilePausedAndKeepsSkipImmediatelyForLater) {
  create({{"paused", true}, {"skipImmediately", true}});
  clock.advance(hours(4));
  EXPECT_EQ(reconcile(), std::nullopt);
  EXPECT_THAT(names(), IsEmpty());
  EXPECT_EQ(schedule()["status"]["phase"], "Enabled");
  EXPECT_EQ(schedule()["spec"]["skipImmediately"], true);

  patch(api::kSchedule, kName, {{"spec", {{"paused", false}}}});
  reconcile();
  EXPECT_THAT(names(), IsEmpty());
  EXPECT_EQ(schedule()["spec"]["skipImmediately"], false);
  EXPECT_EQ(schedule()["status"]["lastSkipped"], "2030-01-01T04:00:00Z");
  clock.advance(hours(23));
  reconcile();
  EXPECT_THAT(names(), ElementsAre("nightly-20300102030000"));
}

TEST_F(ScheduleTest, SkipsOnceWhereTheServerSaysSoAndTheScheduleSaysNothing) {
  settings.skip_immediately = true;
  create();
  clock.advance(hours(4));
  reconcile();
  reconcile();
  EXPECT_THAT(names(), IsEmpty());
  EXPECT_EQ(schedule()["status"]["lastSkipped"], "2030-01-01T04:00:00Z");
  patch(api::kSchedule, kName, {{"status", {{"lastSkipped", nullptr}}}});
  reconcile();
  EXPECT_EQ(names().size(), 1U);
}

TEST_F(ScheduleTest, SaysAllThatIsWrongAndIsEnabledOnceItIsPutRight) {
  create({{"schedule", "61 3 * * *"}, {"template", {{"ttl", "a week"}, {"metadata", {{"labels", {{"a b", "c"}}}}}}}});
  clock.advance(hours(4));
  EXPECT_EQ(reconcile(), std::nullopt);
  EXPECT_EQ(schedule()["status"]["phase"], "FailedValidation");
  const auto errors = schedule()["status"]["validationErrors"].get<std::vector<std::string>>();
  EXPECT_THAT(errors, ElementsAre(HasSubstr("spec.schedule: "), HasSubstr("spec.template.ttl: ")));
  EXPECT_THAT(names(), IsEmpty());

  patch(api::kSchedule, kName, {{"spec", {{"schedule", "@every 6h"}, {"template", {{"ttl", "168h"}}}}}});
  reconcile();
  EXPECT_THAT(schedule()["status"]["validationErrors"].dump(), HasSubstr("labels[a b]"));
  patch(api::kSchedule, kName, {{"spec", {{"template", {{"metadata", nullptr}}}}}});
  reconcile();
  EXPECT_EQ(schedule()["status"]["phase"], "Enabled");
  EXPECT_FALSE(schedule()["status"].contains("validationErrors"));
  EXPECT_EQ(names().size(), 1U);
}

TEST_F(ScheduleTest, RefusesACronThatIsNeverDue) {
  create({{"schedule", "0 0 30 2 *"}});
  reconcile();
  EXPECT_EQ(schedule()["status"]["validationErrors"], Json({"spec.schedule: \"0 0 30 2 *\" is never due"}));
}

TEST_F(ScheduleTest, GoesOnAfterAClockThatWasFarAheadIsPutRight) {
  create();
  patch(api::kSchedule, kName, {{"status", {{"lastBackup", "2033-07-01T00:00:00Z"}}}});
  reconcile();
  EXPECT_EQ(schedule()["status"]["lastBackup"], "2030-01-01T00:00:00Z");
  clock.advance(hours(3));
  reconcile();
  EXPECT_EQ(names().size(), 1U);
}

TEST_F(ScheduleTest, ShowsItsIntervalUntilItIsGone) {
  create();
  reconcile();
  EXPECT_THAT(cluster.metrics().text(),
              HasSubstr("velero_schedule_expected_interval_seconds{schedule=\"nightly\"} 86400"));
  TestCluster::must(cluster.objects(api::kSchedule).remove(kName, {}));
  EXPECT_EQ(reconcile(), std::nullopt);
  EXPECT_THAT(cluster.metrics().text(), Not(HasSubstr("nightly")));
}

TEST_F(ScheduleTest, TriesAgainInASecondWhenTheNameIsTaken) {
  create();
  clock.advance(hours(4));
  cluster.create(api::kBackup, {{"metadata", {{"name", "nightly-20300101040000"}}}});
  EXPECT_EQ(reconcile(), seconds(1));
  clock.advance(seconds(1));
  reconcile();
  EXPECT_EQ(names().size(), 2U);
}

TEST(ScheduledBackupName, StaysLegalForTheLongestNameOfASchedule) {
  const WallTime now = parse_rfc3339("2030-01-01T03:04:05Z").value();
  EXPECT_EQ(scheduled_backup_name("a", now), "a-20300101030405");
  for (std::size_t dot = 150; dot < 252; ++dot) {
    std::string name(253, 'a');
    name[dot] = '.';  // wherever it is cut
    const std::string made = scheduled_backup_name(name, now);
    EXPECT_LE(made.size(), 215U) << name;
    EXPECT_THAT(k8s::dns1123_subdomain_problems(made), IsEmpty()) << made;
  }
  EXPECT_NE(scheduled_backup_name(std::string(253, 'a'), now), scheduled_backup_name(std::string(252, 'a') + "b", now));
}

}  // namespace
}  // namespace landfall::control
