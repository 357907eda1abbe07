#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "agent/pod_volume_backup_reconciler.h"
#include "agent/test_node.h"
#include "base/strings.h"

namespace landfall::agent {
namespace {

using extension::UploadedVolume;
using json::Json;
using progress::ByteReporter;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

constexpr api::Kind kKind = api::kPodVolumeBackup;

class PodVolumeBackup : public testing::Test {
 protected:
  void reconcile(const std::string& name, const std::stop_token& stop = {}) {
    const auto done = PodVolumeBackupReconciler(node_.context, node_.active).reconcile({"velero", name}, stop);
    EXPECT_TRUE(done) << done.error().message();
  }
  Json status(const std::string& name) { return node_.get(kKind, name)["status"]; }

  TestNode node_;
};

TEST_F(PodVolumeBackup, CopiesTheVolumeAndSaysSoStepByStep) {
  const Json pod = node_.create_pod("db-0");
  node_.create_backup("b-1", pod);
  node_.uploader.on_upload = [&](ByteReporter& reporter, const std::stop_token&) -> Result<UploadedVolume> {
    const Json begun = node_.get(kKind, "b-1");
    EXPECT_EQ(begun["status"]["phase"], "InProgress");
    EXPECT_TRUE(begun["status"].contains("acceptedTimestamp"));
    EXPECT_TRUE(begun["status"].contains("startTimestamp"));
    EXPECT_THAT(begun["metadata"]["finalizers"], ElementsAre("velero.io/pod-volume-finalizer"));
    EXPECT_TRUE(soon([&] { return json::string_or(status("b-1"), {"progress", "step"}, "") == "Scanning"; }));
    reporter.total(ByteCount(10));
    reporter.done(ByteCount(4));
    EXPECT_TRUE(soon([&] { return json::int_or(status("b-1"), {"progress", "bytesDone"}, 0) == 4; }));
    EXPECT_EQ(status("b-1")["progress"]["totalBytes"], 10);
    EXPECT_EQ(status("b-1")["progress"]["step"], "Transferring");
    return UploadedVolume{.snapshot = "snap", .total = ByteCount(12), .added = ByteCount(3)};
  };
  reconcile("b-1");

  const Json backup = node_.get(kKind, "b-1");
  EXPECT_EQ(backup["status"]["phase"], "Completed") << backup["status"];
  EXPECT_EQ(backup["status"]["snapshotID"], "snap");
  EXPECT_EQ(backup["status"]["path"], node_.volume(pod).string());
  EXPECT_EQ(backup["status"]["incrementalBytes"], 3);
  EXPECT_EQ(backup["status"]["progress"]["totalBytes"], 12);
  EXPECT_EQ(backup["status"]["progress"]["bytesDone"], 12);
  EXPECT_TRUE(backup["status"].contains("completionTimestamp"));
  EXPECT_THAT(k8s::ObjectView(backup).finalizers(), IsEmpty());
  const auto seen = node_.uploader.seen();
  ASSERT_EQ(seen.uploads.size(), 1U);
  EXPECT_EQ(seen.repositories[0].path, "default/restic/shop");
  EXPECT_EQ(seen.uploads[0].directory, node_.volume(pod).string());
  EXPECT_THAT(seen.uploads[0].tags, ElementsAre(Pair("backup", "b"), Pair("ns", "shop")));
  EXPECT_EQ(seen.uploads[0].parent, "");
}

TEST_F(PodVolumeBackup, AnEmptyVolumeIsCompleteWithoutASnapshot) {
  node_.create_backup("b-1", node_.create_pod("db-0"));
  node_.uploader.on_upload = [](ByteReporter&, const std::stop_token&) { return UploadedVolume(); };
  reconcile("b-1");
  EXPECT_EQ(status("b-1")["phase"], "Completed");
  EXPECT_EQ(status("b-1")["message"], "volume was empty so no snapshot was taken");
  EXPECT_FALSE(status("b-1").contains("snapshotID"));
}

TEST_F(PodVolumeBackup, FilesThatCannotBeReadFailItAndTheRestIsKept) {
  node_.create_backup("b-1", node_.create_pod("db-0"));
  node_.uploader.on_upload = [](ByteReporter&, const std::stop_token&) {
    return UploadedVolume{.snapshot = "snap",
                          .total = ByteCount(10),
                          .unreadable = {"/a: permission denied", "/b: input/output error"},
                          .unreadable_count = 12};
  };
  reconcile("b-1");
  EXPECT_EQ(status("b-1")["phase"], "Failed");
  EXPECT_EQ(status("b-1")["snapshotID"], "snap");
  EXPECT_EQ(node_.message(kKind, "b-1"),
            "12 files could not be read and are not in the backup: /a: permission denied; /b: input/output error and "
            "10 more");
}

TEST_F(PodVolumeBackup, APodThatIsNotThereOrDoesNotRunFailsIt) {
  const Json gone = node_.create_pod("gone");
  node_.remove_pod("gone");
  node_.create_backup("b-gone", gone);
  const Json replaced = node_.create_pod("replaced");
  node_.remove_pod("replaced");
  node_.create_pod("replaced");
  node_.create_backup("b-replaced", replaced);
  node_.create_backup("b-pending", node_.create_pod("pending", {{"phase", "Pending"}}));
  node_.create_backup("b-volume", node_.create_pod("db-0"), {{"spec", {{"volume", "other"}}}});
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"b-gone", "pod shop/gone is gone"},
      {"b-replaced", "pod shop/replaced is gone, and another one has its name"},
      {"b-pending", "pod shop/pending is not running (Pending)"},
      {"b-volume", "the pod has no such volume"}};
  for (const auto& [name, why] : cases) {
    reconcile(name);
    EXPECT_EQ(node_.phase(kKind, name), "Failed");
    EXPECT_THAT(node_.message(kKind, name), HasSubstr(why));
    EXPECT_THAT(node_.finalizers(kKind, name), IsEmpty());
  }
  EXPECT_THAT(node_.uploader.seen().uploads, IsEmpty());
}

