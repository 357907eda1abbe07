#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "bucket/artifact.h"
#include "control/test_backup_runner.h"
#include "control/test_pod_volumes.h"
#include "control/test_restore_runner.h"
#include "control/test_snapshots.h"
#include "io/gzip_reader.h"
#include "store/filesystem_store.h"

namespace landfall::control {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// A location whose store is a plugin's, and one for snapshots: what both log while an operation runs is in its log.
class PluginLogs : public ::testing::Test {
 protected:
  PluginLogs() {
    cluster_.serve_snapshotters(storage_.opener());
    cluster_.serve_stores([](const std::string& provider, const location::Config& config,
                             const Logger& log) -> Result<std::unique_ptr<extension::ObjectStore>> {
      log.info("the plugin opens the store of " + provider);
      return store::open_filesystem(config, Logger());
    });
    cluster_.create_location("default", {{"provider", "elsewhere"}});
    put_snapshot_location(cluster_, "fakes");
    cluster_.create_namespace("shop");
    put_claim(cluster_, "shop", "books");
  }

  template <class Artifact>
  std::string log_of(const std::string& name) {
    const auto& locations = cluster_.context().locations;
    const auto opened = TestCluster::must(locations.open(TestCluster::must(locations.find("default", {})), {}));
    const auto packed = TestCluster::must(opened->backups().open(name, Artifact::kLog, {}));
    io::GzipReader reader(*packed);
    return TestCluster::must(io::read_all(reader, 1U << 20U));
  }

  FakeStorage storage_;
  TestCluster cluster_;
};

TEST_F(PluginLogs, AreInTheLogOfTheBackupAndOfTheRestore) {
  BackupSettings backups = TestBackupRunner::built_in();
  backups.snapshots = std::make_shared<SnapshotSessions>();
  TestBackupRunner(cluster_, backups).back_up("b1", {{"includedNamespaces", {"shop"}}});
  EXPECT_THAT(log_of<bucket::BackupArtifact>("b1"),
              AllOf(HasSubstr("the plugin opens the store of velero.io/elsewhere"),
                    HasSubstr("the plugin takes a snapshot of vol-pv-books")));

  RestoreSettings restores = TestRestoreRunner::built_in();
  restores.snapshots = std::make_shared<SnapshotSessions>();
  TestRestoreRunner(cluster_, restores)
      .restore("r1", {{"backupName", "b1"}, {"namespaceMapping", {{"shop", "other"}}}});
  EXPECT_THAT(log_of<bucket::RestoreArtifact>("r1"),
              AllOf(HasSubstr("the plugin opens the store of velero.io/elsewhere"),
                    HasSubstr("the plugin makes a volume of snap-vol-pv-books")));
}

}  // namespace
}  // namespace landfall::control
