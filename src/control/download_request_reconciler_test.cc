#include "control/download_request_reconciler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/artifact_route.h"
#include "base/encoding.h"
#include "base/guarded.h"
#include "base/manual_clock.h"
#include "base/strings.h"
#include "control/test_cluster.h"
#include "json/json.h"
#include "testkit/scripted_server.h"

namespace landfall::control {
namespace {

using api::DownloadTarget;
using json::Json;
using std::chrono::minutes;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kEndpoint = "http://velero.example:8086/artifacts?token=";

struct DownloadRequestTest : ::testing::Test {
  DownloadRequestTest() { cluster.create_location("default"); }

  void create_backup(const std::string& name, const std::string& location = "default") {
    cluster.create(api::kBackup, {{"metadata", {{"name", name}}}, {"spec", {{"storageLocation", location}}}});
  }
  void ask(const std::string& kind, const std::string& name) {
    cluster.create(api::kDownloadRequest,
                   {{"metadata", {{"name", "ask"}}}, {"spec", {{"target", {{"kind", kind}, {"name", name}}}}}});
  }
  Result<kube::Reconciled> reconcile() {
    const Context& given = cluster.context();
    const Context context{given.client, given.name_space, clock,         given.random,
                          given.log,    given.locations,  given.running, given.metrics};
    DownloadRequestReconciler reconciler(context, tokens, settings);
    return reconciler.reconcile({"velero", "ask"}, {});
  }
  Json status() { return cluster.get(api::kDownloadRequest, "ask")["status"]; }
  // What the address of our own endpoint is good for.
  ArtifactGrant granted() {
    const std::string url = status()["downloadURL"];
    return TestCluster::must(tokens.check(strip_prefix(url, kEndpoint).value_or(""), clock.wall_now()));
  }
  ArtifactGrant expected(DownloadTarget target, const std::string& name, const std::string& location = "default") {
    return {.target = target, .name = name, .location = location, .expires = clock.wall_now() + minutes(10)};
  }
  void create_signing_location(const std::string& name, const std::string& url = "http://s3.example:9000") {
    cluster.create({"", "v1", "secrets"}, "velero",
                   {{"metadata", {{"name", "s3"}, {"namespace", "velero"}}},
                    {"data",
                     {{"cloud", base64_encode("[default]\naws_access_key_id=AKIATEST\n"
                                              "aws_secret_access_key=secret-of-the-store\n")}}}});
    cluster.create_location(name, {{"provider", "aws"},
                                   {"config", {{"region", "eu-1"}, {"s3Url", url}, {"s3ForcePathStyle", "true"}}},
                                   {"credential", {{"name", "s3"}, {"key", "cloud"}}}});
  }