// The kubelet takes the volumes of such a pod away, and what is left looks like an empty volume.
TEST_F(PodVolumeBackup, APodThatGoesWhileItsVolumeIsCopiedFailsIt) {
  struct Case {
    std::string name;
    std::function<void()> happens;
    std::string why;
  };
  const auto hold = [&](const std::string& name) {
    TestNode::must(node_.pods().patch(name, kube::PatchType::kMerge, {{"metadata", {{"finalizers", {"a/b"}}}}}, {}));
  };
  const std::vector<Case> cases = {
      {"gone", [&] { node_.remove_pod("gone"); }, "pod shop/gone is gone: the volume may have been taken away"},
      {"replaced",
       [&] {
         node_.remove_pod("replaced");
         node_.create_pod("replaced");
       },
       "pod shop/replaced is gone, and another one has its name"},
      {"leaving",
       [&] {
         hold("leaving");
         node_.remove_pod("leaving");
       },
       "pod shop/leaving is being deleted: the volume may have been taken away"}};
  for (const Case& one : cases) {
    for (const std::string snapshot : {"snap", ""}) {
      if (!node_.pods().get(one.name, {})) node_.create_pod(one.name);
      const std::string name = "b-" + one.name + (snapshot.empty() ? "-empty" : "");
      node_.create_backup(name, TestNode::must(node_.pods().get(one.name, {})));
      node_.uploader.on_upload = [&](ByteReporter&, const std::stop_token&) -> Result<UploadedVolume> {
        one.happens();
        return UploadedVolume{.snapshot = snapshot, .total = ByteCount(10)};
      };
      reconcile(name);
      EXPECT_EQ(node_.phase(kKind, name), "Failed") << name;
      EXPECT_THAT(node_.message(kKind, name), HasSubstr(one.why));
      EXPECT_EQ(json::string_or(status(name), {"snapshotID"}, ""), snapshot) << "what was copied is kept";
    }
  }
}

