#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "control/test_backup_runner.h"
#include "control/test_pod_volumes.h"
#include "control/test_snapshots.h"

namespace landfall::control {

inline const std::string kSnapshot = "snap-vol-pv-books";

// For tests: a namespace `shop` with a claim `books`, whose volume pv-books is the fake's.
class SnapshotBackup : public ::testing::Test {
 protected:
  explicit SnapshotBackup(TestCluster::Kinds kinds = TestCluster::Kinds::kAll) : cluster_(kinds) {
    cluster_.serve_snapshotters(storage_.opener());
    cluster_.create_location("default");
    put_snapshot_location(cluster_, "fakes");
    cluster_.create_namespace("shop");
    put_claim(cluster_, "shop", "books");
  }

  static BackupSettings settings() {
    BackupSettings settings = TestBackupRunner::built_in();
    settings.snapshots = std::make_shared<SnapshotSessions>();
    settings.operation_sync_frequency = std::chrono::hours(1);
    return settings;
  }
  static json::Json spec(json::Json more = json::Json::object()) {
    json::Json spec = {{"includedNamespaces", {"shop"}}};
    spec.update(more);
    return spec;
  }
  // Up to the end of the run.
  json::Json run(const json::Json& spec_of_it = spec()) {
    runner_.create("b1", spec_of_it);
    const Status done = runner_.run("b1");
    EXPECT_TRUE(done) << done.error().message();
    return backup();
  }
  // One look at operations; then the finalizer, where it has come to that.
  json::Json wait(TestBackupRunner& runner) {
    const Status waited = runner.wait("b1");
    EXPECT_TRUE(waited) << waited.error().message();
    return backup();
  }
  json::Json end() {
    const Status ended = runner_.finalize("b1");
    EXPECT_TRUE(ended) << ended.error().message();
    return backup();
  }
  json::Json backup() { return cluster_.get(api::kBackup, "b1"); }
  static std::string phase(const json::Json& object) { return object["status"].value("phase", ""); }
  // As if the server had died before it could write the Backup, or somebody had changed it.
  void put_back(const json::Json& status) {
    json::Json before = backup();
    before["status"] = status;
    TestCluster::must(cluster_.objects(api::kBackup).update(before, {}));
  }
  json::Json document(bucket::BackupArtifact artifact) {
    return TestCluster::must(runner_.bucket()->backups().read("b1", artifact, {})).value_or(json::Json());
  }
  std::string errors() { return document(bucket::BackupArtifact::kResults)["errors"].dump(); }
  std::string warnings() { return document(bucket::BackupArtifact::kResults)["warnings"].dump(); }
  json::Json resource(const std::string& name = kSnapshot) { return cluster_.get(api::kVolumePluginBackup, name); }
  std::vector<json::Json> resources() {
    return TestCluster::must(cluster_.objects(api::kVolumePluginBackup).list({}, {})).items;
  }
  // The plugin writes a resource itself.
  void plugin_writes(const json::Json& status, const std::string& backup = "b1") {
    storage_.play([=, this](FakeStorage::Script& script) {
      script.on_snapshot = [=, this](const std::string& id) { put_plugin_backup(cluster_, id, backup, status); };
    });
  }

  FakeStorage storage_;
  TestCluster cluster_;
  TestBackupRunner runner_{cluster_, settings()};
};

inline json::Json in_progress(std::int64_t done = 10, std::int64_t total = 100) {
  return {{"phase", "InProgress"},
          {"snapshotID", kSnapshot},
          {"startTimestamp", "2030-01-01T00:00:00Z"},
          {"progress", {{"totalBytes", total}, {"bytesDone", done}}}};
}

}  // namespace landfall::control
