#include "bucket/backup_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bucket/test_bucket.h"

namespace landfall::bucket {
namespace {

using extension::BytesSource;
using store::StoreOperation;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const BytesSource kContents("the archive");
const BytesSource kLog("the log");
const std::vector<NewArtifact> kArtifacts{{BackupArtifact::kContents, kContents}, {BackupArtifact::kLog, kLog}};

TEST(BackupStore, WritesABackupWithTheChecksumsOfAllItsFiles) {
  TestBucket bucket;
  ASSERT_TRUE(bucket.backups.create("b1", backup_document("b1"), kArtifacts, {}));
  EXPECT_THAT(bucket.keys(), ElementsAre("backups/b1/b1-checksums.json", "backups/b1/b1-logs.gz",
                                         "backups/b1/b1.tar.gz", "backups/b1/velero-backup.json"));
  EXPECT_EQ(bucket.backups.read_backup("b1", {}).value(), backup_document("b1"));
  const Checksums checksums = bucket.backups.read_checksums("b1", {}).value().value();
  ASSERT_EQ(checksums.files.size(), 3U);
  EXPECT_TRUE(checksums.files.at("b1.tar.gz").fits(digest_of(kContents).value()));
  const std::string metadata = bucket.get("backups/b1/velero-backup.json");
  EXPECT_TRUE(checksums.files.at("velero-backup.json").fits(digest_of(BytesSource(metadata)).value()));
}

TEST(BackupStore, LeavesNothingOfABackupThatCouldNotBeWritten) {
  for (int put = 1; put <= 4; ++put) {
    TestBucket bucket;
    bucket.put("backups/b0/velero-backup.json", "another");
    bucket.objects.fail_call(StoreOperation::kPut, put, Error(Code::kUnavailable, "no luck"));
    const Status created = bucket.backups.create("b1", backup_document("b1"), kArtifacts, {});
    ASSERT_FALSE(created);
    EXPECT_EQ(created.error().message(), "write backup: no luck");
    EXPECT_THAT(bucket.keys(), ElementsAre("backups/b0/velero-backup.json"));
  }
}

TEST(BackupStore, SaysWhenItCouldNotCleanUp) {
  TestBucket bucket;
  bucket.objects.fail_call(StoreOperation::kPut, 2, Error(Code::kUnavailable, "no luck"));
  bucket.objects.fail_call(StoreOperation::kRemove, 1, Error(Code::kForbidden, "not allowed"));
  const Status created = bucket.backups.create("b1", backup_document("b1"), kArtifacts, {});
  ASSERT_FALSE(created);
  EXPECT_THAT(created.error().message(), HasSubstr("could not be removed"));
}

TEST(BackupStore, IsNoneBeforeItsChecksumsAreThere) {
  TestBucket bucket;
  // As if it died over the last file: nothing is cleaned up.
  bucket.objects.fail_call(StoreOperation::kPut, 4, Error(Code::kUnavailable, "no luck"));
  bucket.objects.fail_call(StoreOperation::kRemove, 1, Error(Code::kUnavailable, "no luck"));
  ASSERT_FALSE(bucket.backups.create("b1", backup_document("b1"), kArtifacts, {}));
  EXPECT_THAT(bucket.keys(), testing::Contains("backups/b1/b1-checksums.json"));
  EXPECT_EQ(bucket.backups.has_backup("b1", {}), false);
}

TEST(BackupStore, DoesNotTakeANameTwice) {
  TestBucket bucket;
  ASSERT_TRUE(bucket.backups.create("b1", backup_document("b1"), kArtifacts, {}));
  const auto before = bucket.get("backups/b1/velero-backup.json");
  const Status again = bucket.backups.create("b1", backup_document("b1", "Failed"), kArtifacts, {});
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code(), Code::kAlreadyExists);
  EXPECT_EQ(bucket.get("backups/b1/velero-backup.json"), before);
}

TEST(BackupStore, KnowsItsOwnWriteWhoseAnswerWasLost) {
  TestBucket bucket;
  // The store has done it, said that it had not, and is asked again by whoever retries.
  bucket.objects.fail_call(StoreOperation::kPut, 4, Error(Code::kAlreadyExists, "taken"),
                           store::FaultyStore::Effect::kDone);
  EXPECT_TRUE(bucket.backups.create("b1", backup_document("b1"), kArtifacts, {}));
}

TEST(BackupStore, IsRightAtEveryMomentOfARewrite) {
  const BytesSource contents("a new archive");
  const std::vector<NewArtifact> artifacts{{BackupArtifact::kContents, contents}};
  for (int put = 1; put <= 5; ++put) {
    TestBucket bucket;
    ASSERT_TRUE(bucket.backups.create("b1", backup_document("b1", "Finalizing"), kArtifacts, {}));
    bucket.objects.fail_call(StoreOperation::kPut, put, Error(Code::kUnavailable, "died here"));
    EXPECT_EQ(bucket.backups.rewrite("b1", backup_document("b1"), artifacts, {}).has_value(), put == 5);
    const Checksums checksums = bucket.backups.read_checksums("b1", {}).value().value();
    for (const auto& [file, checksum] : checksums.files) {
      const std::string bytes = bucket.get("backups/b1/" + file);
      EXPECT_TRUE(checksum.fits(digest_of(BytesSource(bytes)).value())) << file << " after " << put;
      if (put == 5) {
        EXPECT_THAT(checksum.previous, IsEmpty()) << "only the new content is right in the end";
        EXPECT_FALSE(checksum.may_be_absent);
      }
    }
  }
}

TEST(BackupStore, RemembersWhatIsStoredThroughSeveralFailedRewrites) {
  TestBucket bucket;
  ASSERT_TRUE(bucket.backups.create("b1", backup_document("b1"), kArtifacts, {}));
  const auto fits = [&](const std::string& file) {
    const Checksums checksums = bucket.backups.read_checksums("b1", {}).value().value();
    const std::string bytes = bucket.get("backups/b1/" + file);
    return checksums.files.at(file).fits(digest_of(BytesSource(bytes)).value());
  };
  for (const char* text : {"second", "third"}) {
    const BytesSource contents(text);
    bucket.objects.fail_call(StoreOperation::kPut, 2, Error(Code::kUnavailable, "died here"));
    EXPECT_FALSE(bucket.backups.rewrite("b1", backup_document("b1"), {{BackupArtifact::kContents, contents}}, {}));
    EXPECT_TRUE(fits("b1.tar.gz")) << text;
  }
  // A rewrite of something else does not forget it.
  ASSERT_TRUE(bucket.backups.rewrite("b1", backup_document("b1", "Failed"), {}, {}));
  EXPECT_TRUE(fits("b1.tar.gz"));
  EXPECT_TRUE(fits("velero-backup.json"));
}

TEST(BackupStore, AFileThatWasOnlyAnnouncedMayBeAbsent) {
  TestBucket bucket;
  ASSERT_TRUE(bucket.backups.create("b1", backup_document("b1"), kArtifacts, {}));
  const BytesSource volumes("new");
  bucket.objects.fail_call(StoreOperation::kPut, 2, Error(Code::kUnavailable, "died here"));
  EXPECT_FALSE(bucket.backups.rewrite("b1", backup_document("b1"), {{BackupArtifact::kVolumeInfos, volumes}}, {}));
  EXPECT_TRUE(bucket.backups.read_checksums("b1", {}).value()->files.at("b1-volumeinfo.json.gz").may_be_absent);
  ASSERT_TRUE(bucket.backups.rewrite("b1", backup_document("b1"), {{BackupArtifact::kVolumeInfos, volumes}}, {}));
  EXPECT_FALSE(bucket.backups.read_checksums("b1", {}).value()->files.at("b1-volumeinfo.json.gz").may_be_absent);
}

TEST(BackupStore, TakesNothingOverFromAnAttemptThatDied) {
  TestBucket bucket;
  bucket.put("backups/b1/b1-volumesnapshots.json.gz", "of another attempt");
  bucket.put("backups/b1/b1-checksums.json", "of another attempt");
  ASSERT_TRUE(bucket.backups.create("b1", backup_document("b1"), kArtifacts, {}));
  EXPECT_EQ(bucket.keys().size(), 4U);
  EXPECT_TRUE(bucket.backups.read_checksums("b1", {}));
}

TEST(BackupStore, RemovesTheBackupItselfFirst) {
  TestBucket bucket;
  ASSERT_TRUE(bucket.backups.create("b1", backup_document("b1"), kArtifacts, {}));
  bucket.put("backups/b1/of-a-plugin/data", "x");
  bucket.objects.fail_call(StoreOperation::kRemove, 2, Error(Code::kUnavailable, "died here"));
  EXPECT_FALSE(bucket.backups.remove_backup("b1", {}));
  EXPECT_FALSE(bucket.backups.has_backup("b1", {}).value());
  EXPECT_TRUE(bucket.backups.remove_backup("b1", {}));
  EXPECT_THAT(bucket.keys(), IsEmpty());
  EXPECT_TRUE(bucket.backups.remove_backup("b1", {})) << "nothing there is no error";
}

TEST(BackupStore, ReadsAndRemovesTheFilesOfARestore) {
  TestBucket bucket;
  const json::Json results = {{"errors", json::Json::object()}, {"warnings", json::Json::object()}};
  ASSERT_TRUE(bucket.backups.write("r1", RestoreArtifact::kResults, results, {}));
  EXPECT_EQ(bucket.backups.read("r1", RestoreArtifact::kResults, {}).value(), results);
  EXPECT_EQ(bucket.backups.read("r1", RestoreArtifact::kPlan, {}).value(), std::nullopt);
  EXPECT_THAT(bucket.backups.restores({}).value(), ElementsAre("r1"));
  ASSERT_TRUE(bucket.backups.remove_restore("r1", {}));
  EXPECT_THAT(bucket.keys(), IsEmpty());
}

TEST(BackupStore, FindsTheVolumesOfARestoreUnderTheirOtherName) {
  const json::Json rows = {{{"pvcName", "books"}}};
  for (const Form form : {Form::kJson, Form::kGzipJson}) {
    TestBucket bucket;
    bucket.put("restores/r1/r1-vol-info.json", encode(rows, form));
    EXPECT_EQ(bucket.backups.read("r1", RestoreArtifact::kVolumeInfos, {}).value(), rows);
    const auto opened = bucket.backups.open("r1", RestoreArtifact::kVolumeInfos, {}).value();
    EXPECT_EQ(io::read_all(*opened, 1000).value(), encode(rows, form));
    EXPECT_EQ(bucket.backups.file_name("r1", RestoreArtifact::kVolumeInfos, {}).value(), "r1-vol-info.json");
    ASSERT_TRUE(bucket.backups.remove_restore("r1", {}));
    EXPECT_THAT(bucket.keys(), IsEmpty());
  }
}

TEST(BackupStore, PrefersAndWritesTheFirstNameOfTheVolumesOfARestore) {
  TestBucket bucket;
  bucket.put("restores/r1/r1-vol-info.json", "[1]");
  ASSERT_TRUE(bucket.backups.write("r1", RestoreArtifact::kVolumeInfos, json::Json::array({2}), {}));
  EXPECT_THAT(bucket.keys(), ElementsAre("restores/r1/r1-vol-info.json", "restores/r1/r1-volumeinfo.json.gz"));
  EXPECT_EQ(bucket.backups.read("r1", RestoreArtifact::kVolumeInfos, {}).value(), json::Json::array({2}));
  EXPECT_EQ(bucket.backups.file_name("r1", RestoreArtifact::kVolumeInfos, {}).value(), "r1-volumeinfo.json.gz");
  ASSERT_TRUE(bucket.backups.remove_restore("r1", {}));
  EXPECT_THAT(bucket.keys(), IsEmpty());
}

TEST(BackupStore, SaysWhatIsWrongWithTheVolumesOfARestore) {
  TestBucket bucket;
  EXPECT_EQ(bucket.backups.read("r1", RestoreArtifact::kVolumeInfos, {}).value(), std::nullopt);
  EXPECT_EQ(bucket.backups.open("r1", RestoreArtifact::kVolumeInfos, {}).error().code(), Code::kNotFound);
  EXPECT_EQ(bucket.backups.file_name("r1", RestoreArtifact::kVolumeInfos, {}).value(), "r1-volumeinfo.json.gz");
  for (const std::string_view damaged : {"", "[", "\x1f", "\x1f\x8b", "\x1f\x8b\x08 and no more"}) {
    bucket.put("restores/r1/r1-vol-info.json", damaged);
    const auto read = bucket.backups.read("r1", RestoreArtifact::kVolumeInfos, {});
    ASSERT_FALSE(read) << damaged;
    EXPECT_THAT(read.error().message(), testing::StartsWith("restores/r1/r1-vol-info.json: "));
  }
}

TEST(BackupStore, RefusesABucketOfSomethingElse) {
  TestBucket bucket;
  bucket.put("readme.txt", "files at the top do not matter");
  bucket.put("kopia/ns/x", "");
  EXPECT_TRUE(bucket.backups.check_top_level({}));
  for (const char* key : {"a/x", "photos/x", "videos/x", "z/x"}) bucket.put(key, "");
  const Status checked = bucket.backups.check_top_level({});
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().message(), HasSubstr("a, photos, videos and 1 more"));
}