TEST_F(PodVolumeBackup, AnEmptyVolumeOfAPodThatHasEndedMeanwhileIsNotBelieved) {
  node_.uploader.on_upload = [&](ByteReporter&, const std::stop_token&) -> Result<UploadedVolume> {
    node_.set_pod_status("job-0", {{"phase", "Succeeded"}});
    return UploadedVolume();
  };
  node_.create_backup("b-1", node_.create_pod("job-0"));
  reconcile("b-1");
  EXPECT_EQ(node_.phase(kKind, "b-1"), "Failed");
  EXPECT_THAT(node_.message(kKind, "b-1"), HasSubstr("pod shop/job-0 is not running (Succeeded)"));
}

TEST_F(PodVolumeBackup, LeavesAloneWhatIsNotItsOwnOrOver) {
  const Json pod = node_.create_pod("db-0");
  node_.create_backup("elsewhere", pod, {{"spec", {{"node", "node-2"}}}});
  for (const char* phase : {"Completed", "Failed", "Canceled"}) {
    node_.create_backup("over-" + to_lower(phase), pod, {{"status", {{"phase", phase}}}});
  }
  for (const std::string name : {"elsewhere", "over-completed", "over-failed", "over-canceled"}) {
    const Json before = node_.get(kKind, name);
    reconcile(name);
    EXPECT_EQ(node_.get(kKind, name), before);
  }
  reconcile("never-was");
  EXPECT_THAT(node_.uploader.seen().uploads, IsEmpty());
}

TEST_F(PodVolumeBackup, WhoDeletesWhatIsOverNeedNotWaitForUs) {
  node_.create_backup(
      "b-1", node_.create_pod("db-0"),
      {{"metadata", {{"finalizers", {"velero.io/pod-volume-finalizer"}}}}, {"status", {{"phase", "Completed"}}}});
  TestNode::must(node_.context.objects(kKind).remove("b-1", {}));
  ASSERT_EQ(node_.phase(kKind, "b-1"), "Completed");
  reconcile("b-1");
  EXPECT_EQ(node_.context.objects(kKind).get("b-1", {}).error().code(), Code::kNotFound);
}

TEST_F(PodVolumeBackup, AnUploaderThatCannotWriteIsRefused) {
  const Json pod = node_.create_pod("db-0");
  node_.create_backup("b-kopia", pod, {{"spec", {{"uploaderType", "kopia"}}}});
  node_.create_backup("b-none", pod, {{"spec", {{"uploaderType", ""}}}});
  reconcile("b-kopia");
  EXPECT_EQ(node_.phase(kKind, "b-kopia"), "Failed");
  EXPECT_THAT(node_.message(kKind, "b-kopia"), AllOf(HasSubstr("\"kopia\""), HasSubstr("--uploader-type")));
  reconcile("b-none");  // as Velero wrote it when there was only restic
  EXPECT_EQ(node_.phase(kKind, "b-none"), "Completed");
}

TEST_F(PodVolumeBackup, TheParentIsTheNewestSnapshotOfTheSameClaimLocationAndType) {
  const Json pod = node_.create_pod("db-0");
  const auto earlier = [&](const std::string& name, const std::string& claim, const std::string& ended,
                           const Json& changes = Json::object()) {
    Json object = {{"metadata", {{"labels", {{"velero.io/pvc-uid", claim}}}}},
                   {"status", {{"phase", "Completed"}, {"snapshotID", name}, {"completionTimestamp", ended}}}};
    object.merge_patch(changes);
    node_.create_backup(name, pod, object);
  };
  earlier("oldest", "claim-1", "2026-01-01T00:00:00Z");
  earlier("newest", "claim-1", "2026-01-03T00:00:00Z");
  earlier("older", "claim-1", "2026-01-02T00:00:00Z");
  earlier("of-another", "claim-2", "2026-01-09T00:00:00Z");
  earlier("elsewhere", "claim-1", "2026-01-09T00:00:00Z", {{"spec", {{"backupStorageLocation", "other"}}}});
  earlier("by-another", "claim-1", "2026-01-09T00:00:00Z", {{"spec", {{"uploaderType", "kopia"}}}});
  earlier("partly", "claim-1", "2026-01-09T00:00:00Z", {{"status", {{"phase", "Failed"}}}});
  earlier("empty", "claim-1", "2026-01-09T00:00:00Z", {{"status", {{"snapshotID", ""}}}});
  node_.create_backup("b-1", pod, {{"metadata", {{"labels", {{"velero.io/pvc-uid", "claim-1"}}}}}});
  node_.create_backup("b-2", pod);
  reconcile("b-1");
  reconcile("b-2");
  const auto seen = node_.uploader.seen();
  ASSERT_EQ(seen.uploads.size(), 2U);
  EXPECT_EQ(seen.uploads[0].parent, "newest");
  EXPECT_EQ(seen.uploads[1].parent, "");
}

