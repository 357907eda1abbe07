#include "bucket/layout.h"

#include <gtest/gtest.h>

namespace landfall::bucket {
namespace {

TEST(Layout, NamesFilesAsVeleroDoes) {
  const Layout layout = Layout::create("").value();
  const BackupFolder backup = layout.backup("nightly").value();
  EXPECT_EQ(backup.key(BackupArtifact::kMetadata), "backups/nightly/velero-backup.json");
  EXPECT_EQ(backup.key(BackupArtifact::kContents), "backups/nightly/nightly.tar.gz");
  EXPECT_EQ(backup.key(BackupArtifact::kResults), "backups/nightly/nightly-results.gz");
  EXPECT_EQ(backup.key(BackupArtifact::kChecksums), "backups/nightly/nightly-checksums.json");
  const RestoreFolder restore = layout.restore("r1").value();
  EXPECT_EQ(restore.key(RestoreArtifact::kLog), "restores/r1/restore-r1-logs.gz");
  EXPECT_EQ(restore.key(RestoreArtifact::kVolumeInfos), "restores/r1/r1-volumeinfo.json.gz");
  EXPECT_EQ(restore.key(RestoreArtifact::kPlan), "restores/r1/restore-r1-plan.json.gz");
}

TEST(Layout, StartsAtAPrefix) {
  EXPECT_EQ(Layout::create("/cluster-a/x//").value().backups(), "cluster-a/x/backups/");
  EXPECT_EQ(Layout::create("//").value().restores(), "restores/");
  for (const char* prefix : {"a//b", "../a", "a/./b", "a\nb"}) {
    EXPECT_FALSE(Layout::create(prefix)) << prefix;
  }
}

TEST(Layout, RefusesNamesThatLeadElsewhere) {
  const Layout layout = Layout::create("p").value();
  for (const char* name : {"", "..", "a/b", "../../x", "Nightly", "a\\b", "."}) {
    EXPECT_FALSE(layout.backup(name)) << name;
    EXPECT_FALSE(layout.restore(name)) << name;
  }
}

TEST(Layout, KnowsAFileAgain) {
  const BackupFolder backup = Layout::create("").value().backup("a").value();
  EXPECT_EQ(backup.artifact("a-csi-volumesnapshots.json.gz"), BackupArtifact::kCsiVolumeSnapshots);
  EXPECT_EQ(backup.artifact("velero-backup.json"), BackupArtifact::kMetadata);
  EXPECT_EQ(backup.artifact("b.tar.gz"), std::nullopt);
}

}  // namespace
}  // namespace landfall::bucket
