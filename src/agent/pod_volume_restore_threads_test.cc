#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "agent/pod_volume_restore_reconciler.h"
#include "agent/pods.h"
#include "agent/test_node.h"
#include "base/manual_clock.h"

namespace landfall::agent {
namespace {

namespace fs = std::filesystem;
using json::Json;
using progress::ByteReporter;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr api::Kind kKind = api::kPodVolumeRestore;

// The status of a pod with one init container in that state.
Json with_init(const std::string& name, const Json& state, const char* phase = "Pending") {
  return {{"phase", phase},
          {"initContainerStatuses", Json::array({{{"name", "first"}, {"state", {{"terminated", {{"exitCode", 0}}}}}},
                                                 {{"name", name}, {"state", state}}})}};
}
Json running() { return {{"running", {{"startedAt", "2026-01-01T00:00:00Z"}}}}; }
Json ended(int exit_code) { return {{"terminated", {{"exitCode", exit_code}}}}; }
Json waiting_pod() { return with_init("restore-wait", running()); }

class PodVolumeRestore : public testing::Test {
 protected:
  void reconcile(const std::string& name, const std::stop_token& stop = {}) {
    const auto done = PodVolumeRestoreReconciler(node_.context, node_.active).reconcile({"velero", name}, stop);
    EXPECT_TRUE(done) << done.error().message();
  }
  Json status(const std::string& name) { return node_.get(kKind, name)["status"]; }

