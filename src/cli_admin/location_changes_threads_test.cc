#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/encoding.h"
#include "cli/test_cluster.h"
#include "cli_admin/commands.h"

namespace landfall::cli {
namespace {

using json::Json;
using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kPem = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";

class LocationChanges : public testing::Test {
 protected:
  LocationChanges() { std::ofstream(ca()) << kPem; }
  std::string ca() const { return (cluster_.directory().path() / "ca.pem").string(); }
  Json location(const std::string& name) const {
    return cluster_.objects(api::kBackupStorageLocation).get(name, {}).value();
  }
  Ran create(std::vector<std::string> more) const {
    more.insert(more.begin(), {"backup-location", "create"});
    more.insert(more.end(), {"--provider", "aws", "--bucket", "b"});
    return cluster_.run(more);
  }

  TestCluster cluster_{[](const Command& root) {
    add_backup_location_command(root);
    add_snapshot_location_command(root);
  }};
};

TEST_F(LocationChanges, CreateWhatTheFlagsSay) {
  const Ran ran = create({"far", "--prefix", "p", "--config", "region=x,\"tagging=a=b,c\"", "--credential",
                          "keys=cloud", "--cacert", ca(), "--default", "--access-mode", "ReadOnly",
                          "--backup-sync-period", "0s", "--validation-frequency=2m", "--labels", "a=b"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "Backup storage location \"far\" configured successfully.\n");
  EXPECT_EQ(location("far")["metadata"]["labels"], Json({{"a", "b"}}));
  EXPECT_EQ(location("far")["spec"],
            Json({{"provider", "aws"},
                  {"accessMode", "ReadOnly"},
                  {"default", true},
                  {"config", {{"region", "x"}, {"tagging", "a=b,c"}}},
                  {"credential", {{"name", "keys"}, {"key", "cloud"}}},
                  {"objectStorage", {{"bucket", "b"}, {"prefix", "p"}, {"caCert", base64_encode(kPem)}}},
                  {"backupSyncPeriod", "0s"},
                  {"validationFrequency", "2m0s"}}));
}

TEST_F(LocationChanges, CreateRefusesWhatCannotBeMeant) {
  EXPECT_THAT(cluster_.run({"backup-location", "create", "x", "--bucket", "b"}).err,
              HasSubstr("--provider is required"));
  EXPECT_THAT(cluster_.run({"backup-location", "create", "x", "--provider", "aws"}).err,
              HasSubstr("--bucket is required"));
  EXPECT_THAT(create({"x", "--credential", "a=b,c=d"}).err, HasSubstr("one SECRET=KEY only"));
  EXPECT_THAT(create({"x", "--access-mode", "Sometimes"}).err, HasSubstr("is not one of ReadWrite|ReadOnly"));
  EXPECT_THAT(create({"x", "--backup-sync-period=-1s"}).err, HasSubstr("cannot be negative"));
  EXPECT_THAT(create({"x", "--cacert", cluster_.kubeconfig()}).err, HasSubstr("holds no certificates"));
  EXPECT_EQ(create({"first", "--default"}).code, 0);
  EXPECT_THAT(create({"second", "--default"}).err,
              AllOf(HasSubstr("\"first\" is the default already"),
                    HasSubstr("'landfall backup-location set first --default=false'")));
}

TEST_F(LocationChanges, CreatePrintsInsteadOfSending) {
  const Ran ran = create({"x", "-o", "json"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(Json::parse(ran.out)["spec"]["objectStorage"], Json({{"bucket", "b"}}));
  EXPECT_FALSE(cluster_.objects(api::kBackupStorageLocation).get("x", {}));
}

TEST_F(LocationChanges, SetChangesWhatIsSaidAndNothingElse) {
  ASSERT_EQ(create({"far", "--cacert", ca(), "--config", "region=x"}).code, 0);
  const Ran ran = cluster_.run({"backup-location", "set", "far", "--default", "--credential", "new=key"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "Backup storage location \"far\" configured successfully.\n");
  const Json spec = location("far")["spec"];
  EXPECT_EQ(spec["default"], true);
  EXPECT_EQ(spec["credential"], Json({{"name", "new"}, {"key", "key"}}));
  EXPECT_EQ(spec["objectStorage"]["caCert"], base64_encode(kPem));
  EXPECT_EQ(spec["config"], Json({{"region", "x"}}));

  EXPECT_EQ(cluster_.run({"backup-location", "set", "far", "--default=false", "--cacert", ""}).code, 0);
  EXPECT_FALSE(location("far")["spec"].contains("default"));
  EXPECT_FALSE(location("far")["spec"]["objectStorage"].contains("caCert"));
  EXPECT_THAT(cluster_.run({"backup-location", "set", "far"}).err, HasSubstr("what is to be set?"));
}

TEST_F(LocationChanges, SetAsVeleroForgetsTheCertificates) {
  ASSERT_EQ(create({"far", "--cacert", ca()}).code, 0);
  EXPECT_EQ(cluster_.run_as_velero({"backup-location", "set", "far", "--credential", "new=key"}).code, 0);
  EXPECT_FALSE(location("far")["spec"]["objectStorage"].contains("caCert"));
}

TEST_F(LocationChanges, SetMakesNoSecondDefault) {
  ASSERT_EQ(create({"first", "--default"}).code, 0);
  ASSERT_EQ(create({"second"}).code, 0);
  EXPECT_EQ(cluster_.run({"backup-location", "set", "first", "--default"}).out,
            "Backup storage location \"first\" is already the default backup storage location.\n");
  const Ran ran = cluster_.run({"backup-location", "set", "second", "--default"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("\"first\" is the default: unset it first"));
}

TEST_F(LocationChanges, DeleteTakesTheBackupsOfTheLocationWithIt) {
  ASSERT_EQ(create({"far"}).code, 0);
  for (const std::string place : {"far", "near"}) {
    cluster_.create(api::kBackup,
                    {{"metadata", {{"name", "at-" + place}, {"labels", {{"velero.io/storage-location", place}}}}},
                     {"spec", Json::object()}});
  }
  cluster_.create(api::kBackupRepository,
                  {{"metadata", {{"name", "repo"}, {"labels", {{"velero.io/storage-location", "far"}}}}},
                   {"spec",
                    {{"volumeNamespace", "shop"},
                     {"backupStorageLocation", "far"},
                     {"resticIdentifier", ""},
                     {"maintenanceFrequency", "1h"}}}});
  const Ran ran = cluster_.run({"backup-location", "delete", "far", "--confirm"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out,
            "Backup storage location \"far\" deleted successfully.\n"
            "Backup associated with deleted BSL(s) \"at-far\" deleted successfully.\n"
            "Backup repository associated with deleted BSL(s) \"repo\" deleted successfully.\n");
  EXPECT_EQ(cluster_.objects(api::kBackup).list({}, {}).value().items.size(), 1U);
  EXPECT_FALSE(cluster_.objects(api::kBackupStorageLocation).get("far", {}));
}

TEST_F(LocationChanges, CoverLocationsOfSnapshots) {
  const auto spec = [&] { return cluster_.objects(api::kVolumeSnapshotLocation).get("v", {}).value()["spec"]; };
  Ran ran = cluster_.run(
      {"snapshot-location", "create", "v", "--provider", "aws", "--config", "region=x", "--credential", "keys=cloud"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "Snapshot volume location \"v\" configured successfully.\n");
  EXPECT_EQ(
      spec(),
      Json({{"provider", "aws"}, {"config", {{"region", "x"}}}, {"credential", {{"name", "keys"}, {"key", "cloud"}}}}));
  ran = cluster_.run({"snapshot-location", "set", "v", "--credential", "a=b"});
  EXPECT_EQ(ran.out, "Volume snapshot location \"v\" configured successfully.\n");
  EXPECT_EQ(spec()["credential"], Json({{"name", "a"}, {"key", "b"}}));
  EXPECT_EQ(cluster_.run({"snapshot-location", "set", "v"}).code, 1);
  EXPECT_EQ(cluster_.run_as_velero({"snapshot-location", "set", "v"}).code, 0);
}

}  // namespace
}  // namespace landfall::cli
