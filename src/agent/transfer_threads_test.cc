// What backups and restores have in common, seen on backups.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "agent/pod_volume_backup_reconciler.h"
#include "agent/pod_volume_restore_reconciler.h"
#include "agent/test_node.h"
#include "agent/transfer.h"
#include "agent/transfer_cancel_reconciler.h"
#include "base/manual_clock.h"
#include "base/strings.h"
#include "kube/cache.h"

namespace landfall::agent {
namespace {

using extension::UploadedVolume;
using json::Json;
using progress::ByteReporter;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr api::Kind kKind = api::kPodVolumeBackup;

// One call of a reconciler in a thread of its own.
class Call {
 public:
  template <class Reconciler = PodVolumeBackupReconciler>
  static std::unique_ptr<Call> of(TestNode& node, const std::string& name) {
    return std::make_unique<Call>(std::make_unique<Reconciler>(node.context, node.active), name);
  }
  Call(std::unique_ptr<kube::Reconciler> reconciler, const std::string& name)
      : reconciler_(std::move(reconciler)), thread_([this, name](const std::stop_token& stop) {
          const auto done = reconciler_->reconcile({"velero", name}, stop);
          EXPECT_TRUE(done) << done.error().message();
          ended_.open();
        }) {}

  void stop() { thread_.request_stop(); }
  bool await_end() { return ended_.await(); }

 private:
  const std::unique_ptr<kube::Reconciler> reconciler_;
  testkit::Gate ended_;
  std::jthread thread_;  // last
};

// A cache that runs.
class RunningCache {
 public:
  RunningCache(TestNode& node, kube::Cache::OnChange on_change = {})
      : cache_(node.context.objects(kKind), {}, system_random(), Logger()) {
    if (on_change) cache_.on_change(std::move(on_change));
    thread_ = std::jthread([this](const std::stop_token& stop) { cache_.run(stop); });
    EXPECT_TRUE(cache_.wait_synced(system_clock().after(testkit::kPatience), {}));
  }
  kube::Cache& operator*() { return cache_; }

 private:
  kube::Cache cache_;
  std::jthread thread_;
};

class TransferTest : public testing::Test {
 protected:
  Json status(const std::string& name) { return node_.get(kKind, name)["status"]; }
  std::string phase(const std::string& name) { return node_.phase(kKind, name); }
  std::string uid(const std::string& name) { return node_.get(kKind, name)["metadata"]["uid"].get<std::string>(); }
  // Copies until it is told to end.
  void upload_until_stopped() {
    node_.uploader.on_upload = [&](ByteReporter& reporter, const std::stop_token& stop) -> Result<UploadedVolume> {
      reporter.total(ByteCount(100));
      reporter.done(ByteCount(60));
      begun_.open();
      testkit::Gate never;
      never.await(stop);
      return fail(Code::kCancelled, "stopped");
    };
  }
  // Copies until the gate is open.
  void upload_until_let_go() {
    node_.uploader.on_upload = [&](ByteReporter&, const std::stop_token&) -> Result<UploadedVolume> {
      begun_.open();
      let_go_.await();
      return UploadedVolume{.snapshot = "snap", .total = ByteCount(100)};
    };
  }

