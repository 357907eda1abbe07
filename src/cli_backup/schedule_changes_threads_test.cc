#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/test_cluster.h"
#include "cli_backup/commands.h"

namespace landfall::cli {
namespace {

using json::Json;
using testing::HasSubstr;

// `schedule create`, `pause`, `unpause` and `delete`.
class ScheduleChanges : public testing::Test {
 protected:
  Json schedule(const std::string& name) const { return cluster_.objects(api::kSchedule).get(name, {}).value(); }
  std::size_t schedules() const { return cluster_.objects(api::kSchedule).list({}, {}).value().items.size(); }
  void make(const std::string& name, const Json& spec = Json::object()) {
    Json whole = {{"schedule", "@daily"}, {"template", Json::object()}};
    whole.update(spec);
    cluster_.create(api::kSchedule, {{"metadata", {{"name", name}, {"labels", {{"name", name}}}}}, {"spec", whole}});
  }

  TestCluster cluster_{add_schedule_command};
};

TEST_F(ScheduleChanges, CreateWhatTheFlagsSay) {
  const Ran ran = cluster_.run({"schedule", "create", "s", "--schedule", "0 3 * * *", "--include-namespaces", "shop",
                                "--ttl", "24h", "--use-owner-references-in-backup", "--paused", "--skip-immediately",
                                "false", "--labels", "a=b", "--annotations", "c=d"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "Schedule \"s\" created successfully.\n");
  const Json made = schedule("s");
  EXPECT_EQ(made["metadata"]["labels"], Json({{"a", "b"}}));
  EXPECT_EQ(made["metadata"]["annotations"], Json({{"c", "d"}}));
  EXPECT_EQ(made["spec"], Json({{"schedule", "0 3 * * *"},
                                {"paused", true},
                                {"skipImmediately", false},
                                {"useOwnerReferencesInBackup", true},
                                {"template",
                                 {{"metadata", Json::object()},
                                  {"hooks", Json::object()},
                                  {"includedNamespaces", Json::array({"shop"})},
                                  {"ttl", "24h0m0s"},
                                  {"csiSnapshotTimeout", "0s"},
                                  {"itemOperationTimeout", "0s"}}}}));
}

TEST_F(ScheduleChanges, CreateAsVeleroForgetsAnnotationsAndSendsAnyTime) {
  const Ran ran = cluster_.run_as_velero({"schedule", "create", "s", "--schedule", "soon", "--annotations", "c=d"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_FALSE(schedule("s")["metadata"].contains("annotations"));
  EXPECT_EQ(schedule("s")["spec"]["useOwnerReferencesInBackup"], false);
}

TEST_F(ScheduleChanges, CreateRefusesTimesThatNeverCome) {
  const auto refused = [&](const std::string& when) {
    const Ran ran = cluster_.run({"schedule", "create", "s", "--schedule", when});
    EXPECT_EQ(ran.code, 1);
    return ran.err;
  };
  EXPECT_THAT(refused("soon"), HasSubstr("--schedule: "));
  EXPECT_THAT(refused("0 0 30 2 *"), HasSubstr("is never due"));
  EXPECT_THAT(refused(""), HasSubstr("--schedule is required"));
  EXPECT_THAT(cluster_.run({"schedule", "create", "s", "--schedule", "@daily", "--skip-immediately", "perhaps"}).err,
              HasSubstr("--skip-immediately: \"perhaps\" is neither true nor false"));
  EXPECT_EQ(schedules(), 0U);
}

TEST_F(ScheduleChanges, CreatePrintsInsteadOfSending) {
  const Ran ran = cluster_.run({"schedule", "create", "s", "--schedule", "@daily", "-o", "json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(Json::parse(ran.out)["spec"]["schedule"], "@daily");
  EXPECT_THAT(cluster_.run({"schedule", "create", "s", "--schedule", "@daily", "-o", "table"}).out,
              HasSubstr("\ns      New "));
  EXPECT_EQ(schedules(), 0U);
}

TEST_F(ScheduleChanges, PauseKeepsTheRestOfTheSchedule) {
  make("s", {{"skipImmediately", true}});
  Ran ran = cluster_.run({"schedule", "pause", "s"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "Schedule s paused successfully\n");
  EXPECT_EQ(schedule("s")["spec"]["paused"], true);
  EXPECT_EQ(schedule("s")["spec"]["skipImmediately"], true);
  EXPECT_EQ(cluster_.run({"schedule", "pause", "s"}).out, "Schedule s is already paused, skip\n");
  EXPECT_EQ(cluster_.run({"schedule", "unpause", "s", "--skip-immediately=false"}).out,
            "Schedule s unpaused successfully\n");
  EXPECT_FALSE(schedule("s")["spec"].contains("paused"));
  EXPECT_EQ(schedule("s")["spec"]["skipImmediately"], false);
}

TEST_F(ScheduleChanges, PauseAsVeleroForgetsSkipImmediately) {
  make("s", {{"skipImmediately", true}});
  EXPECT_EQ(cluster_.run_as_velero({"schedule", "pause", "s"}).code, 0);
  EXPECT_FALSE(schedule("s")["spec"].contains("skipImmediately"));
}

TEST_F(ScheduleChanges, PauseStaysInItsNamespaceUnlessCalledAsVelero) {
  cluster_.create({"", "v1", "namespaces"}, "", {{"metadata", {{"name", "other"}}}});
  const kube::Resource others = cluster_.objects(api::kSchedule).in("other");
  make("s");
  Json other = schedule("s");
  other["metadata"] = {{"name", "o"}, {"namespace", "other"}};
  ASSERT_TRUE(others.create(other, {}));
  EXPECT_EQ(cluster_.run({"schedule", "pause", "--all"}).out, "Schedule s paused successfully\n");
  EXPECT_EQ(cluster_.run_as_velero({"schedule", "pause", "--all"}).out,
            "Schedule o paused successfully\nSchedule s is already paused, skip\n");
}

TEST_F(ScheduleChanges, PauseGoesOnAfterANameThatIsNotThere) {
  make("s");
  const Ran ran = cluster_.run({"schedule", "pause", "t", "s"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.out, "Schedule s paused successfully\n");
  EXPECT_THAT(ran.err, HasSubstr("schedule \"t\" not found"));
  EXPECT_EQ(cluster_.run({"schedule", "pause", "-l", "name=x"}).out, "No schedules found\n");
  EXPECT_EQ(cluster_.run({"schedule", "pause"}).code, 1);
}

TEST_F(ScheduleChanges, DeleteThoseThatAreChosen) {
  make("s");
  make("t");
  EXPECT_EQ(cluster_.run({"schedule", "delete", "-l", "name=s", "--confirm"}).out, "Schedule deleted: s\n");
  EXPECT_EQ(schedules(), 1U);
}

}  // namespace
}  // namespace landfall::cli
