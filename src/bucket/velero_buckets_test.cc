// What real Velero wrote is read completely: every file and every item.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bucket/test_bucket.h"
#include "bucket/verify.h"
#include "testkit/temp_dir.h"

namespace landfall::bucket {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::filesystem::path kData = std::filesystem::path(LANDFALL_SOURCE_DIR) / "tests/data";

VerifyReport verified(TestBucket& bucket, const std::string& name) {
  const testkit::TempDir directory;
  return verify(bucket.backups, name, {.spool_directory = directory.path()}, {}).value();
}

TEST(VeleroBuckets, HoldBackupsThatAreWhole) {
  TestBucket bucket;
  bucket.load(kData / "velero-1.18.3");
  ASSERT_TRUE(bucket.backups.check_top_level({}));
  ASSERT_THAT(bucket.backups.backups({}).value(), ElementsAre("bookshop", "by-label"));
  for (const char* name : {"bookshop", "by-label"}) {
    const VerifyReport report = verified(bucket, name);
    EXPECT_TRUE(report.is_whole()) << name;
    EXPECT_EQ(report.files.size(), 9U);
    EXPECT_GT(report.items, 0);
    EXPECT_FALSE(report.has_checksums);
    EXPECT_THAT(report.notes, IsEmpty());
    EXPECT_THAT(report.unlisted, IsEmpty());
  }
}

TEST(VeleroBuckets, NameTheItemThatFailedAtBackupTime) {
  TestBucket bucket;
  bucket.load(kData / "velero-1.18.3");
  const VerifyReport report = verified(bucket, "bookshop");
  EXPECT_EQ(report.phase, "PartiallyFailed");
  ASSERT_EQ(report.absent.size(), 1U);
  EXPECT_EQ(report.absent[0].kind, "v1/Pod");
  EXPECT_EQ(report.absent[0].name, "bookshop/db-0");
  EXPECT_THAT(report.absent[0].reason, testing::HasSubstr("daemonset pod not found"));
}

TEST(VeleroBuckets, HoldVolumesAndRestores) {
  TestBucket bucket;
  bucket.load(kData / "velero-1.18.3-volumes");
  EXPECT_TRUE(verified(bucket, "books-fs").is_whole());
  const auto volumes = bucket.backups.read("books-fs", BackupArtifact::kVolumeInfos, {}).value();
  ASSERT_TRUE(volumes);
  EXPECT_EQ(volumes->size(), 1U);
  EXPECT_THAT(bucket.backups.restores({}).value(), ElementsAre("books-fs-r"));
  for (const auto artifact : {RestoreArtifact::kResults, RestoreArtifact::kResourceList,
                              RestoreArtifact::kItemOperations, RestoreArtifact::kVolumeInfos}) {
    EXPECT_TRUE(bucket.backups.read("books-fs-r", artifact, {}).value());
  }
  const auto log = decompressed(bucket.backups.open("books-fs-r", RestoreArtifact::kLog, {}).value());
  EXPECT_THAT(io::read_all(*log, 1 << 24).value(), testing::StartsWith("time="));
}

TEST(VeleroBuckets, AreWrittenByUsByteForByte) {
  TestBucket bucket;
  bucket.load(kData / "velero-1.18.3");
  for (const auto artifact : {BackupArtifact::kResourceList, BackupArtifact::kResults, BackupArtifact::kVolumeInfos,
                              BackupArtifact::kItemOperations, BackupArtifact::kPodVolumeBackups}) {
    const auto raw = decompressed(bucket.backups.open("bookshop", artifact, {}).value());
    const std::string theirs = io::read_all(*raw, 1 << 24).value();
    const auto document = bucket.backups.read("bookshop", artifact, {}).value();
    const std::string encoded = encode(*document, Form::kGzipJson);
    const auto again = decompressed(std::make_unique<io::StringReader>(encoded));
    const std::string ours = io::read_all(*again, 1 << 24).value();
    // Go writes the members of structs in their own order, those of maps sorted: this file is a map.
    if (artifact == BackupArtifact::kResourceList) {
      EXPECT_EQ(ours, theirs);
    }
    EXPECT_EQ(ours.size(), theirs.size());
  }
}

}  // namespace
}  // namespace landfall::bucket
