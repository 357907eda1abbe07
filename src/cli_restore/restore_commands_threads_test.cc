#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/test_cluster.h"
#include "cli_restore/commands.h"

namespace landfall::cli {
namespace {

using json::Json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kOurs = "v1.18.3+landfall.0";

class RestoreCommands : public testing::Test {
 protected:
  void create(const std::string& name, const Json& status, const Json& spec = Json::object()) const {
    Json whole = {{"backupName", "nightly"}};
    whole.update(spec);
    cluster_.create(
        api::kRestore,
        {{"metadata", {{"name", name}, {"labels", {{"team", "blue"}}}}}, {"spec", whole}, {"status", status}});
  }
  static Json running() {
    return Json::parse(R"({"phase": "InProgress", "startTimestamp": "2026-05-20T10:01:00Z", "progress": {
      "totalItems": 10, "itemsRestored": 4, "itemsInBackup": 13, "itemsNotSelected": 3,
      "notSelected": {"NamespaceExcluded": 2, "ResourceExcluded": 1},
      "outcomes": {"created": 2, "updated": 0, "unchanged": 1, "skipped": 0, "failed": 1},
      "step": "RestoringItems", "current": "pods shop/web", "itemsPerMinute": 1200,
      "stalled": {"since": "2026-05-20T10:02:00Z", "reason": "throttled", "item": "pods shop/web"}}})");
  }

  TestCluster cluster_{add_restore_command};
};