  testkit::Gate begun_;
  testkit::Gate let_go_;
  TestNode node_;
};

TEST_F(TransferTest, ACancelEndsWhatRuns) {
  upload_until_stopped();
  node_.create_backup("b-1", node_.create_pod("db-0"));
  RunningCache cache(node_);
  TransferCancelReconciler cancel(*cache, node_.active,
                                  std::make_unique<PodVolumeBackupReconciler>(node_.context, node_.active));
  const auto call = Call::of(node_, "b-1");
  ASSERT_TRUE(begun_.await());
  ASSERT_TRUE(cancel.reconcile({"velero", "b-1"}, {}));
  EXPECT_EQ(phase("b-1"), "InProgress") << "nobody wants it to end";
  // The end waits for two seconds at most that its last progress is written, and the machine may be busy for longer.
  ASSERT_TRUE(soon([&] { return json::int_or(status("b-1"), {"progress", "bytesDone"}, 0) == 60; }));

  node_.patch(kKind, "b-1", {{"spec", {{"cancel", true}}}});
  ASSERT_TRUE(soon([&] {
    EXPECT_TRUE(cancel.reconcile({"velero", "b-1"}, {}));
    return phase("b-1") == "Canceled";
  }));
  ASSERT_TRUE(call->await_end());
  EXPECT_THAT(node_.finalizers(kKind, "b-1"), IsEmpty());
  EXPECT_EQ(status("b-1")["message"], "canceled");
  EXPECT_FALSE(status("b-1").contains("snapshotID"));
  EXPECT_EQ(status("b-1")["progress"]["bytesDone"], 60);
}

TEST_F(TransferTest, ADeletedObjectEndsWhatRunsAndGoes) {
  upload_until_stopped();
  node_.create_backup("b-1", node_.create_pod("db-0"));
  RunningCache cache(node_);
  TransferCancelReconciler cancel(*cache, node_.active,
                                  std::make_unique<PodVolumeBackupReconciler>(node_.context, node_.active));
  const auto call = Call::of(node_, "b-1");
  ASSERT_TRUE(begun_.await());
  TestNode::must(node_.context.objects(kKind).remove("b-1", {}));
  ASSERT_TRUE(soon([&] {
    EXPECT_TRUE(cancel.reconcile({"velero", "b-1"}, {}));
    return !node_.context.objects(kKind).get("b-1", {});
  }));
  ASSERT_TRUE(call->await_end());
}

TEST_F(TransferTest, ACancelEndsWhatNobodyHasBegun) {
  node_.create_backup("b-1", node_.create_pod("db-0"), {{"spec", {{"cancel", true}}}});
  RunningCache cache(node_);
  TransferCancelReconciler cancel(*cache, node_.active,
                                  std::make_unique<PodVolumeBackupReconciler>(node_.context, node_.active));
  ASSERT_TRUE(cancel.reconcile({"velero", "b-1"}, {}));
  EXPECT_EQ(phase("b-1"), "Canceled");
  ASSERT_TRUE(cancel.reconcile({"velero", "never-was"}, {}));
}

TEST_F(TransferTest, BackupsAndRestoresShareTheirTurns) {
  upload_until_let_go();
  node_.create_backup("b-1", node_.create_pod("db-0"));
  node_.create_restore(
      "r-1", node_.create_pod("db-1",
                              {{"phase", "Pending"},
                               {"initContainerStatuses",
                                Json::array({{{"name", "restore-wait"}, {"state", {{"running", Json::object()}}}}})}}));
  node_.create_backup("b-2", node_.create_pod("db-2"));
  const auto first = Call::of(node_, "b-1");
  ASSERT_TRUE(begun_.await());
  const auto second = Call::of<PodVolumeRestoreReconciler>(node_, "r-1");
  const auto third = Call::of(node_, "b-2");
  ASSERT_TRUE(soon([&] {
    return node_.active.has(node_.get(api::kPodVolumeRestore, "r-1")["metadata"]["uid"].get<std::string>());
  }));
  // It waits, and can be cancelled.
  ASSERT_TRUE(soon([&] { return node_.active.cancel(uid("b-2")); }));
  ASSERT_TRUE(third->await_end());
  EXPECT_EQ(phase("b-2"), "Canceled");
  EXPECT_EQ(phase("b-1"), "InProgress");
  EXPECT_EQ(node_.phase(api::kPodVolumeRestore, "r-1"), "");
  let_go_.open();
  ASSERT_TRUE(first->await_end());
  ASSERT_TRUE(second->await_end());
  EXPECT_EQ(phase("b-1"), "Completed");
  EXPECT_EQ(node_.phase(api::kPodVolumeRestore, "r-1"), "Completed");
  EXPECT_EQ(node_.uploader.seen().most_at_once, 1);
}

TEST_F(TransferTest, WhatChangedWhileItWaitedForItsTurnCounts) {
  upload_until_let_go();
  node_.create_backup("b-1", node_.create_pod("db-0"));
  const Json pod = node_.create_pod("db-1");
  const std::vector<std::string> names = {"b-cancelled", "b-over", "b-deleted", "b-stopped"};
  for (const std::string& name : names) node_.create_backup(name, pod);
  const auto first = Call::of(node_, "b-1");
  ASSERT_TRUE(begun_.await());
  std::vector<std::unique_ptr<Call>> waiting;
  for (const std::string& name : names) {
    waiting.push_back(Call::of(node_, name));
    ASSERT_TRUE(soon([&] { return node_.active.has(uid(name)); }));
  }
  waiting.back()->stop();
  ASSERT_TRUE(waiting.back()->await_end());
  EXPECT_EQ(phase("b-stopped"), "");

  node_.patch(kKind, "b-cancelled", {{"spec", {{"cancel", true}}}});
  node_.patch(kKind, "b-over", {{"status", {{"phase", "Failed"}}}});
  TestNode::must(node_.context.objects(kKind).remove("b-deleted", {}));
  let_go_.open();
  ASSERT_TRUE(first->await_end());
  for (const auto& call : waiting) ASSERT_TRUE(call->await_end());
  EXPECT_EQ(phase("b-cancelled"), "Canceled");
  EXPECT_EQ(phase("b-over"), "Failed");
  EXPECT_EQ(node_.uploader.seen().uploads.size(), 1U);
}

TEST_F(TransferTest, AStopLeavesItToTheNextProcessAndNoWatcherSeesACountGoDown) {
  Guarded<std::vector<std::int64_t>> shown;
  RunningCache watcher(node_, [&](const kube::CacheChange& change) {
    if (!change.after) return;
    shown.with([&](auto& all) { all.push_back(json::int_or(*change.after, {"status", "progress", "bytesDone"}, 0)); });
  });
  const auto last_shown = [&] { return shown.with([](const auto& all) { return all.empty() ? -1 : all.back(); }); };
  upload_until_stopped();
  node_.create_backup("b-1", node_.create_pod("db-0"));
  {
    const auto call = Call::of(node_, "b-1");
    ASSERT_TRUE(begun_.await());
    ASSERT_TRUE(soon([&] { return last_shown() == 60; }));
    call->stop();
    ASSERT_TRUE(call->await_end());
  }
  EXPECT_EQ(phase("b-1"), "InProgress");
  EXPECT_THAT(node_.finalizers(kKind, "b-1"), testing::SizeIs(1));

  const auto shows = [&](const std::string& current) {
    return json::string_or(status("b-1"), {"progress", "current"}, "") == current;
  };
  node_.uploader.on_upload = [&](ByteReporter& reporter, const std::stop_token&) -> Result<UploadedVolume> {
    reporter.doing("looking");
    EXPECT_TRUE(soon([&] { return shows("looking"); })) << "the step and the rest are live";
    EXPECT_EQ(status("b-1")["progress"]["step"], "Scanning");
    EXPECT_EQ(status("b-1")["progress"]["totalBytes"], 100);
    reporter.total(ByteCount(90));
    reporter.done(ByteCount(10));
    reporter.doing("behind");
    EXPECT_TRUE(soon([&] { return shows("behind"); }));
    EXPECT_EQ(status("b-1")["progress"]["bytesDone"], 60);
    reporter.done(ByteCount(70));
    EXPECT_TRUE(soon([&] { return last_shown() == 70; }));
    return UploadedVolume{.snapshot = "snap", .total = ByteCount(90)};
  };
  ASSERT_TRUE(Call::of(node_, "b-1")->await_end());
  EXPECT_EQ(phase("b-1"), "Completed");
  EXPECT_EQ(status("b-1")["progress"]["bytesDone"], 90);
  EXPECT_EQ(status("b-1")["progress"]["totalBytes"], 90);
  ASSERT_TRUE(soon([&] { return last_shown() == 90; }));
  const auto all = shown.copy();
  EXPECT_TRUE(std::ranges::is_sorted(all)) << testing::PrintToString(all);
}

TEST_F(TransferTest, WhatWasDoneWhenTheStopCameIsNotLost) {
  node_.create_backup("b-1", node_.create_pod("db-0"));
  node_.uploader.on_upload = [&](ByteReporter&, const std::stop_token& stop) -> Result<UploadedVolume> {
    begun_.open();
    testkit::Gate never;
    never.await(stop);
    return UploadedVolume{.snapshot = "snap", .total = ByteCount(10)};
  };
  const auto call = Call::of(node_, "b-1");
  ASSERT_TRUE(begun_.await());
  call->stop();
  ASSERT_TRUE(call->await_end());
  EXPECT_EQ(phase("b-1"), "Completed");
  EXPECT_EQ(status("b-1")["snapshotID"], "snap");
  EXPECT_EQ(status("b-1")["progress"]["bytesDone"], 10);
}

TEST_F(TransferTest, AnApiServerThatFailsMeanwhileDoesNotFailIt) {
  node_.create_backup("b-1", node_.create_pod("db-0"));
  node_.uploader.on_upload = [&](ByteReporter& reporter, const std::stop_token&) -> Result<UploadedVolume> {
    node_.faults().set({.failed = 1});
    reporter.total(ByteCount(10));
    reporter.done(ByteCount(5));
    EXPECT_TRUE(soon([&] { return contains(node_.log(), "an injected fault"); })) << node_.log();
    return UploadedVolume{.snapshot = "snap", .total = ByteCount(10)};
  };
  const auto call = Call::of(node_, "b-1");
  EXPECT_TRUE(soon([&] { return contains(node_.log(), "the pod was not looked up; trying again"); })) << node_.log();
  node_.faults().set({});
  ASSERT_TRUE(call->await_end());
  EXPECT_EQ(phase("b-1"), "Completed");
  EXPECT_EQ(status("b-1")["snapshotID"], "snap");
  EXPECT_EQ(status("b-1")["progress"]["bytesDone"], 10);
  EXPECT_EQ(node_.uploader.seen().uploads.size(), 1U);
}

TEST_F(TransferTest, AnApiServerThatFailsAtTheEndOfARestoreDoesNotFailIt) {
  const Json pod = node_.create_pod(
      "db-0",
      {{"phase", "Pending"},
       {"initContainerStatuses", Json::array({{{"name", "restore-wait"}, {"state", {{"running", Json::object()}}}}})}});
  node_.create_restore("r-1", pod);
  node_.uploader.on_download = [&](ByteReporter&, const std::stop_token&) -> Result<ByteCount> {
    node_.faults().set({.failed = 1});
    return ByteCount(10);
  };
  const auto call = Call::of<PodVolumeRestoreReconciler>(node_, "r-1");
  EXPECT_TRUE(soon([&] { return contains(node_.log(), "the pod was not looked up; trying again"); })) << node_.log();
  EXPECT_FALSE(std::filesystem::exists(node_.volume(pod) / ".velero"));
  node_.faults().set({});
  ASSERT_TRUE(call->await_end());
  EXPECT_EQ(node_.phase(api::kPodVolumeRestore, "r-1"), "Completed");
  EXPECT_TRUE(std::filesystem::exists(node_.volume(pod) / ".velero" / "restore-uid-1"));
  EXPECT_EQ(node_.uploader.seen().downloads.size(), 1U);
}

TEST_F(TransferTest, HowItHasComeOutIsWrittenWhenTheApiServerAnswersAgain) {
  node_.create_backup("b-1", node_.create_pod("db-0"));
  node_.uploader.on_upload = [&](ByteReporter&, const std::stop_token&) -> Result<UploadedVolume> {
    node_.faults().set({.failed = 1});
    return fail(Code::kInternal, "the disk is full");
  };
  const auto call = Call::of(node_, "b-1");
  EXPECT_TRUE(soon([&] { return contains(node_.log(), "how it has come out was not written"); })) << node_.log();
  node_.faults().set({});
  ASSERT_TRUE(call->await_end());
  EXPECT_EQ(phase("b-1"), "Failed");
  EXPECT_THAT(node_.message(kKind, "b-1"), HasSubstr("the disk is full"));
}

TEST_F(TransferTest, AStopWhileTheApiServerFailsLeavesItToTheNextProcess) {
  node_.create_backup("b-1", node_.create_pod("db-0"));
  node_.uploader.on_upload = [&](ByteReporter&, const std::stop_token&) -> Result<UploadedVolume> {
    node_.faults().set({.failed = 1});
    return UploadedVolume{.snapshot = "snap", .total = ByteCount(10)};
  };
  const auto call = Call::of(node_, "b-1");
  EXPECT_TRUE(soon([&] { return contains(node_.log(), "the pod was not looked up; trying again"); })) << node_.log();
  call->stop();
  ASSERT_TRUE(call->await_end());
  node_.faults().set({});
  EXPECT_EQ(phase("b-1"), "InProgress");
}

TEST_F(TransferTest, WhatCannotBeLookedUpBeforeItBeginsIsTriedAgainAndWhatIsNotThereRefused) {
  const Json pod = node_.create_pod("db-0");
  const auto run = [&](const std::string& name, Code code) {
    Transfer transfer(node_.context, node_.active, kKind, node_.create_backup(name, pod));
    return transfer.run({.prepare = [&](const std::stop_token&) -> Status { return fail(code, "the pod is away"); },
                         .copy = [](ByteReporter&, const std::stop_token&) -> Result<TransferOutcome> {
                           ADD_FAILURE() << "it has begun";
                           return TransferOutcome();
                         }},
                        {});
  };
  const Status unanswered = run("b-1", Code::kUnavailable);
  ASSERT_FALSE(unanswered);
  EXPECT_EQ(unanswered.error().message(), "the pod is away");
  EXPECT_EQ(phase("b-1"), "");
  EXPECT_TRUE(run("b-2", Code::kNotFound));
  EXPECT_EQ(phase("b-2"), "Failed");
  EXPECT_EQ(node_.message(kKind, "b-2"), "the pod is away");
}

TEST_F(TransferTest, WhatOthersWriteMeanwhileStays) {
  node_.create_backup("b-1", node_.create_pod("db-0"));
  node_.uploader.on_upload = [&](ByteReporter&, const std::stop_token&) -> Result<UploadedVolume> {
    node_.patch(kKind, "b-1",
                {{"metadata", {{"labels", {{"mine", "x"}}}, {"finalizers", {"velero.io/pod-volume-finalizer", "a/b"}}}},
                 {"status", {{"extra", nullptr}}}});
    return UploadedVolume{.snapshot = "snap", .total = ByteCount(10)};
  };
  ASSERT_TRUE(Call::of(node_, "b-1")->await_end());
  EXPECT_EQ(phase("b-1"), "Completed");
  EXPECT_EQ(node_.get(kKind, "b-1")["metadata"]["labels"]["mine"], "x");
  EXPECT_THAT(node_.finalizers(kKind, "b-1"), testing::ElementsAre("a/b"));
}

TEST_F(TransferTest, AnotherObjectOfTheSameNameIsLeftAlone) {
  const Json pod = node_.create_pod("db-0");
  node_.create_backup("b-1", pod);
  node_.uploader.on_upload = [&](ByteReporter&, const std::stop_token&) -> Result<UploadedVolume> {
    node_.patch(kKind, "b-1", {{"metadata", {{"finalizers", nullptr}}}});
    TestNode::must(node_.context.objects(kKind).remove("b-1", {}));
    node_.create_backup("b-1", pod);
    return UploadedVolume{.snapshot = "snap", .total = ByteCount(10)};
  };
  ASSERT_TRUE(Call::of(node_, "b-1")->await_end());
  EXPECT_EQ(phase("b-1"), "");
  EXPECT_FALSE(node_.get(kKind, "b-1").contains("status"));
}

TEST_F(TransferTest, ThePhaseOfAnotherVersionIsNotGoneOnFrom) {
  EXPECT_TRUE(is_over({{"status", {{"phase", "SomethingNew"}}}}));
  EXPECT_FALSE(is_over({{"status", {{"phase", "Prepared"}}}}));
  EXPECT_FALSE(is_over(Json::object()));
}

class StalledTransfer : public testing::Test {
 protected:
  Json progress() { return node_.get(kKind, "b-1")["status"].value("progress", Json::object()); }
  // Until then time goes by.
  template <class Holds>
  bool in_time(const Holds& holds) {
    return soon([&] {
      clock_.advance(std::chrono::milliseconds(500));
      return holds();
    });
  }
  ManualClock clock_;
  TestNode node_{clock_};
};

TEST_F(StalledTransfer, ShowsItsRateThenThatItStandsAndWhy) {
  node_.create_backup("b-1", node_.create_pod("db-0"));
  node_.uploader.on_upload = [&](ByteReporter& reporter, const std::stop_token&) -> Result<UploadedVolume> {
    reporter.total(ByteCount(1'000'000'000));
    std::int64_t done = 0;
    EXPECT_TRUE(in_time([&] {
      reporter.done(ByteCount(done += 1'000'000));
      const Json now = progress();
      return now.contains("bytesPerSecond") && now.contains("estimatedCompletionTimestamp");
    })) << progress();
    EXPECT_EQ(progress()["step"], "Transferring");
    EXPECT_FALSE(progress().contains("stalled"));

    EXPECT_TRUE(in_time([&] { return progress().contains("stalled"); }));
    EXPECT_THAT(progress()["stalled"]["reason"].get<std::string>(), HasSubstr("the storage may not answer"));
    EXPECT_TRUE(progress()["stalled"].contains("since"));
    EXPECT_FALSE(progress().contains("bytesPerSecond"));

    reporter.blame("the bucket is throttled");
    EXPECT_TRUE(
        in_time([&] { return json::string_or(progress(), {"stalled", "reason"}, "") == "the bucket is throttled"; }));
    reporter.done(ByteCount(done + 1));
    EXPECT_TRUE(in_time([&] { return !progress().contains("stalled"); }));
    return UploadedVolume{.snapshot = "snap", .total = ByteCount(done + 1)};
  };
  ASSERT_TRUE(Call::of(node_, "b-1")->await_end());
  EXPECT_EQ(node_.phase(kKind, "b-1"), "Completed");
  EXPECT_EQ(progress()["bytesDone"], progress()["totalBytes"]);
}

}  // namespace
}  // namespace landfall::agent