TEST(BackupStore, DoesNotBuildDocumentsOfMillionsOfValues) {
  std::string many = "[";
  for (int i = 0; i < 1'400'000; ++i) many += "[[]],";
  many += "[]]";
  EXPECT_EQ(parse_document(many).error().code(), Code::kTooLarge);
  EXPECT_TRUE(parse_document("[[],[1,2,3]]"));
}

TEST(BackupStore, SaysWhatIsWrongWithABackup) {
  TestBucket bucket;
  EXPECT_EQ(bucket.backups.read_backup("b1", {}).error().code(), Code::kNotFound);
  bucket.put("backups/b1/velero-backup.json", "{\"kind\":");
  EXPECT_EQ(bucket.backups.read_backup("b1", {}).error().code(), Code::kDataLoss);
  bucket.put("backups/b1/velero-backup.json", R"({"kind":"Restore","apiVersion":"velero.io/v1"})");
  EXPECT_THAT(bucket.backups.read_backup("b1", {}).error().message(), HasSubstr("expected a velero.io/v1 Backup"));
  bucket.put("backups/b1/velero-backup.json", encode(backup_document("b2"), Form::kJson));
  EXPECT_THAT(bucket.backups.read_backup("b1", {}).error().message(), HasSubstr("this is the Backup \"b2\""));
  bucket.put("backups/b1/b1-results.gz", "not gzip");
  EXPECT_EQ(bucket.backups.read("b1", BackupArtifact::kResults, {}).error().code(), Code::kDataLoss);
}

}  // namespace
}  // namespace landfall::bucket
