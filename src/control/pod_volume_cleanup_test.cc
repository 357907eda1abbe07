#include "control/pod_volume_cleanup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "control/backup_deletion_reconciler.h"
#include "control/test_pod_volumes.h"
#include "control/test_stored_backups.h"

namespace landfall::control {
namespace {

using json::Json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Json volume_backup(const std::string& name, const std::string& name_space, const std::string& snapshot,
                   const std::string& type = "restic") {
  return {{"metadata", {{"name", name}, {"labels", {{"velero.io/backup-name", "nightly"}}}}},
          {"spec",
           {{"node", "n1"},
            {"pod", {{"kind", "Pod"}, {"namespace", name_space}, {"name", "db-0"}}},
            {"volume", "data"},
            {"backupStorageLocation", "name-in-another-cluster"},
            {"repoIdentifier", ""},
            {"uploaderType", type}}},
          {"status", {{"phase", "Completed"}, {"snapshotID", snapshot}}}};
}

class PodVolumeCleanupTest : public testing::Test {
 protected:
  PodVolumeCleanupTest() {
    cluster_.create_location("default");
    bucket_.write_backup(stored_backup("nightly"));
    Json backup = stored_backup("nightly");
    backup["spec"]["storageLocation"] = "default";
    backup_ = cluster_.create(api::kBackup, backup);
  }
  void store(const Json& list) const {
    bucket_.write_json("backups/nightly/nightly-podvolumebackups.json.gz", list, bucket::Form::kGzipJson);
  }
  void own(Json volume) {
    volume["metadata"]["ownerReferences"] = Json::array({{{"apiVersion", "velero.io/v1"},
                                                          {"kind", "Backup"},
                                                          {"name", "nightly"},
                                                          {"uid", backup_["metadata"]["uid"]},
                                                          {"controller", true}}});
    cluster_.create(api::kPodVolumeBackup, volume);
  }
  // The errors of the deletion.
  Json remove() {
    cluster_.create(api::kDeleteBackupRequest,
                    {{"metadata", {{"name", "now"}}}, {"spec", {{"backupName", "nightly"}}}});
    BackupDeletionReconciler reconciler(cluster_.context(), {}, {&cleanup_}, {});
    TestCluster::must(reconciler.reconcile({"velero", "now"}, {}));
    const auto request = cluster_.objects(api::kDeleteBackupRequest).get("now", {});
    return request ? (*request)["status"].value("errors", Json::array()) : Json::array();
  }
  bool has_backup() { return cluster_.objects(api::kBackup).get("nightly", {}).has_value(); }

  TestCluster cluster_;
  StoredBackups bucket_{cluster_};
  Json backup_;
  ScriptedUploader restic_;
  ScriptedUploader kopia_{"kopia", false};
  PodVolumeCleanup cleanup_{cluster_.context(), {&restic_, &kopia_}, find_anywhere()};
};

TEST_F(PodVolumeCleanupTest, ADeletedBackupLeavesNoSnapshots) {
  store(Json::array({volume_backup("a", "shop", "s1"), volume_backup("b", "bank", "s2", ""),
                     volume_backup("c", "shop", ""), volume_backup("d", "../escape", "s9"), 7}));
  own(volume_backup("a", "shop", "s1"));
  own(volume_backup("e", "shop", "s3"));
  EXPECT_THAT(remove(), IsEmpty());
  EXPECT_THAT(restic_.calls(), ElementsAre("forget default/restic/bank: s2", "forget default/restic/shop: s1 s3"));
  EXPECT_FALSE(has_backup());
  EXPECT_FALSE(bucket_.has("backups/nightly/velero-backup.json"));
  const SteadyTime deadline = system_clock().after(std::chrono::seconds(60));
  while (!names_of(cluster_, api::kPodVolumeBackup).empty() && system_clock().now() < deadline) {
    system_clock().sleep_for(std::chrono::milliseconds(5), {});
  }
  EXPECT_THAT(names_of(cluster_, api::kPodVolumeBackup), IsEmpty()) << "they go with their owner";
}

TEST_F(PodVolumeCleanupTest, ASnapshotThatCannotBeForgottenKeepsTheBackup) {
  store(Json::array({volume_backup("a", "shop", "s1")}));
  restic_.answer(fail(Code::kUnavailable, "no route to host"));
  EXPECT_THAT(remove().dump(), HasSubstr("restic repository of namespace shop: no route to host"));
  EXPECT_TRUE(has_backup());
  EXPECT_TRUE(bucket_.has("backups/nightly/velero-backup.json"));
}

TEST_F(PodVolumeCleanupTest, ARepositoryThatIsGoneHoldsNothing) {
  store(Json::array({volume_backup("a", "shop", "s1")}));
  restic_.answer(fail(Code::kNotFound, "there is no repository"));
  EXPECT_THAT(remove(), IsEmpty());
  EXPECT_FALSE(has_backup());
}

TEST_F(PodVolumeCleanupTest, SnapshotsOfKopiaAreLeftToVelero) {
  store(Json::array({volume_backup("a", "shop", "k1", "kopia"), volume_backup("b", "shop", "s1")}));
  EXPECT_THAT(remove().dump(), HasSubstr("1 snapshots of kopia cannot be deleted here: delete the backup with the "
                                         "program that made them, Velero"));
  EXPECT_TRUE(has_backup());
  EXPECT_EQ(cluster_.get(api::kBackup, "nightly")["status"]["phase"], "Completed");
  EXPECT_THAT(restic_.calls(), IsEmpty()) << "nothing is forgotten of a backup that stays";
  EXPECT_THAT(kopia_.calls(), IsEmpty());
}

}  // namespace
}  // namespace landfall::control