  TestNode node_;
};

TEST(RestoreWait, IsReadFromTheInitContainerWhereverItStands) {
  const auto read = [](const Json& status) { return restore_wait({{"status", status}}); };
  EXPECT_EQ(read({{"phase", "Pending"}}), RestoreWait::kNotYet);
  EXPECT_EQ(read(with_init("restore-wait", {{"waiting", {{"reason", "PodInitializing"}}}})), RestoreWait::kNotYet);
  EXPECT_EQ(read(with_init("restore-wait", running())), RestoreWait::kWaits);
  EXPECT_EQ(read(with_init("restic-wait", running())), RestoreWait::kWaits);
  EXPECT_EQ(read(with_init("setup", running())), RestoreWait::kNotYet);
  EXPECT_EQ(read(with_init("restore-wait", ended(0))), RestoreWait::kReleased);
  EXPECT_EQ(read(with_init("restore-wait", ended(0), "Running")), RestoreWait::kReleased);
  EXPECT_EQ(read(with_init("restore-wait", ended(1))), RestoreWait::kNotYet) << "it is begun again";
  EXPECT_EQ(read(with_init("restore-wait", ended(1), "Failed")), RestoreWait::kOver);
  EXPECT_EQ(read({{"phase", "Running"}}), RestoreWait::kOver);
  EXPECT_EQ(read({{"initContainerStatuses", "nonsense"}}), RestoreWait::kNotYet);
}

TEST_F(PodVolumeRestore, WaitsForTheInitContainerThenFillsTheVolumeAndLetsThePodGo) {
  const Json pod = node_.create_pod("db-0", {{"phase", "Pending"}});
  node_.create_restore("r-1", pod, {{"spec", {{"uploaderSettings", {{"WriteSparseFiles", "true"}}}}}});
  const Json before = node_.get(kKind, "r-1");
  reconcile("r-1");
  EXPECT_EQ(node_.get(kKind, "r-1"), before);

  node_.set_pod_status("db-0", waiting_pod());
  const fs::path done = node_.volume(pod) / ".velero" / "restore-uid-1";
  node_.uploader.on_download = [&](ByteReporter& reporter, const std::stop_token&) -> Result<ByteCount> {
    EXPECT_EQ(status("r-1")["phase"], "InProgress");
    EXPECT_EQ(status("r-1")["node"], "node-1");
    EXPECT_FALSE(fs::exists(done));
    reporter.total(ByteCount(10));
    reporter.done(ByteCount(4));
    EXPECT_TRUE(soon([&] { return json::int_or(status("r-1"), {"progress", "bytesDone"}, 0) == 4; }));
    return ByteCount(10);
  };
  reconcile("r-1");
  const Json restore = node_.get(kKind, "r-1");
  EXPECT_EQ(restore["status"]["phase"], "Completed") << restore["status"];
  EXPECT_EQ(restore["status"]["progress"]["bytesDone"], 10);
  EXPECT_EQ(restore["status"]["progress"]["totalBytes"], 10);
  EXPECT_THAT(k8s::ObjectView(restore).finalizers(), IsEmpty());
  EXPECT_TRUE(fs::is_regular_file(done));
  const auto seen = node_.uploader.seen();
  ASSERT_EQ(seen.downloads.size(), 1U);
  EXPECT_EQ(seen.downloads[0].snapshot, "snap");
  EXPECT_EQ(seen.downloads[0].directory, node_.volume(pod).string());
  EXPECT_TRUE(seen.downloads[0].writes_sparse_files);
  EXPECT_EQ(seen.repositories[0].path, "default/restic/old-shop") << "where it was backed up";
}

TEST_F(PodVolumeRestore, WithoutASourceTheRepositoryIsThatOfThePodsNamespace) {
  node_.create_restore("r-1", node_.create_pod("db-0", waiting_pod()), {{"spec", {{"sourceNamespace", ""}}}});
  reconcile("r-1");
  ASSERT_EQ(node_.phase(kKind, "r-1"), "Completed") << node_.message(kKind, "r-1");
  EXPECT_EQ(node_.uploader.seen().repositories[0].path, "default/restic/shop");
  EXPECT_FALSE(node_.uploader.seen().downloads[0].writes_sparse_files);
}

TEST_F(PodVolumeRestore, AnUploaderThatOnlyRestoresIsGoodEnough) {
  const Json pod = node_.create_pod("db-0", waiting_pod());
  node_.create_restore("r-kopia", pod, {{"spec", {{"uploaderType", "kopia"}}}});
  node_.create_restore("r-nobody", pod, {{"spec", {{"uploaderType", "kopia"}}}});
  reconcile("r-kopia");
  EXPECT_EQ(node_.phase(kKind, "r-kopia"), "Completed");
  EXPECT_EQ(node_.old_uploader.seen().downloads.size(), 1U);
  node_.context.uploaders = {&node_.uploader};
  reconcile("r-nobody");
  EXPECT_EQ(node_.phase(kKind, "r-nobody"), "Failed");
  EXPECT_EQ(node_.message(kKind, "r-nobody"), "nobody here restores volumes that \"kopia\" has backed up");
}

TEST(FailedPodVolumeRestore, WhatTheUploaderSaysIsTheReasonAndThePodIsNotLetGo) {
  // Stands still: the time that the last progress may take does not pass, however busy the machine is.
  ManualClock clock;
  TestNode node(clock);
  const std::vector<std::string> reasons = {"there is no such snapshot in the repository", "the disk is full"};
  const Json pod = node.create_pod("db-0", waiting_pod());
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    const std::string name = "r-" + std::to_string(i);
    node.create_restore(name, pod);
    node.uploader.on_download = [&](ByteReporter& reporter, const std::stop_token&) -> Result<ByteCount> {
      reporter.total(ByteCount(10));
      reporter.done(ByteCount(6));
      return fail(Code::kInternal, reasons[i]);
    };
    const auto done = PodVolumeRestoreReconciler(node.context, node.active).reconcile({"velero", name}, {});
    EXPECT_TRUE(done) << done.error().message();
    EXPECT_EQ(node.phase(kKind, name), "Failed");
    EXPECT_EQ(node.message(kKind, name), "volume \"data\": " + reasons[i]);
    EXPECT_EQ(node.get(kKind, name)["status"]["progress"]["bytesDone"], 6) << "how far it came";
    EXPECT_FALSE(fs::exists(node.volume(pod) / ".velero"));
  }
}

TEST_F(PodVolumeRestore, WithoutTheUidOfItsRestoreNothingIsWritten) {
  const Json pod = node_.create_pod("db-0", waiting_pod());
  node_.create_restore("r-none", pod, {{"metadata", {{"labels", nullptr}}}});
  node_.create_restore(
      "r-owned", pod,
      {{"metadata",
        {{"labels", nullptr},
         {"ownerReferences",
          Json::array(
              {{{"apiVersion", "velero.io/v1"}, {"kind", "Restore"}, {"name", "r"}, {"uid", "owner-uid"}}})}}}});
  reconcile("r-none");
  EXPECT_EQ(node_.phase(kKind, "r-none"), "Failed");
  EXPECT_THAT(node_.message(kKind, "r-none"), HasSubstr("velero.io/restore-uid"));
  EXPECT_THAT(node_.uploader.seen().downloads, IsEmpty());
  reconcile("r-owned");
  EXPECT_EQ(node_.phase(kKind, "r-owned"), "Completed");
  EXPECT_TRUE(fs::exists(node_.volume(pod) / ".velero" / "owner-uid"));
}

TEST_F(PodVolumeRestore, APodThatIsGoneFailsItWhoeverLooksFirst) {
  const Json gone = node_.create_pod("gone", waiting_pod());
  node_.remove_pod("gone");
  const Json replaced = node_.create_pod("replaced", waiting_pod());
  node_.remove_pod("replaced");
  node_.create_pod("replaced", waiting_pod());
  node_.create_restore("r-gone", gone);
  node_.create_restore("r-replaced", replaced);
  node_.create_restore("r-taken", gone, {{"status", {{"phase", "InProgress"}, {"node", "node-2"}}}});
  reconcile("r-gone");
  EXPECT_EQ(node_.phase(kKind, "r-gone"), "Failed");
  EXPECT_EQ(node_.message(kKind, "r-gone"), "pod shop/gone is gone");
  reconcile("r-replaced");
  EXPECT_EQ(node_.phase(kKind, "r-replaced"), "Failed");
  EXPECT_THAT(node_.message(kKind, "r-replaced"), HasSubstr("another one has its name"));
  reconcile("r-taken");
  EXPECT_EQ(node_.phase(kKind, "r-taken"), "InProgress") << "its own agent is at it";
}

TEST_F(PodVolumeRestore, LeavesAloneWhatIsNotItsOwnOrOver) {
  const Json elsewhere = node_.create_pod("elsewhere", Json::array({{{"name", "data"}, {"emptyDir", Json::object()}}}),
                                          waiting_pod(), "node-2");
  const Json unscheduled = node_.create_pod(
      "unscheduled", Json::array({{{"name", "data"}, {"emptyDir", Json::object()}}}), {{"phase", "Pending"}}, "");
  node_.create_restore("r-elsewhere", elsewhere);
  node_.create_restore("r-unscheduled", unscheduled);
  node_.create_restore("r-over", node_.create_pod("db-0", waiting_pod()), {{"status", {{"phase", "Completed"}}}});
  for (const std::string name : {"r-elsewhere", "r-unscheduled", "r-over"}) {
    const Json before = node_.get(kKind, name);
    reconcile(name);
    EXPECT_EQ(node_.get(kKind, name), before);
  }
  reconcile("never-was");
}

TEST_F(PodVolumeRestore, OneThatIsCancelledIsEndedAlsoWhenItsPodIsOnNoNode) {
  const Json unscheduled = node_.create_pod(
      "unscheduled", Json::array({{{"name", "data"}, {"emptyDir", Json::object()}}}), {{"phase", "Pending"}}, "");
  node_.create_restore("r-1", node_.create_pod("db-0", waiting_pod()), {{"spec", {{"cancel", true}}}});
  node_.create_restore("r-2", unscheduled, {{"spec", {{"cancel", true}}}});
  reconcile("r-1");
  reconcile("r-2");
  EXPECT_EQ(node_.phase(kKind, "r-1"), "Canceled");
  EXPECT_EQ(node_.phase(kKind, "r-2"), "Canceled");
  EXPECT_THAT(node_.uploader.seen().downloads, IsEmpty());
}

TEST_F(PodVolumeRestore, VolumesOfAPodThatDoesNotWaitAreLeftAsTheyAre) {
  node_.create_restore("r-1", node_.create_pod("db-0", {{"phase", "Running"}}));
  node_.create_restore("r-2", node_.create_pod("db-1", with_init("restore-wait", ended(0), "Running")));
  for (const std::string name : {"r-1", "r-2"}) {
    reconcile(name);
    EXPECT_EQ(node_.phase(kKind, name), "Failed");
    EXPECT_THAT(node_.message(kKind, name), HasSubstr("does not wait for its volumes"));
  }
  EXPECT_THAT(node_.uploader.seen().downloads, IsEmpty());
}

// An agent was killed after the file was written, and before the object was.
TEST_F(PodVolumeRestore, OneThatADeadProcessHasFilledIsComplete) {
  node_.create_restore("r-1", node_.create_pod("db-0", with_init("restore-wait", ended(0), "Running")),
                       {{"metadata", {{"finalizers", {"velero.io/pod-volume-finalizer"}}}},
                        {"status",
                         {{"phase", "InProgress"},
                          {"node", "node-1"},
                          {"progress", {{"totalBytes", 10}, {"bytesDone", 7}, {"step", "Transferring"}}}}}});
  reconcile("r-1");
  EXPECT_EQ(node_.phase(kKind, "r-1"), "Completed");
  EXPECT_EQ(status("r-1")["progress"]["bytesDone"], 10);
  EXPECT_THAT(node_.finalizers(kKind, "r-1"), IsEmpty());
  EXPECT_THAT(node_.uploader.seen().downloads, IsEmpty());
}

TEST_F(PodVolumeRestore, OneThatADeadProcessHasLeftIsDoneAnew) {
  node_.create_restore("r-1", node_.create_pod("db-0", waiting_pod()),
                       {{"status", {{"phase", "InProgress"}, {"node", "node-1"}}}});
  reconcile("r-1");
  EXPECT_EQ(node_.phase(kKind, "r-1"), "Completed");
  EXPECT_EQ(node_.uploader.seen().downloads.size(), 1U);
}

}  // namespace
}  // namespace landfall::agent