  TestCluster cluster;
  ManualClock clock;
  ArtifactTokens tokens{system_random()};
  DownloadRequestReconciler::Settings settings{.endpoint_url = "http://velero.example:8086"};
};

TEST_F(DownloadRequestTest, GivesAnAddressOfOurOwnWhereTheStoreCannotSign) {
  create_backup("nightly");
  ask("BackupContents", "nightly");
  EXPECT_EQ(reconcile().value().again_after, minutes(10));
  EXPECT_EQ(status()["phase"], "Processed");
  EXPECT_EQ(status()["expiration"], "2030-01-01T00:10:00Z");
  EXPECT_EQ(granted(), expected(DownloadTarget::kBackupContents, "nightly"));
}

TEST_F(DownloadRequestTest, GivesTheStoresOwnAddressWhereItSigns) {
  create_signing_location("s3");
  create_backup("nightly", "s3");
  ask("BackupResults", "nightly");
  ASSERT_TRUE(reconcile());
  EXPECT_THAT(status()["downloadURL"].get<std::string>(),
              StartsWith("http://s3.example:9000/bucket/backups/nightly/nightly-results.gz?"));
  EXPECT_THAT(status()["downloadURL"].get<std::string>(), HasSubstr("X-Amz-Expires=600"));
}

TEST_F(DownloadRequestTest, SignsTheNameByWhichTheVolumesOfARestoreAreThere) {
  Guarded<std::string> there;
  const testkit::ScriptedServer store(testkit::ScriptedServer::answering([&](const testkit::ScriptedRequest& request) {
    const std::string file = there.copy();
    return testkit::reply(!file.empty() && contains(request.target, file) ? 200 : 404);
  }));
  create_signing_location("s3", store.url(""));
  create_backup("nightly", "s3");
  cluster.create(api::kRestore, {{"metadata", {{"name", "r1"}}}, {"spec", {{"backupName", "nightly"}}}});
  for (const auto& [file, signed_file] :
       {std::pair("r1-volumeinfo.json.gz", "r1-volumeinfo.json.gz"), std::pair("r1-vol-info.json", "r1-vol-info.json"),
        std::pair("", "r1-volumeinfo.json.gz")}) {
    there.with([&](std::string& name) { name = file; });
    ask("RestoreVolumeInfo", "r1");
    ASSERT_TRUE(reconcile());
    EXPECT_THAT(status()["downloadURL"].get<std::string>(),
                StartsWith(store.url("/bucket/restores/r1/") + signed_file + "?"));
    TestCluster::must(cluster.objects(api::kDownloadRequest).remove("ask", {}));
  }
}

TEST_F(DownloadRequestTest, InAPodNamesTheWayThroughTheApiServerBesideTheStoresAddress) {
  settings.pod = "velero-7d9";
  settings.endpoint_port = 8086;
  create_signing_location("s3");
  create_backup("nightly", "s3");
  ask("BackupResults", "nightly");
  ASSERT_TRUE(reconcile());
  EXPECT_THAT(status()["downloadURL"].get<std::string>(), StartsWith("http://s3.example:9000/"));
  const auto route = api::artifact_route_of(cluster.get(api::kDownloadRequest, "ask"));
  ASSERT_TRUE(route);
  EXPECT_EQ(route->pod, "velero-7d9");
  EXPECT_EQ(route->port, 8086);
  EXPECT_EQ(route->path, "/artifacts");
  EXPECT_EQ(TestCluster::must(tokens.check(route->token, clock.wall_now())),
            expected(DownloadTarget::kBackupResults, "nightly", "s3"));
}

TEST_F(DownloadRequestTest, OutsideOfAPodNamesNoWayThroughTheApiServer) {
  create_backup("nightly");
  ask("BackupResults", "nightly");
  ASSERT_TRUE(reconcile());
  EXPECT_FALSE(api::artifact_route_of(cluster.get(api::kDownloadRequest, "ask")));
}

TEST_F(DownloadRequestTest, FindsTheLocationOfARestoreThroughItsBackup) {
  cluster.create_location("other");
  create_backup("nightly", "other");
  cluster.create(api::kRestore, {{"metadata", {{"name", "r1"}}}, {"spec", {{"backupName", "nightly"}}}});
  ask("RestorePlan", "r1");
  ASSERT_TRUE(reconcile());
  EXPECT_EQ(granted(), expected(DownloadTarget::kRestorePlan, "r1", "other"));
}

TEST_F(DownloadRequestTest, TakesTheLogOfARunningOperationFromThisProcess) {
  create_signing_location("s3");
  create_backup("nightly", "s3");
  const auto log = operation::RunLog::create(cluster.bucket(), io::LogFormat::kText).value();
  const auto running = cluster.running().begin(api::kBackup, "nightly", log, std::stop_source());
  ask("BackupLog", "nightly");
  ASSERT_TRUE(reconcile());
  EXPECT_EQ(granted(), expected(DownloadTarget::kBackupLog, "nightly", "s3"));
}

TEST_F(DownloadRequestTest, LooksInTheDefaultLocationForABackupThatNobodyHasLookedAtYet) {
  create_backup("new", "");
  ask("BackupVolumeInfos", "new");
  ASSERT_TRUE(reconcile());
  EXPECT_EQ(granted(), expected(DownloadTarget::kBackupVolumeInfos, "new"));
}

TEST_F(DownloadRequestTest, AnswersAtOnceWhereThereIsNothingToBeHad) {
  ask("BackupLog", "no-such-backup");
  ASSERT_TRUE(reconcile());
  EXPECT_EQ(granted().location, "");
  TestCluster::must(cluster.objects(api::kDownloadRequest).remove("ask", {}));

  create_backup("lost", "no-such-location");
  ask("BackupLog", "lost");
  ASSERT_TRUE(reconcile());
  EXPECT_EQ(granted().location, "no-such-location");
}

TEST_F(DownloadRequestTest, RefusesWhatCanBeNoName) {
  ask("BackupLog", "../other");
  const auto failed = reconcile();
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message(), StartsWith("download request ask: spec.target.name: "));
  EXPECT_EQ(status(), Json({{"expiration", "2030-01-01T00:10:00Z"}}));
}

TEST_F(DownloadRequestTest, WithoutAnEndpointLeavesUnansweredWhatNeedsOneAndRemovesItLater) {
  settings.endpoint_url.clear();
  create_backup("nightly");
  ask("BackupContents", "nightly");
  const auto failed = reconcile();
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message(), HasSubstr("download request ask: BackupContents of \"nightly\""));
  EXPECT_EQ(status(), Json({{"expiration", "2030-01-01T00:10:00Z"}}));
  clock.advance(minutes(10));
  ASSERT_TRUE(reconcile());
  EXPECT_EQ(cluster.objects(api::kDownloadRequest).get("ask", {}).error().code(), Code::kNotFound);
}

TEST_F(DownloadRequestTest, RemovesTheRequestWhenItsAddressHasExpired) {
  create_backup("nightly");
  ask("BackupLog", "nightly");
  ASSERT_TRUE(reconcile());
  const Json answered = status();
  clock.advance(minutes(9));
  EXPECT_EQ(reconcile().value().again_after, minutes(1));
  EXPECT_EQ(status(), answered);
  clock.advance(minutes(1));
  ASSERT_TRUE(reconcile());
  EXPECT_EQ(cluster.objects(api::kDownloadRequest).get("ask", {}).error().code(), Code::kNotFound);
  EXPECT_TRUE(reconcile());
}

}  // namespace
}  // namespace landfall::control
