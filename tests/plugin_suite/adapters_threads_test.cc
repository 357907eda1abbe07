#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "extension/object_source.h"
#include "io/stream.h"
#include "json/json.h"
#include "plugin_suite/test_host.h"

namespace landfall::plugin {
namespace {

using json::Json;
using testing::ElementsAre;
using testing::HasSubstr;

Json pod(const std::string& name) {
  return {{"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", {{"name", name}, {"namespace", "shop"}}}};
}
const Json kBackup = {{"kind", "Backup"}, {"metadata", {{"name", "nightly"}}}};

// One plugin for all tests: what they do does not touch each other.
class PluginAdapters : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    test_ = std::make_unique<TestHost>(std::vector<std::string>{"good", "plain"});
    session_ = std::make_unique<Session>(test_->session());
  }
  static void TearDownTestSuite() {
    session_.reset();
    test_.reset();
  }

  template <class Actions>
  static auto named(Actions actions, const std::string& name) {
    EXPECT_TRUE(actions) << (actions ? "" : actions.error().message());
    for (auto& one : *actions) {
      if (one->name() == name) return std::move(one);
    }
    ADD_FAILURE() << "no action " << name;
    return std::move(actions->front());
  }
  static std::unique_ptr<extension::ObjectStore> store(Config config = {{"bucket", "b"}}) {
    auto opened = session_->object_store("example.io/good", config, {});
    EXPECT_TRUE(opened) << (opened ? "" : opened.error().message());
    return *std::move(opened);
  }
  static Status put(extension::ObjectStore& to, const std::string& key, std::string_view bytes) {
    const extension::BytesSource source(bytes);
    return to.put(key, source, {}, {});
  }

  static std::unique_ptr<TestHost> test_;
  static std::unique_ptr<Session> session_;
};
std::unique_ptr<TestHost> PluginAdapters::test_;
std::unique_ptr<Session> PluginAdapters::session_;

TEST_F(PluginAdapters, ABackupActionHasItsScopeAndLeavesAnItemAlone) {
  const auto action = named(session_->backup_item_actions(false, {}), "example.io/good");
  EXPECT_THAT(action->scope().included_resources, ElementsAre("pods"));
  EXPECT_EQ(action->scope().label_selector, "app=web");
  EXPECT_EQ(action->waitable(), nullptr);
  const auto result = action->execute(pod("web"), kBackup, {});
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->changed, nullptr);
  EXPECT_FALSE(result->skip);
}

TEST_F(PluginAdapters, ABackupActionChangesAnItemAndAsksForMore) {
  const auto action = named(session_->backup_item_actions(false, {}), "example.io/good");
  const auto result = action->execute(pod("changed"), kBackup, {});
  ASSERT_TRUE(result) << result.error().message();
  ASSERT_NE(result->changed, nullptr);
  EXPECT_EQ((*result->changed)["metadata"]["labels"]["seen"], "true");
  EXPECT_THAT(result->additional,
              ElementsAre(k8s::ObjectRef{.resource = {"apps", "deployments"}, .name_space = "shop", .name = "web"}));
  EXPECT_FALSE(result->must_include);
}

TEST_F(PluginAdapters, AnnotationsOfTheReturnedItemAreObeyed) {
  const auto action = named(session_->backup_item_actions(false, {}), "example.io/good");
  const auto result = action->execute(pod("annotated"), kBackup, {});
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_TRUE(result->skip);
  EXPECT_TRUE(result->must_include);
  EXPECT_FALSE(
      (*result->changed)["metadata"]["annotations"].contains("backup.velero.io/must-include-additional-items"));
}

TEST_F(PluginAdapters, WhatAPluginSaysIsTheError) {
  const auto action = named(session_->backup_item_actions(false, {}), "example.io/good");
  EXPECT_EQ(action->execute(pod("error"), kBackup, {}).error().message(),
            "plugin example.io/good: Execute: no luck today");
  EXPECT_THAT(action->execute(pod("nothing"), kBackup, {}).error().message(), HasSubstr("it returned no object"));
  EXPECT_THAT(action->execute(pod("garbage"), kBackup, {}).error().message(), HasSubstr("the object that it returned"));
}