TEST_F(PodVolumeBackup, ARepositoryThatCannotBeOpenedFailsItWithTheReason) {
  node_.create_backup("b-1", node_.create_pod("db-0"));
  node_.context.find_repository = [](const auto&, auto, const auto&,
                                     const auto&) -> Result<extension::RepositoryAccess> {
    return fail(Code::kNotFound, "backup storage location \"default\" is missing");
  };
  reconcile("b-1");
  EXPECT_EQ(node_.phase(kKind, "b-1"), "Failed");
  EXPECT_EQ(node_.message(kKind, "b-1"), "backup storage location \"default\" is missing");
}

TEST_F(PodVolumeBackup, OneThatIsCancelledBeforeIsNotBegun) {
  node_.create_backup("b-1", node_.create_pod("db-0"), {{"spec", {{"cancel", true}}}});
  reconcile("b-1");
  EXPECT_EQ(node_.phase(kKind, "b-1"), "Canceled");
  EXPECT_THAT(node_.uploader.seen().uploads, IsEmpty());
}

TEST_F(PodVolumeBackup, OneThatADeadProcessHasLeftIsDoneAnew) {
  node_.create_backup("b-1", node_.create_pod("db-0"),
                      {{"metadata", {{"finalizers", {"velero.io/pod-volume-finalizer"}}}},
                       {"status", {{"phase", "InProgress"}, {"startTimestamp", "2026-01-01T00:00:00Z"}}}});
  reconcile("b-1");
  EXPECT_EQ(status("b-1")["phase"], "Completed");
  EXPECT_EQ(status("b-1")["startTimestamp"], "2026-01-01T00:00:00Z");
  EXPECT_EQ(node_.uploader.seen().uploads.size(), 1U);
  EXPECT_EQ(node_.uploader.seen().unlocks, 1);
}

TEST_F(PodVolumeBackup, WaitsForARepositoryThatSomebodyHasForHimself) {
  node_.context.locked_retry = std::chrono::milliseconds(1);
  int tries = 0;
  node_.uploader.on_upload = [&](ByteReporter&, const std::stop_token&) -> Result<UploadedVolume> {
    if (++tries < 3) return fail(Code::kConflict, "the repository is locked");
    return UploadedVolume{.snapshot = "snap", .total = ByteCount(10)};
  };
  node_.create_backup("b-1", node_.create_pod("db-0"));
  reconcile("b-1");
  EXPECT_EQ(node_.phase(kKind, "b-1"), "Completed");
  EXPECT_EQ(tries, 3);
  EXPECT_EQ(node_.uploader.seen().unlocks, 0);

  node_.context.locked_patience = Duration::zero();
  node_.uploader.on_upload = [&](ByteReporter&, const std::stop_token&) -> Result<UploadedVolume> {
    return fail(Code::kConflict, "the repository is locked");
  };
  node_.create_backup("b-2", node_.create_pod("db-1"));
  reconcile("b-2");
  EXPECT_EQ(node_.phase(kKind, "b-2"), "Failed");
  EXPECT_THAT(node_.message(kKind, "b-2"), HasSubstr("the repository is locked"));
}

}  // namespace
}  // namespace landfall::agent
