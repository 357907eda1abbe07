#include "control/storage_location_reconciler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/encoding.h"
#include "base/manual_clock.h"
#include "control/location_clash.h"
#include "control/test_stored_backups.h"
#include "io/file.h"

namespace landfall::control {
namespace {

using json::Json;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct StorageLocationTest : ::testing::Test {
  std::optional<Duration> reconcile(const std::string& name = "default") {
    return TestCluster::must(reconciler.reconcile({"velero", name}, {})).again_after;
  }
  Json location(const std::string& name = "default") { return cluster.get(api::kBackupStorageLocation, name); }
  Json status(const std::string& name = "default") { return location(name)["status"]; }
  bool is_default(const std::string& name) { return location(name)["spec"].value("default", false); }

  TestCluster cluster;
  StoredBackups bucket{cluster};
  ManualClock clock;
  StorageLocationReconciler reconciler{with_clock(cluster, clock), {}};
};

TEST_F(StorageLocationTest, FindsAGoodBucketAvailableAndLooksAgainAMinuteLater) {
  cluster.create_location("default", {{"accessMode", "ReadOnly"}});

  EXPECT_EQ(reconcile(), minutes(1));

  EXPECT_EQ(status(), (Json{{"phase", "Available"}, {"lastValidationTime", "2030-01-01T00:00:00Z"}}));
  EXPECT_TRUE(bucket.files().empty());
  EXPECT_THAT(cluster.metrics().text(),
              HasSubstr("velero_backup_location_status_gauge{backup_location_name=\"default\"} 1"));
}

TEST_F(StorageLocationTest, LooksAgainAtItsFrequencyAndNotBefore) {
  cluster.create_location("default", {{"validationFrequency", "5m"}});
  EXPECT_EQ(reconcile(), minutes(5));
  std::filesystem::remove(cluster.bucket());

  clock.advance(minutes(2));
  EXPECT_EQ(reconcile(), minutes(3));
  EXPECT_EQ(status()["phase"], "Available");

  clock.advance(minutes(3));
  EXPECT_EQ(reconcile(), minutes(5));
  EXPECT_EQ(status()["phase"], "Unavailable");
  EXPECT_THAT(status()["message"], HasSubstr("bucket"));
  EXPECT_THAT(cluster.metrics().text(),
              HasSubstr("velero_backup_location_status_gauge{backup_location_name=\"default\"} 0"));
}

TEST_F(StorageLocationTest, SweepsWhatDeadUploadsLeftUnlessItIsReadOnly) {
  const std::filesystem::path folder = std::filesystem::path(cluster.bucket()) / "backups" / "b";
  std::filesystem::create_directories(folder);
  const std::filesystem::path left = folder / ".landfall-tmp-0123456789abcdef";
  ASSERT_TRUE(io::write_file(left, "half of it", {}));
  cluster.create_location("default", {{"accessMode", "ReadOnly"}});
  reconcile();
  EXPECT_TRUE(std::filesystem::exists(left));

  TestCluster::must(cluster.objects(api::kBackupStorageLocation)
                        .patch("default", kube::PatchType::kMerge, {{"spec", {{"accessMode", "ReadWrite"}}}}, {}));
  clock.advance(std::chrono::hours(24));
  reconcile();
  EXPECT_FALSE(std::filesystem::exists(left));
}

TEST_F(StorageLocationTest, LooksAtOnceWhenTheSpecHasChanged) {
  cluster.create_location("default", {{"validationFrequency", "0s"}});
  EXPECT_EQ(reconcile(), std::nullopt);
  clock.advance(minutes(60));
  EXPECT_EQ(reconcile(), std::nullopt);
  EXPECT_EQ(status()["lastValidationTime"], "2030-01-01T00:00:00Z");

  patch(cluster, api::kBackupStorageLocation, "default", {{"spec", {{"provider", "punchcards"}}}});
  reconcile();

  EXPECT_EQ(status()["phase"], "Unavailable");
  EXPECT_THAT(status()["message"], HasSubstr("\"punchcards\""));
}

TEST_F(StorageLocationTest, SaysWhatIsWrongWithTheBucketOrTheSpec) {
  bucket.write("photos/cat.jpg", "meow");
  cluster.create_location("default");
  cluster.create_location(
      "hasty", {{"validationFrequency", "soon"}, {"objectStorage", {{"bucket", "bucket"}, {"prefix", "x"}}}});
  reconcile();
  reconcile("hasty");

  EXPECT_THAT(status()["message"], HasSubstr("photos"));
  EXPECT_EQ(status("hasty")["phase"], "Unavailable");
  EXPECT_THAT(status("hasty")["message"], HasSubstr("spec.validationFrequency"));
}

TEST_F(StorageLocationTest, NeverShowsCredentials) {
  cluster.create({"", "v1", "secrets"}, "velero",
                 {{"metadata", {{"name", "keys"}}}, {"data", {{"cloud", base64_encode("hunter2 without a section")}}}});
  cluster.create_location("default", {{"provider", "aws"},
                                      {"config", {{"region", "eu-north-1"}}},
                                      {"credential", {{"name", "keys"}, {"key", "cloud"}}}});
  reconcile();

  EXPECT_EQ(status()["phase"], "Unavailable");
  EXPECT_THAT(status()["message"].get<std::string>(), AllOf(HasSubstr("credentials"), Not(HasSubstr("hunter2"))));
}

TEST_F(StorageLocationTest, RefusesTheYoungerOfTwoThatWriteToOnePlace) {
  // In the order of their names, by which those are as old that are created within one second.
  cluster.create_location("archive", {{"accessMode", "ReadOnly"}});
  cluster.create_location("default");
  cluster.create_location("mirror");
  for (const char* const name : {"default", "mirror", "archive"}) reconcile(name);

  EXPECT_EQ(status("archive")["phase"], "Available");
  EXPECT_EQ(status("default")["phase"], "Available");
  EXPECT_THAT(status("default")["message"], HasSubstr("warning: the same bucket and prefix"));
  EXPECT_EQ(status("mirror")["phase"], "Unavailable");
  EXPECT_THAT(status("mirror")["message"], HasSubstr("\"default\""));
}

TEST_F(StorageLocationTest, KeepsTheNewestOfSeveralDefaults) {
  cluster.create_location("default");
  // The API server's clock has whole seconds.
  const std::string first = location()["metadata"]["creationTimestamp"];
  Json newer;
  do {
    if (!newer.is_null()) TestCluster::must(cluster.objects(api::kBackupStorageLocation).remove("new", {}));
    newer = cluster.create_location("new", {{"default", true}, {"objectStorage", {{"bucket", "other"}}}});
  } while (newer["metadata"]["creationTimestamp"] == first);

  reconcile();

  EXPECT_FALSE(is_default("default"));
  EXPECT_TRUE(is_default("new"));
}

TEST_F(StorageLocationTest, MakesTheNamedOneTheDefaultWhenThereIsNone) {
  cluster.create_location("other", {{"objectStorage", {{"bucket", "other"}}}});
  reconcile("other");
  EXPECT_FALSE(is_default("other"));
  cluster.create_location("default", {{"default", false}});

  reconcile("other");

  EXPECT_TRUE(is_default("default"));
}

TEST_F(StorageLocationTest, ForgetsALocationThatIsGone) {
  cluster.create_location("default");
  reconcile();
  TestCluster::must(cluster.objects(api::kBackupStorageLocation).remove("default", {}));

  EXPECT_EQ(reconcile(), std::nullopt);

  EXPECT_THAT(cluster.metrics().text(), Not(HasSubstr("backup_location_name=\"default\"")));
}

TEST_F(StorageLocationTest, WritesNothingWhenItIsStopped) {
  cluster.create_location("default", {{"provider", "punchcards"}});
  std::stop_source stop;
  stop.request_stop();

  EXPECT_FALSE(reconciler.reconcile({"velero", "default"}, stop.get_token()));

  EXPECT_EQ(status()["phase"], "Available");
}

Json place(const std::string& name, const std::string& prefix, const Json& spec = Json::object()) {
  Json whole = {{"provider", "aws"}, {"objectStorage", {{"bucket", "b"}, {"prefix", prefix}}}};
  whole.update(spec);
  return {{"metadata", {{"name", name}, {"creationTimestamp", "2030-01-01T00:00:00Z"}}}, {"spec", whole}};
}

TEST(LocationClash, IsAnErrorForAPrefixInsideAnother) {
  const Json outer = place("a", "");
  const Json inner = place("b", "backups/nightly/");
  EXPECT_TRUE(clash_of(inner, {outer, inner}).value().is_error);
  EXPECT_EQ(clash_of(outer, {outer, inner}), std::nullopt) << "it was there first";
  EXPECT_TRUE(clash_of(place("z", ""), {inner}).value().is_error);
}

TEST(LocationClash, IsNoneBetweenDifferentPlaces) {
  const Json here = place("a", "team");
  EXPECT_EQ(clash_of(place("b", "team2"), {here}), std::nullopt);
  EXPECT_EQ(clash_of(place("b", "team", {{"config", {{"s3Url", "http://minio:9000"}}}}), {here}), std::nullopt);
  EXPECT_EQ(clash_of(place("b", "team", {{"provider", "azure"}}), {here}), std::nullopt);
  EXPECT_TRUE(clash_of(place("b", "/team/", {{"provider", "velero.io/aws"}}), {here}).value().is_error);
}

}  // namespace
}  // namespace landfall::control