TEST_F(RestoreCommands, GetShowsVelerosTable) {
  create("one", {{"phase", "Completed"}, {"startTimestamp", "2026-05-20T10:01:00Z"}, {"warnings", 2}},
         {{"labelSelector", {{"matchLabels", {{"a", "b"}}}}}});
  create("two", {{"phase", "Failed"}, {"failureReason", "canceled"}, {"canceled", true}});
  const Ran ran = cluster_.run({"restore", "get"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("NAME   BACKUP    STATUS      STARTED                         COMPLETED   ERRORS   "
                                 "WARNINGS   CREATED "));
  EXPECT_THAT(ran.out,
              HasSubstr("one    nightly   Completed   2026-05-20 10:01:00 +0000 UTC   <nil>       0        2 "));
  EXPECT_THAT(ran.out, AllOf(HasSubstr("a=b\n"), HasSubstr("two    nightly   Canceled ")));
  EXPECT_THAT(cluster_.run_as_velero({"restore", "get"}).out, Not(HasSubstr("Canceled")));
  EXPECT_EQ(cluster_.run({"restore", "get", "-l", "team=red"}).out, "");
  EXPECT_THAT(cluster_.run({"restore", "get", "one", "-o", "wide", "-L", "team"}).out, HasSubstr("PROGRESS"));
  EXPECT_EQ(cluster_.run({"restore", "get", "two", "-o", "name"}).out, "restore.velero.io/two\n");
  EXPECT_THAT(cluster_.run({"restore", "get", "nope"}).err, HasSubstr("restore \"nope\" not found"));
}

TEST_F(RestoreCommands, DescribeSaysHowFarARunningRestoreIs) {
  create("r", running());
  PlayedServer server(cluster_, kOurs);
  const Ran ran = cluster_.run({"restore", "describe", "r", "--colorized=false"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, testing::StartsWith("Name:         r\n"
                                           "Namespace:    velero\n"
                                           "Labels:       team=blue\n"
                                           "Annotations:  <none>\n"
                                           "\n"
                                           "Phase:                                 InProgress\n"
                                           "Estimated total items to be restored:  10\n"
                                           "Items restored so far:                 4\n"
                                           "\n"
                                           "Started:    2026-05-20 10:01:00 +0000 UTC\n"
                                           "Completed:  <n/a>\n"
                                           "\n"
                                           "Progress:\n"
                                           "  Items in the backup:  13\n"
                                           "  Not selected:         3\n"
                                           "    NamespaceExcluded:  2\n"
                                           "    ResourceExcluded:   1\n"
                                           "  Created:              2\n"));
  EXPECT_THAT(
      ran.out,
      AllOf(HasSubstr("  Remaining:            6\n"), HasSubstr("  Step:                 RestoringItems\n"),
            HasSubstr("  Now:                  pods shop/web\n"),
            HasSubstr("  Rate:                 1,200 items a minute\n"), HasSubstr(": throttled (pods shop/web)\n"),
            HasSubstr("\nBackup:  nightly\n"), HasSubstr("  Cluster-scoped:  auto\n")));
  EXPECT_THAT(cluster_.run_as_velero({"restore", "describe", "r"}).out, Not(HasSubstr("Progress:")));
}

TEST_F(RestoreCommands, DescribeShowsResultsAndTheResourceList) {
  create("r",
         {{"phase", "PartiallyFailed"}, {"startTimestamp", "2026-05-20T10:01:00Z"}, {"errors", 1}, {"warnings", 1}});
  PlayedServer server(cluster_, kOurs);
  server.serve("RestoreResults",
               R"({"errors": {"namespaces": {"shop": ["pods/web: refused"]}}, "warnings": {"cluster": ["x"]}})");
  server.serve("RestoreResourceList", R"x({"v1/Pod": ["shop/web(failed)", "shop/db(created)"]})x");
  const Ran ran = cluster_.run({"restore", "describe", "r", "--details"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("Phase:  PartiallyFailed (run 'landfall restore logs r' for more information)\n"));
  EXPECT_THAT(ran.out, HasSubstr("Warnings:\n"
                                 "  Velero:     <none>\n"
                                 "  Cluster:  x\n"
                                 "  Namespaces: <none>\n"
                                 "\n"
                                 "Errors:\n"));
  EXPECT_THAT(ran.out, HasSubstr("  Namespaces:\n    shop:  pods/web: refused\n"));
  EXPECT_THAT(ran.out, testing::EndsWith("Resource List:\n"
                                         "  v1/Pod:\n"
                                         "    - shop/web(failed)\n"
                                         "    - shop/db(created)\n"));
}

TEST_F(RestoreCommands, DescribePrintsOneAsADocument) {
  create("r", {{"phase", "Completed"}, {"startTimestamp", "2026-05-20T10:01:00Z"}});
  create("other", running());
  PlayedServer server(cluster_, kOurs);
  server.serve("r/RestoreVolumeInfo", R"([{"pvcName": "books", "result": "succeeded", "new": 1}])");
  const Ran ran = cluster_.run({"restore", "describe", "r", "-o", "json", "--details"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  const Json document = Json::parse(ran.out);
  EXPECT_EQ(document["metadata"]["name"], "r");
  EXPECT_EQ(document["status"]["restoreVolumes"]["volumeInfo"][0]["new"], 1);
  const Ran both = cluster_.run({"restore", "describe", "-o", "json"});
  EXPECT_EQ(both.code, 1);
  EXPECT_THAT(both.err, HasSubstr("-o json is for one restore: name it"));
}

TEST_F(RestoreCommands, DescribeGoesOnWithoutVolumeInformation) {
  create("r", {{"phase", "Completed"}, {"startTimestamp", "2026-05-20T10:01:00Z"}});
  PlayedServer server(cluster_, kOurs);
  const Ran missing = cluster_.run({"restore", "describe", "r", "--details"});
  EXPECT_EQ(missing.code, 0) << missing.err;
  EXPECT_THAT(missing.out, AllOf(HasSubstr("\nVolumes:  <no volume information: this restore has no such file>\n"),
                                 HasSubstr("Resource List:")));
  server.serve("RestoreVolumeInfo", "[{");
  for (const Ran& ran : {cluster_.run({"restore", "describe", "r", "--details"}),
                         cluster_.run_as_velero({"restore", "describe", "r"})}) {
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.out, AllOf(HasSubstr("<error getting restore volume info: this is not JSON"),
                               HasSubstr("Preserve Service NodePorts:")));
  }
}

TEST_F(RestoreCommands, LogsPrintsAndFollows) {
  create("r", running());
  PlayedServer server(cluster_, kOurs);
  server.serve("RestoreLog", "one\ntwo\n");
  EXPECT_EQ(cluster_.run({"restore", "logs", "r"}).out, "one\ntwo\n");
  EXPECT_EQ(cluster_.run({"restore", "logs", "r", "-f"}).out, "one\ntwo\n");
  ASSERT_FALSE(server.requests().empty());
  EXPECT_THAT(server.requests().back().target, HasSubstr("&follow=true"));
  EXPECT_THAT(cluster_.run_as_velero({"restore", "logs", "r"}).err, HasSubstr("not available until it has ended"));
}

TEST_F(RestoreCommands, LogsAndPlanSayWhyThereIsNone) {
  create("r", {{"phase", "FailedValidation"}, {"validationErrors", {"backup x does not exist"}}});
  const PlayedServer server(cluster_, kOurs);
  EXPECT_THAT(cluster_.run({"restore", "logs", "r"}).err, HasSubstr("'landfall restore describe r' says why"));
  EXPECT_THAT(cluster_.run({"restore", "plan", "r"}).err, HasSubstr("has no plan"));
  EXPECT_THAT(cluster_.run({"restore", "plan", "nope"}).err, HasSubstr("restore \"nope\" not found"));
  EXPECT_THAT(cluster_.run({"restore", "describe", "r"}).out,
              HasSubstr("Validation errors:  backup x does not exist\n"));
}

TEST_F(RestoreCommands, PlanPrintsTheDocument) {
  create("r", running());
  PlayedServer server(cluster_, kOurs);
  server.serve("RestorePlan", "{\"items\": [1]}\n");
  EXPECT_EQ(cluster_.run({"restore", "plan", "r", "-o", "json"}).out, "{\"items\": [1]}\n");
  EXPECT_EQ(cluster_.run({"restore", "plan", "r", "-o", "yaml"}).out, "items:\n- 1\n");
}

TEST_F(RestoreCommands, SaysThatNoServerAnswers) {
  create("r", running());
  const Ran ran = cluster_.run({"restore", "logs", "r", "--timeout", "100ms"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("the server has named no address"));
}

TEST_F(RestoreCommands, CancelAsksForItAndWaits) {
  create("r", running());
  create("done", {{"phase", "Completed"}});
  const PlayedServer server(cluster_, kOurs, {{api::kRestore, [](Json& restore) {
                                                 if (!json::bool_or(restore, {"spec", "cancel"}, false)) return;
                                                 restore["status"]["phase"] = "Failed";
                                                 restore["status"]["canceled"] = true;
                                               }}});
  const Ran ran = cluster_.run({"restore", "cancel", "r", "--wait"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("Restore r was canceled: 4 of 10 items (2 created, 1 unchanged, 1 failed)\n"));
  EXPECT_THAT(cluster_.run({"restore", "cancel", "done"}).err, HasSubstr("has ended already: Completed"));
}

TEST_F(RestoreCommands, CancelIsRefusedWhereTheServerIsVelero) {
  create("r", running());
  const PlayedServer server(cluster_, "v1.18.3");
  EXPECT_THAT(cluster_.run({"restore", "cancel", "r"}).err, HasSubstr("cannot cancel a restore"));
  EXPECT_FALSE(cluster_.objects(api::kRestore).get("r", {}).value()["spec"].contains("cancel"));
}

TEST_F(RestoreCommands, DeleteWantsToBeConfirmed) {
  create("r", running());
  EXPECT_THAT(cluster_.run({"restore", "delete", "r"}, {.input = "what?\nn\n"}).out, HasSubstr("Are you sure"));
  EXPECT_THAT(cluster_.run({"restore", "delete", "--confirm"}).err, HasSubstr("say which: names, --all or --selector"));
  EXPECT_TRUE(cluster_.objects(api::kRestore).get("r", {}));
  const Ran ran = cluster_.run({"restore", "delete", "r", "--confirm"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("Request to delete restore \"r\" submitted successfully.\n"));
  EXPECT_FALSE(cluster_.objects(api::kRestore).get("r", {}));
}

}  // namespace
}  // namespace landfall::cli