TEST_F(PluginAdapters, OperationsOfBackupActionsAreAskedFor) {
  const auto action = named(session_->backup_item_actions(false, {}), "example.io/good-v2");
  const auto result = action->execute(pod("operation"), kBackup, {});
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->operation_id, "op-1");
  EXPECT_EQ(result->after_operation.size(), 1U);
  extension::Waitable* waitable = action->waitable();
  ASSERT_NE(waitable, nullptr);
  const auto progress = waitable->progress("op-1", kBackup, {});
  ASSERT_TRUE(progress) << progress.error().message();
  EXPECT_FALSE(progress->is_completed);
  EXPECT_EQ(progress->done, 5);
  EXPECT_EQ(progress->total, 10);
  EXPECT_EQ(progress->started, WallTime(std::chrono::seconds(1700000000)));
  EXPECT_EQ(progress->updated, std::nullopt);
  EXPECT_THAT(waitable->progress("empty", kBackup, {}).error().message(), HasSubstr("holds no progress"));
  EXPECT_THAT(waitable->progress("error", kBackup, {}).error().message(), HasSubstr("no such operation"));
  EXPECT_TRUE(waitable->cancel("op-1", kBackup, {}));
  EXPECT_FALSE(waitable->cancel("op-2", kBackup, {}));
}

TEST_F(PluginAdapters, RestoreActionsOfBothVersionsWork) {
  const Json item = pod("web");
  const Json skipped = pod("skipped");
  const Json operation = pod("operation");
  const Json restore = {{"kind", "Restore"}};
  const auto old = named(session_->restore_item_actions(false, {}), "example.io/good-v1");
  const auto kept = old->execute({.item = item, .from_backup = item, .restore = restore}, {});
  ASSERT_TRUE(kept) << kept.error().message();
  EXPECT_EQ(kept->changed, nullptr);
  EXPECT_TRUE(old->execute({.item = skipped, .from_backup = skipped, .restore = restore}, {})->skip);
  const auto action = named(session_->restore_item_actions(false, {}), "example.io/good");
  const auto result = action->execute({.item = operation, .from_backup = operation, .restore = restore}, {});
  ASSERT_TRUE(result) << result.error().message();
  EXPECT_EQ(result->operation_id, "op-1");
  EXPECT_TRUE(result->waits_for_additional);
  EXPECT_EQ(result->additional_timeout, std::chrono::seconds(90));
  EXPECT_FALSE(*action->are_ready({}, restore, {}));
  EXPECT_TRUE(*action->are_ready({{.resource = {"", "pods"}, .name_space = "a", .name = "b"}}, restore, {}));
  EXPECT_TRUE(action->waitable()->progress("done", restore, {})->is_completed);
}

TEST_F(PluginAdapters, DeleteAndItemBlockActionsWork) {
  const auto deletion = named(session_->delete_item_actions(false, {}), "example.io/good");
  EXPECT_TRUE(deletion->execute(pod("web"), kBackup, {}));
  EXPECT_THAT(deletion->execute(pod("error"), kBackup, {}).error().message(), HasSubstr("cannot be deleted"));
  const auto block = named(session_->item_block_actions(false, {}), "example.io/good");
  EXPECT_EQ(block->related_items(pod("web"), kBackup, {})->front().name, "data");
}

TEST_F(PluginAdapters, ASnapshotterTakesAndMakesVolumes) {
  const auto opened = session_->volume_snapshotter("example.io/good", {{"mark", "m"}}, {});
  ASSERT_TRUE(opened) << opened.error().message();
  extension::VolumeSnapshotter& volumes = **opened;
  Json volume = {{"kind", "PersistentVolume"}, {"metadata", {{"name", "mine"}}}};
  EXPECT_EQ(*volumes.volume_id(volume, {}), "vol-1");
  EXPECT_EQ(*volumes.volume_id(pod("other"), {}), "");
  EXPECT_EQ(volumes.volume_traits("vol-1", "z", {})->type, "ssd");
  EXPECT_EQ(volumes.volume_traits("vol-1", "z", {})->iops, std::nullopt);
  EXPECT_EQ(*volumes.create_snapshot("vol-1", "z", {{"a", "b"}}, {}), "m/vol-1");
  EXPECT_EQ(*volumes.create_volume("s", {.type = "ssd", .iops = 7}, "z", {}), "s,ssd,z,7");
  EXPECT_TRUE(volumes.delete_snapshot("s", {}));
  ASSERT_TRUE(volumes.set_volume_id(volume, "vol-2", {}));
  EXPECT_EQ(volume["spec"]["id"], "vol-2");
}

TEST_F(PluginAdapters, AConfigurationThatThePluginRefusesIsItsError) {
  const auto opened = session_->volume_snapshotter("example.io/good", {}, {});
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message(), HasSubstr("plugin example.io/good: Init: config has no mark"));
}

