#include "sandbox_world/snapshot.h"

#include <gmock/gmock.h>

#include "sandbox_world/data_folder.h"
#include "sandbox_world/test_world.h"

namespace landfall::sandbox {
namespace {

using json::Json;

class SnapshotFile : public WorldTest {
 protected:
  std::filesystem::path path() const { return folder_.path() / kSnapshotName; }
  // Loads into a store of its own; the message of the error, or nothing.
  std::string load_error() {
    Store store(system_clock());
    const auto loaded = load_snapshot(store, path());
    return loaded ? "" : loaded.error().message();
  }
  void write_good() {
    Store store(system_clock());
    ASSERT_TRUE(
        store.create({"", "configmaps"}, encode({{"metadata", {{"name", "a"}, {"namespace", "b"}, {"uid", "u-1"}}}})));
    ASSERT_TRUE(save_snapshot(store, path()));
  }
};

TEST_F(SnapshotFile, BringsBackAWorldThatGoesOn) {
  begin(true);
  apply(
      "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, namespace: default}, spec: {accessModes: "
      "[ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}");
  apply(
      "{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: default}, spec: {containers: [{name: web, image: "
      "x}], volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]}}");
  ASSERT_TRUE(eventually([&] { return phase(kinds().pods, "default", "web") == "Running"; }));
  const Json before = *cluster().get(kinds().pods, "default", "web");
  world_.reset();
  sandbox_->stop();
  const std::uint64_t revision = sandbox_->store().revision();
  const auto saved = save_snapshot(sandbox_->store(), path());
  ASSERT_TRUE(saved) << saved.error().message();

  auto again = Sandbox::start({.tls = false, .bootstrap = false}, system_clock(), random_, Logger());
  ASSERT_TRUE(again);
  sandbox_ = *std::move(again);
  const auto loaded = load_snapshot(sandbox_->store(), path());
  ASSERT_TRUE(loaded) << loaded.error().message();
  start_world(true);

  EXPECT_EQ(*loaded, *saved);
  EXPECT_GT(sandbox_->store().revision(), revision);
  Json after = *cluster().get(kinds().pods, "default", "web");
  EXPECT_EQ(after["metadata"]["uid"], before["metadata"]["uid"]);
  EXPECT_EQ(after["status"], before["status"]);
  ASSERT_TRUE(sandbox_->api().remove(kinds().pods, "default", "web"));
  EXPECT_TRUE(goes(kinds().pods, "default", "web"));
}

TEST_F(SnapshotFile, IsForTheUserAlone) {
  write_good();

  EXPECT_EQ(std::filesystem::status(path()).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  EXPECT_EQ(load_error(), "");
}

TEST_F(SnapshotFile, SaysWhatToDoAboutADamagedOne) {
  write_good();
  std::string text = folder_.read(kSnapshotName);
  const std::string good = text;

  text.replace(text.find("\"a\""), 3, "\"z\"");
  folder_.write(kSnapshotName, text);
  EXPECT_THAT(load_error(), ::testing::AllOf(::testing::HasSubstr("checksum"), ::testing::HasSubstr("move")));

  folder_.write(kSnapshotName, good.substr(0, good.size() / 2));
  EXPECT_THAT(load_error(), ::testing::HasSubstr("ends after 0 objects of 1"));

  folder_.write(kSnapshotName, "something else\n");
  EXPECT_THAT(load_error(), ::testing::HasSubstr("not a snapshot"));

  text = good;
  text.replace(text.find("\"version\":1"), 11, "\"version\":2");
  folder_.write(kSnapshotName, text);
  EXPECT_THAT(load_error(), ::testing::HasSubstr("version 2"));
}

TEST_F(SnapshotFile, BelongsToOneSandboxAtATime) {
  const auto first = DataFolder::open((folder_.path() / "data").string());
  ASSERT_TRUE(first) << first.error().message();

  const auto second = DataFolder::open((folder_.path() / "data").string());

  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code(), Code::kConflict);
}

}  // namespace
}  // namespace landfall::sandbox
