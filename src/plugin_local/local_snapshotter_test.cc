#include "plugin_local/local_snapshotter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>

#include "json/json.h"
#include "plugin_local/test_snapshotter.h"
#include "plugin_local/worker.h"

namespace landfall::plugin_local {
namespace {

using testing::HasSubstr;

// For workers that are killed half way, however late the test gets its turn: at this speed three of the files are there
// at once, and the others take the better part of a minute. quicken() is for whoever goes on.
constexpr const char* kSlowly = "100000";
void write_eight_files(const TestSnapshotter& test) {
  for (char name = 'a'; name <= 'h'; ++name) {
    write_bytes(test.volume() / std::string(1, name), std::string(name <= 'c' ? 10'000U : 1'000'000U, name));
  }
}

TEST(LocalSnapshotter, MakesAVolumeThatIsTheSameAsTheOneThatWasSaved) {
  TestSnapshotter test;
  make_rich_tree(test.volume());
  const auto before = described(test.volume());
  const auto plugin = test.open();
  const Task snapshot = test.taken(*plugin);
  ASSERT_EQ(snapshot.phase, kCompleted) << snapshot.message;
  EXPECT_EQ(snapshot.message, "");
  EXPECT_EQ(described(test.folder(snapshot.id) / "data"), before);
  EXPECT_EQ(described(test.volume()), before);
  const Task volume = test.made(*plugin, snapshot.id);
  ASSERT_EQ(volume.phase, kCompleted) << volume.message;
  EXPECT_EQ(described(volume.volume_id), before);
  EXPECT_EQ(snapshot.counts.bytes_done, snapshot.counts.total_bytes);
  EXPECT_EQ(volume.counts.bytes_done, snapshot.counts.bytes_done);
  EXPECT_LT(blocks_of(fs::path(volume.volume_id) / "sparse") * 512, 32 << 20) << "the holes were filled";
}

TEST(LocalSnapshotter, TellsHowFarItIs) {
  TestSnapshotter test;
  write_bytes(test.volume() / "a", std::string(1000, 'a'));
  const auto plugin = test.open();
  const Task snapshot = test.taken(*plugin);
  const auto progress = plugin->snapshot_progress(snapshot.id, {});
  ASSERT_TRUE(progress) << progress.error().message();
  EXPECT_EQ(progress->phase, "Completed");
  EXPECT_EQ(progress->total_bytes, 1000);
  EXPECT_EQ(progress->bytes_done, 1000);
  EXPECT_TRUE(progress->started && progress->completed);
  EXPECT_EQ(progress->plugin_specific.at("incrementalBytes"), "1000");
  const Task volume = test.made(*plugin, snapshot.id);
  EXPECT_EQ(plugin->volume_progress(volume.volume_id, snapshot.id, {})->phase, "Completed");
  EXPECT_EQ(plugin->volume_progress(volume.volume_id, "local-other", {}).error().code(), Code::kNotFound);
}

TEST(LocalSnapshotter, CountsWhatDiffersFromTheSnapshotBefore) {
  TestSnapshotter test;
  write_bytes(test.volume() / "same", std::string(5000, 's'));
  write_bytes(test.volume() / "changed", std::string(300, 'a'));
  const auto plugin = test.open();
  const Task first = test.taken(*plugin);
  EXPECT_EQ(first.counts.changed_bytes, 5300);
  write_bytes(test.volume() / "changed", std::string(300, 'b'));
  write_bytes(test.volume() / "new", std::string(20, 'n'));
  const Task second = test.taken(*plugin);
  EXPECT_EQ(second.previous, first.id);
  EXPECT_EQ(second.counts.changed_bytes, 320);
  EXPECT_EQ(second.counts.total_bytes, 5320);
}

TEST(LocalSnapshotter, GoesOnWhereAKilledWorkerWas) {
  TestSnapshotter test(Config{{"bytesPerSecond", kSlowly}});
  write_eight_files(test);
  auto plugin = test.open();
  const std::string id = test.take(*plugin);
  test.await(TaskKind::kSnapshot, id, [](const Task& task) { return task.counts.files >= 3; });
  test.kill_worker(TaskKind::kSnapshot, id);
  const Task killed = test.state(TaskKind::kSnapshot, id);
  ASSERT_EQ(killed.phase, kInProgress);
  EXPECT_GE(killed.counts.bytes_done, 30'000);
  struct stat finished{};
  ASSERT_EQ(::stat((test.folder(id) / "data/a").c_str(), &finished), 0);
  // What changes and what goes meanwhile is seen.
  write_bytes(test.volume() / "b", "changed");
  fs::remove(test.volume() / "c");
  test.quicken(TaskKind::kSnapshot, id);
  ASSERT_TRUE(plugin->snapshot_progress(id, {}));  // revives
  const Task snapshot = test.await_rise_to_end(TaskKind::kSnapshot, id, killed.counts.bytes_done);
  ASSERT_EQ(snapshot.phase, kCompleted) << snapshot.message;
  EXPECT_EQ(described(test.folder(id) / "data"), described(test.volume()));
  EXPECT_EQ(snapshot.counts.bytes_done, 5'010'007);
  EXPECT_EQ(snapshot.counts.total_bytes, 5'010'007);
  struct stat now{};
  ASSERT_EQ(::stat((test.folder(id) / "data/a").c_str(), &now), 0);
  EXPECT_EQ(now.st_ino, finished.st_ino) << "what was finished was copied again";
  test.set("bytesPerSecond", "0");
  EXPECT_EQ(described(test.made(*test.open(), id).volume_id), described(test.volume()));
}

TEST(LocalSnapshotter, AStartedPluginGoesOnWithWhatItFinds) {
  TestSnapshotter test(Config{{"bytesPerSecond", kSlowly}});
  write_eight_files(test);
  const std::string id = test.take(*test.open());
  test.await(TaskKind::kSnapshot, id, [](const Task& task) { return task.counts.files >= 1; });
  test.kill_worker(TaskKind::kSnapshot, id);
  test.quicken(TaskKind::kSnapshot, id);
  const auto another = test.open();
  EXPECT_EQ(test.await_end(TaskKind::kSnapshot, id).phase, kCompleted);
}

TEST(LocalSnapshotter, DoesNotTrustTheLastFileOfAKilledWorker) {
  TestSnapshotter test(Config{{"bytesPerSecond", kSlowly}});
  write_eight_files(test);
  const auto plugin = test.open();
  const std::string id = test.take(*plugin);
  test.await(TaskKind::kSnapshot, id, [](const Task& task) { return task.counts.files >= 2; });
  test.kill_worker(TaskKind::kSnapshot, id);
  fs::path last;
  for (char name = 'h'; name >= 'a' && last.empty(); --name) {
    const fs::path copy = test.folder(id) / "data" / std::string(1, name);
    if (fs::exists(copy) && fs::file_size(copy) == 10'000 && fs::exists(test.folder(id) / "journal.1") &&
        contains(io::read_file(test.folder(id) / "journal.1", 1 << 20).value(), "\"path\":\"" + std::string(1, name))) {
      last = copy;
    }
  }
  ASSERT_FALSE(last.empty());
  {
    const io::Descriptor file(::open(last.c_str(), O_WRONLY | O_CLOEXEC));
    ASSERT_EQ(::pwrite(file.get(), "torn", 4, 5'000), 4);
  }
  test.quicken(TaskKind::kSnapshot, id);
  ASSERT_TRUE(plugin->snapshot_progress(id, {}));
  EXPECT_EQ(test.await_end(TaskKind::kSnapshot, id).phase, kCompleted);
  EXPECT_EQ(described(test.folder(id) / "data"), described(test.volume()));
}

TEST(LocalSnapshotter, TrustsNoFileFromBeforeTheMachineFell) {
  TestSnapshotter test(Config{{"bytesPerSecond", kSlowly}});
  write_eight_files(test);
  const auto plugin = test.open();
  const std::string id = test.take(*plugin);
  test.await(TaskKind::kSnapshot, id, [](const Task& task) { return task.counts.files >= 3; });
  test.kill_worker(TaskKind::kSnapshot, id);
  test.quicken(TaskKind::kSnapshot, id);
  Task task = test.state(TaskKind::kSnapshot, id);
  task.boot = "another";
  ASSERT_TRUE(save_task(test.layout(), task));
  {
    const io::Descriptor file(::open((test.folder(id) / "data/a").c_str(), O_WRONLY | O_CLOEXEC));
    ASSERT_EQ(::pwrite(file.get(), "lost", 4, 1000), 4);
  }
  ASSERT_TRUE(plugin->snapshot_progress(id, {}));
  EXPECT_EQ(test.await_end(TaskKind::kSnapshot, id).phase, kCompleted);
  EXPECT_EQ(described(test.folder(id) / "data"), described(test.volume()));
}

TEST(LocalSnapshotter, AVolumeWhoseWorkerWasKilledIsFinishedAndAppearsWhole) {
  TestSnapshotter test;
  write_eight_files(test);
  const Task snapshot = test.taken(*test.open());
  test.set("bytesPerSecond", kSlowly);
  const auto plugin = test.open();
  const std::string path = plugin->create_volume(snapshot.id, {}, "", {}).value();
  const std::string id = fs::path(path).filename();
  test.await(TaskKind::kVolume, id, [](const Task& task) { return task.counts.files >= 2; });
  test.kill_worker(TaskKind::kVolume, id);
  EXPECT_FALSE(fs::exists(path));
  const std::int64_t done = test.state(TaskKind::kVolume, id).counts.bytes_done;
  EXPECT_GE(done, 20'000);
  test.quicken(TaskKind::kVolume, id);
  ASSERT_TRUE(plugin->volume_progress(path, snapshot.id, {}));
  const Task volume = test.await_rise_to_end(TaskKind::kVolume, id, done);
  EXPECT_EQ(volume.phase, kCompleted) << volume.message;
  EXPECT_EQ(volume.counts.bytes_done, 5'030'000);
  EXPECT_EQ(volume.counts.total_bytes, 5'030'000);
  EXPECT_EQ(described(path), described(test.volume()));
}

TEST(LocalSnapshotter, ADamagedSnapshotIsNotRestored) {
  TestSnapshotter test;
  write_bytes(test.volume() / "good", "good");
  write_bytes(test.volume() / "rotten", "as it was");
  const auto plugin = test.open();
  const Task snapshot = test.taken(*plugin);
  write_bytes(test.folder(snapshot.id) / "data/rotten", "as it is.");
  const Task volume = test.made(*plugin, snapshot.id);
  EXPECT_EQ(volume.phase, kFailed);
  EXPECT_THAT(volume.message, HasSubstr("rotten is not what its checksum says"));
  EXPECT_FALSE(fs::exists(volume.volume_id));
  EXPECT_TRUE(volume.completed);
  write_bytes(test.folder(snapshot.id) / "manifest", "{}\n");
  EXPECT_THAT(test.made(*plugin, snapshot.id).message, HasSubstr("its manifest is not what was written"));
}

TEST(LocalSnapshotter, AFailureTakesBackNoBytesThatWereShown) {
  TestSnapshotter test;
  write_bytes(test.volume() / "a", "twelve bytes");
  const Task snapshot = test.taken(*test.open());
  write_bytes(test.folder(snapshot.id) / "manifest", "{}\n");
  Task volume{.kind = TaskKind::kVolume, .id = "local-2", .volume_id = (test.top() / "local-2").string()};
  volume.snapshot_id = snapshot.id;
  volume.settings.progress = ProgressWay::kPolled;
  volume.counts = {.total_bytes = 12, .bytes_done = 7};  // by a worker that died
  fs::create_directories(test.layout().folder(volume.kind, volume.id));
  ASSERT_TRUE(save_task(test.layout(), volume));
  ASSERT_TRUE(do_task(test.layout(), volume.kind, volume.id, Environment(), system_clock()));
  const Task failed = test.state(volume.kind, volume.id);
  EXPECT_EQ(failed.phase, kFailed);
  EXPECT_EQ(failed.counts.bytes_done, 7);
}

TEST(LocalSnapshotter, ForgetsHowAVolumeWasMadeAfterThirtyDaysAndKeepsTheVolume) {
  TestSnapshotter test;
  write_bytes(test.volume() / "a", "a");
  const Task snapshot = test.taken(*test.open());
  const auto made_before = [&](Task task, Duration age) {
    task.completed = system_clock().wall_now() - age;
    EXPECT_TRUE(save_task(test.layout(), task));
    return task;
  };
  made_before(snapshot, std::chrono::days(365));
  const Task old = made_before(test.made(*test.open(), snapshot.id), std::chrono::days(31));
  const Task recent = made_before(test.made(*test.open(), snapshot.id), std::chrono::days(29));

  const auto plugin = test.open();
  EXPECT_FALSE(fs::exists(test.layout().folder(TaskKind::kVolume, old.id)));
  EXPECT_TRUE(fs::is_empty(test.layout().trash()));
  EXPECT_EQ(described(old.volume_id), described(test.volume()));
  EXPECT_EQ(plugin->volume_progress(old.volume_id, snapshot.id, {}).error().code(), Code::kNotFound);
  EXPECT_TRUE(plugin->volume_progress(recent.volume_id, snapshot.id, {}));
  EXPECT_TRUE(plugin->snapshot_progress(snapshot.id, {}));
}

TEST(LocalSnapshotter, SaysWhenTheDiskIsFullAndFreesWhatItTook) {
  const testkit::TempDir small;
  if (::mount("tmpfs", small.path().c_str(), "tmpfs", 0, "size=1m") != 0) GTEST_SKIP() << "may not mount";
  {
    TestSnapshotter test(Config(), small.path() / "snapshots");
    write_bytes(test.volume() / "large", std::string(4'000'000, 'x'));
    const auto plugin = test.open();
    const Task snapshot = test.taken(*plugin);
    EXPECT_EQ(snapshot.phase, kFailed);
    EXPECT_THAT(snapshot.message, HasSubstr("large: No space left on device"));
    EXPECT_FALSE(fs::exists(test.folder(snapshot.id) / "data"));
    EXPECT_EQ(plugin->create_volume(snapshot.id, {}, "", {}).error().code(), Code::kInvalid);
    EXPECT_TRUE(plugin->delete_snapshot(snapshot.id, {}));
  }
  ::umount2(small.path().c_str(), MNT_DETACH);
}

TEST(LocalSnapshotter, NamesAFileThatItMayNotRead) {
  if (is_root()) GTEST_SKIP() << "root may read everything";
  TestSnapshotter test;
  write_bytes(test.volume() / "secret", "x");
  fs::permissions(test.volume() / "secret", fs::perms::none);
  const auto plugin = test.open();
  const Task snapshot = test.taken(*plugin);
  EXPECT_EQ(snapshot.phase, kFailed);
  EXPECT_THAT(snapshot.message, HasSubstr("secret: Permission denied"));
}

TEST(LocalSnapshotter, CancelsAndLeavesNothing) {
  TestSnapshotter test(Config{{"bytesPerSecond", "1000000"}});
  write_bytes(test.volume() / "large", std::string(200'000'000, 'x'));
  const auto plugin = test.open();
  const std::string id = test.take(*plugin);
  ASSERT_TRUE(plugin->cancel_snapshot(id, {}));
  const Task snapshot = test.await_end(TaskKind::kSnapshot, id);
  EXPECT_EQ(snapshot.phase, kCanceled);
  EXPECT_TRUE(snapshot.completed);
  EXPECT_FALSE(fs::exists(test.folder(id) / "data"));
  EXPECT_TRUE(plugin->cancel_snapshot(id, {})) << "it is over already";
  EXPECT_EQ(plugin->cancel_snapshot("local-nowhere", {}).error().code(), Code::kNotFound);
}

TEST(LocalSnapshotter, DeletesAlsoWhatIsBeingWritten) {
  TestSnapshotter test(Config{{"bytesPerSecond", "1000000"}});
  write_bytes(test.volume() / "large", std::string(200'000'000, 'x'));
  const auto plugin = test.open();
  const std::string id = test.take(*plugin);
  const Status deleted = plugin->delete_snapshot(id, {});
  ASSERT_TRUE(deleted) << deleted.error().message();
  EXPECT_FALSE(fs::exists(test.folder(id)));
  EXPECT_TRUE(fs::is_empty(test.layout().trash()));
  EXPECT_TRUE(plugin->delete_snapshot(id, {})) << "gone is gone";
  EXPECT_EQ(plugin->snapshot_progress(id, {}).error().code(), Code::kNotFound);
}

TEST(LocalSnapshotter, RefusesIdsThatAreNone) {
  TestSnapshotter test;
  const auto plugin = test.open();
  write_bytes(test.top() / "victim/file", "x");
  for (const std::string id : {"", ".", "..", "../volumes", "../../victim", "/etc", "a/b", "A", "a b", "-x", "a\n"}) {
    EXPECT_EQ(plugin->delete_snapshot(id, {}).error().code(), Code::kInvalid) << id;
    EXPECT_FALSE(plugin->create_volume(id, {}, "", {})) << id;
    EXPECT_FALSE(plugin->snapshot_progress(id, {})) << id;
    EXPECT_FALSE(plugin->cancel_snapshot(id, {})) << id;
    EXPECT_FALSE(plugin->volume_progress(test.top() / "new" / id, "", {})) << id;
  }
  for (const std::string path : {"", "relative", "/", "/a/../b", "/a//b", "/nowhere/at/all"}) {
    EXPECT_FALSE(plugin->create_snapshot(path, "", {}, {})) << path;
  }
  EXPECT_EQ(plugin->create_snapshot(test.top(), "", {}, {}).error().code(), Code::kInvalid)
      << "the snapshots are within the volume";
  EXPECT_TRUE(fs::exists(test.top() / "victim/file"));
}

TEST(LocalSnapshotter, KnowsTheDirectoriesOfPersistentVolumes) {
  TestSnapshotter test;
  const auto plugin = test.open();
  json::Json local = {{"spec", {{"local", {{"path", "/mnt/disks/a/"}}}}}};
  EXPECT_EQ(plugin->volume_id(local, {}), "/mnt/disks/a");
  ASSERT_TRUE(plugin->set_volume_id(local, "/mnt/disks/b", {}));
  EXPECT_EQ(local["spec"]["local"]["path"], "/mnt/disks/b");
  json::Json host = {{"spec", {{"hostPath", {{"path", "/data"}, {"type", "Directory"}}}}}};
  EXPECT_EQ(plugin->volume_id(host, {}), "/data");
  ASSERT_TRUE(plugin->set_volume_id(host, "/other", {}));
  EXPECT_EQ(host["spec"]["hostPath"]["path"], "/other");
  json::Json other = {{"spec", {{"nfs", {{"path", "/data"}}}}}};
  EXPECT_EQ(plugin->volume_id(other, {}), "");
  EXPECT_FALSE(plugin->set_volume_id(other, "/x", {}));
  local["spec"]["volumeMode"] = "Block";
  EXPECT_EQ(plugin->volume_id(local, {}), "");
}

TEST(LocalSnapshotter, SeesTheNodesPathsBelowARoot) {
  testkit::TempDir node;
  write_bytes(node.path() / "real/place/file", "bytes");
  fs::create_symlink("/real", node.path() / "data");  // as the node means it
  TestSnapshotter test(Config{{"root", node.path()}, {"volumes", "/made"}});
  const auto plugin = test.open();
  const std::string id = plugin->create_snapshot("/data/place", "", {}, {}).value();
  ASSERT_EQ(test.await_end(TaskKind::kSnapshot, id).phase, kCompleted);
  const Task volume = test.made(*plugin, id);
  ASSERT_EQ(volume.phase, kCompleted) << volume.message;
  EXPECT_TRUE(volume.volume_id.starts_with("/made/"));
  EXPECT_EQ(described(node.path().string() + volume.volume_id), described(node.path() / "real/place"));
}

TEST(LocalSnapshotter, WithResourcesOnlyTheServiceIsNotThere) {
  TestSnapshotter test;
  write_bytes(test.volume() / "a", "a");
  const Task snapshot = test.taken(*test.open());
  test.set("progress", "resources");
  EXPECT_EQ(test.open()->snapshot_progress(snapshot.id, {}).error().code(), Code::kUnsupported);
}

TEST(LocalSettings, AreCheckedByName) {
  EXPECT_THAT(read_settings({}).error().message(), HasSubstr("\"directory\" is missing"));
  EXPECT_THAT(read_settings({{"directory", "/a"}, {"bucket", "x"}}).error().message(), HasSubstr("bucket"));
  EXPECT_THAT(read_settings({{"directory", "a"}}).error().message(), HasSubstr("not an absolute path"));
  EXPECT_FALSE(read_settings({{"directory", "/a"}, {"progress", "loud"}}));
  EXPECT_FALSE(read_settings({{"directory", "/a"}, {"bytesPerSecond", "-1"}}));
  EXPECT_FALSE(read_settings({{"directory", "/a"}, {"root", "/host"}})) << "where new volumes go cannot be guessed";
  EXPECT_EQ(read_settings({{"directory", "/a"}})->volumes, "/a-volumes");
  EXPECT_EQ(read_settings({{"directory", "/host/a"}, {"root", "/host"}})->volumes, "/a-volumes");
}

}  // namespace
}  // namespace landfall::plugin_local