TEST_F(PluginAdapters, ProgressIsOptional) {
  const auto with = session_->volume_snapshotter("example.io/good", {{"mark", "m"}}, {});
  const auto progress = (*with)->snapshot_progress("s", {});
  ASSERT_TRUE(progress) << progress.error().message();
  EXPECT_EQ(progress->phase, "InProgress");
  EXPECT_EQ(progress->bytes_done, 40);
  EXPECT_EQ(progress->plugin_specific.at("tier"), "cold");
  EXPECT_EQ((*with)->snapshot_progress("unknown", {}).error().code(), Code::kNotFound);
  const auto without = session_->volume_snapshotter("example.io/plain", {{"mark", "m"}}, {});
  EXPECT_EQ((*without)->snapshot_progress("s", {}).error().code(), Code::kUnsupported);
  EXPECT_EQ((*without)->cancel_snapshot("s", {}).error().code(), Code::kUnsupported);
}

TEST_F(PluginAdapters, AStoreKeepsObjects) {
  const auto bucket = store();
  const std::string bytes(100'000, 'x');
  ASSERT_TRUE(put(*bucket, "a/one", bytes));
  ASSERT_TRUE(put(*bucket, "b/two", "2"));
  ASSERT_TRUE(put(*bucket, "a/c/three", "3"));
  const auto reader = bucket->get("a/one", {});
  ASSERT_TRUE(reader) << reader.error().message();
  EXPECT_EQ(*io::read_all(**reader, 1U << 20U), bytes);
  EXPECT_TRUE(*bucket->exists("a/one", {}));
  EXPECT_FALSE(*bucket->exists("a/none", {}));
  std::vector<std::string> keys;
  ASSERT_TRUE(bucket->list("a/",
                           [&](const extension::ObjectInfo& info) -> Status {
                             keys.push_back(info.key);
                             return {};
                           },
                           {}));
  EXPECT_THAT(keys, ElementsAre("a/c/three", "a/one"));
  EXPECT_THAT(*bucket->folders("", {}), ElementsAre("a/", "b/"));
  EXPECT_EQ(*bucket->signed_url("a/one", std::chrono::seconds(600), {}), "https://example.io/a/one?ttl=600000000000");
  const std::vector<std::string> gone{"a/one", "a/none", "b/two", "a/c/three"};
  EXPECT_TRUE(bucket->remove(gone, {}));
  EXPECT_FALSE(*bucket->exists("a/one", {}));
}

TEST_F(PluginAdapters, AStoreSaysWhatIsMissingAndWhatItCannotKeep) {
  const auto bucket = store();
  EXPECT_EQ(bucket->get("none", {}).error().code(), Code::kNotFound);
  EXPECT_EQ(put(*bucket, "empty", "").error().code(), Code::kUnsupported);
  EXPECT_THAT(put(*bucket, "refused", std::string(1U << 20U, 'x')).error().message(), HasSubstr("bucket is full"));
  EXPECT_EQ(put(*bucket, "../up", "x").error().code(), Code::kInvalid);
  EXPECT_FALSE(bucket->capabilities().keeps_empty_objects);
}

class BrokenReader final : public io::Reader {
 public:
  Result<std::size_t> read(std::span<char> buffer) override {
    if (left_-- == 0) return fail(Code::kDataLoss, "the disk is gone");
    std::fill(buffer.begin(), buffer.end(), 'x');
    return buffer.size();
  }

 private:
  int left_ = 5;
};

TEST_F(PluginAdapters, HalfAnObjectIsNoObject) {
  const auto bucket = store();
  BrokenReader reader;
  const extension::StreamSource source(reader);
  EXPECT_THAT(bucket->put("broken", source, {}, {}).error().message(), HasSubstr("the disk is gone"));
  ASSERT_TRUE(put(*bucket, "half", std::string(100'000, 'x')));
  const auto half = bucket->get("half", {});
  ASSERT_TRUE(half);
  EXPECT_THAT(io::read_all(**half, 1U << 20U).error().message(), HasSubstr("connection lost"));
}

TEST_F(PluginAdapters, AReaderOutlivesItsStoreAndMayBeLeftAlone) {
  auto bucket = store();
  const std::string bytes(4U << 20U, 'x');
  ASSERT_TRUE(put(*bucket, "large", bytes));
  auto reader = bucket->get("large", {});
  auto unread = bucket->get("large", {});
  bucket.reset();
  EXPECT_EQ(io::read_all(**reader, 8U << 20U)->size(), bytes.size());
  ASSERT_TRUE(unread);
}

TEST_F(PluginAdapters, AStopEndsAReadThatHangs) {
  const auto bucket = store();
  ASSERT_TRUE(put(*bucket, "hang", "x"));
  std::stop_source source;
  std::jthread stopper([&] { source.request_stop(); });
  EXPECT_EQ(bucket->get("hang", source.get_token()).error().code(), Code::kCancelled);
}

}  // namespace
}  // namespace landfall::plugin
