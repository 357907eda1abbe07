#include "plugin_kit/plugin_kit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "go_plugin/health.grpc.pb.h"
#include "go_plugin/support.grpc.pb.h"
#include "json/json.h"
#include "landfall/volume_snapshotter_progress.grpc.pb.h"
#include "plugin_kit/test_process.h"
#include "velero/backup_item_action.grpc.pb.h"
#include "velero/delete_item_action.grpc.pb.h"
#include "velero/object_store.grpc.pb.h"
#include "velero/plugin_lister.grpc.pb.h"
#include "velero/restore_item_action.grpc.pb.h"
#include "velero/v1/item_block_action.grpc.pb.h"
#include "velero/v2/backup_item_action.grpc.pb.h"
#include "velero/v2/restore_item_action.grpc.pb.h"
#include "velero/volume_snapshotter.grpc.pb.h"

namespace landfall::plugin_kit {
namespace {

using json::Json;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kPlugin = "plugin_kit_test_plugin";

std::vector<std::string> listed(TestProcess& process) {
  const auto stub = generated::PluginLister::NewStub(process.channel());
  grpc::ClientContext context;
  generated::ListPluginsResponse response;
  EXPECT_TRUE(stub->ListPlugins(&context, {}, &response).ok());
  std::vector<std::string> all;
  for (const auto& one : response.plugins()) {
    EXPECT_EQ(one.command(), process.command());
    all.push_back(one.kind() + " " + one.name());
  }
  return all;
}

void shut_down(TestProcess& process) {
  grpc::ClientContext context;
  ::plugin::Empty response;
  static_cast<void>(::plugin::GRPCController::NewStub(process.channel())->Shutdown(&context, {}, &response));
}

struct Executed {
  grpc::Status status;
  generated::ExecuteResponse response;
  Json item;
};
Executed execute(TestProcess& process, const std::string& item, const std::string& plugin = "test.dev/first") {
  const auto stub = generated::BackupItemAction::NewStub(process.channel());
  grpc::ClientContext context;
  generated::ExecuteRequest request;
  request.set_plugin(plugin);
  request.set_item(item);
  request.set_backup(R"({"metadata":{"name":"nightly"}})");
  Executed done;
  done.status = stub->Execute(&context, request, &done.response);
  done.item = Json::parse(done.response.item(), nullptr, false);
  return done;
}
std::string named(const std::string& name) { return R"( {"metadata":{"name":")" + name + "\"}}"; }

TEST(PluginKit, SaysWhatItIsForToPeopleWhoStartIt) {
  TestProcess process(kPlugin, {}, {{"VELERO_PLUGIN", "bye"}});
  EXPECT_EQ(process.ended().exit_code, 1);
  EXPECT_THAT(process.err(), HasSubstr("not meant to be executed directly"));
  EXPECT_EQ(process.line(), "");
}

TEST(PluginKit, ShakesHandsAndListsWhatItHasInVelerosOrder) {
  TestProcess process(kPlugin, {"server", "--uploader-type=kopia", "--unknown", "x", "--log-level", "nonsense"});
  EXPECT_THAT(process.line(),
              testing::MatchesRegex("1\\|2\\|unix\\|" + process.directory().string() + "/plugin[a-z0-9]+\\|grpc\\|"));
  EXPECT_THAT(listed(process), ElementsAre("BackupItemAction test.dev/first", "BackupItemActionV2 test.dev/second",
                                           "VolumeSnapshotter test.dev/plain", "VolumeSnapshotter test.dev/snapshots",
                                           "ObjectStore test.dev/memory", "RestoreItemActionV2 test.dev/restore",
                                           "DeleteItemAction test.dev/delete", "ItemBlockAction test.dev/block"));
  EXPECT_THAT(process.logged("Two plugins have one name"), HasSubstr("not of the form example.com/name"));
}

TEST(PluginKit, IsHealthyAndEndsWhenItIsAskedTo) {
  TestProcess process(kPlugin);
  grpc::ClientContext context;
  grpc::health::v1::HealthCheckRequest request;
  grpc::health::v1::HealthCheckResponse response;
  request.set_service("plugin");
  ASSERT_TRUE(grpc::health::v1::Health::NewStub(process.channel())->Check(&context, request, &response).ok());
  EXPECT_EQ(response.status(), grpc::health::v1::HealthCheckResponse::SERVING);
  ::kill(process.pid(), SIGINT);  // not for plugins
  EXPECT_EQ(listed(process).size(), 8);
  shut_down(process);
  const io::ProcessResult result = process.ended();
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.signal, 0);
  EXPECT_TRUE(std::filesystem::is_empty(process.directory())) << "the socket is still there";
}

TEST(PluginKit, TakesASignalForAnEnd) {
  TestProcess process(kPlugin);
  EXPECT_EQ(listed(process).size(), 8);
  ::kill(process.pid(), SIGTERM);
  EXPECT_EQ(process.ended().exit_code, 0);
  EXPECT_TRUE(std::filesystem::is_empty(process.directory()));
}

TEST(PluginKit, EndsAlsoWhenACallDoesNotHearOfIt) {
  TestProcess process(kPlugin, {"--log-level=debug"});
  const auto call = std::async(std::launch::async, [&] { execute(process, named("deaf")); });
  process.logged("deaf");
  shut_down(process);
  EXPECT_EQ(process.ended().exit_code, 0);
}

TEST(PluginKit, KeepsTheStreamOfItsOutputOpenUntilTheEnd) {
  TestProcess process(kPlugin);
  grpc::ClientContext context;
  const auto stream = ::plugin::GRPCStdio::NewStub(process.channel())->StreamStdio(&context, {});
  EXPECT_EQ(listed(process).size(), 8);
  shut_down(process);
  ::plugin::StdioData data;
  EXPECT_FALSE(stream->Read(&data));
  EXPECT_EQ(process.ended().exit_code, 0);
}

TEST(PluginKit, HandsObjectsToActionsAndBack) {
  TestProcess process(kPlugin);
  const Executed same = execute(process, named("as it is"));
  EXPECT_EQ(same.response.item(), named("as it is")) << "not a byte is changed";
  const Executed changed = execute(process, named("change"));
  EXPECT_EQ(changed.item["backup"], "nightly");
  ASSERT_EQ(changed.response.additional_items_size(), 1);
  EXPECT_EQ(changed.response.additional_items(0).group(), "apps");
  EXPECT_EQ(changed.response.additional_items(0).namespace_(), "n");
  EXPECT_EQ(execute(process, named("skip")).item["metadata"]["annotations"]["velero.io/skip-from-backup"], "true");
  EXPECT_EQ(
      execute(process, named("must")).item["metadata"]["annotations"]["backup.velero.io/must-include-additional-items"],
      "true");
}

TEST(PluginKit, TakesAndGivesMessagesOfAnySize) {
  TestProcess process(kPlugin);
  const std::string large = R"({"metadata":{"name":"x"},"data":")" + std::string(9U << 20U, 'd') + "\"}";
  EXPECT_EQ(execute(process, large).response.item().size(), large.size());
}

TEST(PluginKit, TellsErrorsAsVelerosPluginsDo) {
  TestProcess process(kPlugin);
  const Executed failed = execute(process, named("fail"));
  EXPECT_EQ(failed.status.error_code(), grpc::StatusCode::UNKNOWN);
  EXPECT_EQ(failed.status.error_message(), "not found at all");
  const Executed thrown = execute(process, named("throw"));
  EXPECT_EQ(thrown.status.error_code(), grpc::StatusCode::ABORTED);
  EXPECT_EQ(thrown.status.error_message(), "plugin panicked: out of luck");
  EXPECT_THAT(execute(process, named("x"), "test.dev/nobody").status.error_message(),
              HasSubstr("plugin: test.dev/nobody was not found or has an invalid name format"));
  EXPECT_THAT(execute(process, "{").status.error_message(), HasSubstr("the item"));
  EXPECT_THAT(execute(process, named("operation")).status.error_message(), HasSubstr("version 1"));
  EXPECT_TRUE(execute(process, named("still there")).status.ok());
}

TEST(PluginKit, LogsInLinesThatHostsRead) {
  TestProcess process(kPlugin, {"--log-level", "debug"});
  execute(process, named("seen"));
  const std::string& logged = process.logged("seen");
  const std::string last = logged.substr(logged.rfind("\n", logged.size() - 2) + 1);
  const Json line = Json::parse(last, nullptr, false);
  EXPECT_EQ(line["@message"], "Looks at it");
  EXPECT_EQ(line["@level"], "debug");
  EXPECT_EQ(line["what"], "seen");
}

TEST(PluginKit, StopsACallThatTheHostHasLostInterestIn) {
  TestProcess process(kPlugin);
  const auto stub = generated::BackupItemAction::NewStub(process.channel());
  grpc::ClientContext context;
  generated::ExecuteRequest request;
  request.set_plugin("test.dev/first");
  request.set_item(named("wait"));
  request.set_backup("{}");
  const auto call = std::async(std::launch::async, [&] {
    generated::ExecuteResponse response;
    return stub->Execute(&context, request, &response).error_code();
  });
  process.logged("Waits for a stop");
  context.TryCancel();
  process.logged("Was stopped");
}

TEST(PluginKit, ServesOperations) {
  TestProcess process(kPlugin);
  const auto stub = v2::BackupItemAction::NewStub(process.channel());
  grpc::ClientContext context;
  v2::ExecuteRequest request;
  request.set_plugin("test.dev/second");
  request.set_item(named("operation"));
  request.set_backup("{}");
  v2::ExecuteResponse response;
  ASSERT_TRUE(stub->Execute(&context, request, &response).ok());
  EXPECT_EQ(response.operation_id(), "op-1");
  ASSERT_EQ(response.post_operation_items_size(), 1);
  grpc::ClientContext second;
  v2::BackupItemActionProgressRequest ask;
  ask.set_plugin("test.dev/second");
  ask.set_operation_id("op-1");
  ask.set_backup("{}");
  v2::BackupItemActionProgressResponse progress;
  ASSERT_TRUE(stub->Progress(&second, ask, &progress).ok());
  EXPECT_EQ(progress.progress().n_total(), 9);
  EXPECT_EQ(progress.progress().description(), "op-1");
  grpc::ClientContext third;
  ask.set_plugin("test.dev/first");
  EXPECT_THAT(stub->Progress(&third, ask, &progress).error_message(), HasSubstr("asynchronous"));
  grpc::ClientContext fourth;
  v2::BackupItemActionAppliesToRequest whom;
  whom.set_plugin("test.dev/second");
  v2::BackupItemActionAppliesToResponse scope;
  ASSERT_TRUE(stub->AppliesTo(&fourth, whom, &scope).ok());
  EXPECT_EQ(scope.resource_selector().selector(), "x=y");
  EXPECT_EQ(scope.resource_selector().excluded_resources(0), "secrets");
}

TEST(PluginKit, ServesRestoresDeletionsAndBlocks) {
  TestProcess process(kPlugin);
  {
    const auto stub = v2::RestoreItemAction::NewStub(process.channel());
    grpc::ClientContext context;
    v2::RestoreItemActionExecuteRequest request;
    request.set_plugin("test.dev/restore");
    request.set_item(R"({"skip":1})");
    request.set_item_from_backup(R"({"from":"backup"})");
    request.set_restore(R"({"metadata":{"name":"r"}})");
    v2::RestoreItemActionExecuteResponse response;
    ASSERT_TRUE(stub->Execute(&context, request, &response).ok());
    EXPECT_EQ(response.item(), R"({"from":"backup"})");
    EXPECT_TRUE(response.skip_restore());
    EXPECT_TRUE(response.wait_for_additional_items());
    EXPECT_EQ(response.additional_items_ready_timeout().seconds(), 2);
    EXPECT_EQ(response.additional_items_ready_timeout().nanos(), 500'000'000);
    EXPECT_EQ(response.operation_id(), "r");
    grpc::ClientContext second;
    v2::RestoreItemActionItemsReadyRequest ready;
    ready.set_plugin("test.dev/restore");
    ready.set_restore("{}");
    ready.add_additional_items()->set_name("a");
    ready.add_additional_items()->set_name("b");
    v2::RestoreItemActionItemsReadyResponse is_ready;
    ASSERT_TRUE(stub->AreAdditionalItemsReady(&second, ready, &is_ready).ok());
    EXPECT_TRUE(is_ready.ready());
  }
  {
    grpc::ClientContext context;
    generated::DeleteItemActionExecuteRequest request;
    request.set_plugin("test.dev/delete");
    request.set_item(R"({"fail":1})");
    request.set_backup("{}");
    generated::Empty response;
    const auto status = generated::DeleteItemAction::NewStub(process.channel())->Execute(&context, request, &response);
    EXPECT_EQ(status.error_message(), "cannot delete");
  }
  grpc::ClientContext context;
  v1::ItemBlockActionGetRelatedItemsRequest request;
  request.set_plugin("test.dev/block");
  request.set_item("{}");
  request.set_backup("{}");
  v1::ItemBlockActionGetRelatedItemsResponse response;
  ASSERT_TRUE(v1::ItemBlockAction::NewStub(process.channel())->GetRelatedItems(&context, request, &response).ok());
  EXPECT_EQ(response.related_items(0).name(), "friend");
}

class PluginKitStore : public testing::Test {
 protected:
  template <class Request>
  Request about(const std::string& key) {
    Request request;
    request.set_plugin("test.dev/memory");
    request.set_bucket("b");
    request.set_key(key);
    return request;
  }
  grpc::Status init() {
    grpc::ClientContext context;
    generated::ObjectStoreInitRequest request;
    request.set_plugin("test.dev/memory");
    generated::Empty response;
    return stub_->Init(&context, request, &response);
  }
  grpc::Status put(const std::string& key, const std::vector<std::string>& pieces) {
    grpc::ClientContext context;
    generated::Empty response;
    const auto stream = stub_->PutObject(&context, &response);
    auto request = about<generated::PutObjectRequest>(key);
    for (const std::string& piece : pieces) {
      request.set_body(piece);
      stream->Write(request);
    }
    stream->WritesDone();
    return stream->Finish();
  }
  bool exists(const std::string& key) {
    grpc::ClientContext context;
    generated::ObjectExistsResponse response;
    EXPECT_TRUE(stub_->ObjectExists(&context, about<generated::ObjectExistsRequest>(key), &response).ok());
    return response.exists();
  }
  std::pair<grpc::Status, std::string> get(const std::string& key) {
    grpc::ClientContext context;
    const auto stream = stub_->GetObject(&context, about<generated::GetObjectRequest>(key));
    std::string all;
    generated::Bytes piece;
    while (stream->Read(&piece)) all += piece.data();
    return {stream->Finish(), all};
  }

  TestProcess process_{kPlugin};
  const std::unique_ptr<generated::ObjectStore::Stub> stub_ = generated::ObjectStore::NewStub(process_.channel());
};

TEST_F(PluginKitStore, StoresAndGivesBack) {
  EXPECT_THAT(put("early", {"x"}).error_message(), HasSubstr("before Init"));
  ASSERT_TRUE(init().ok());
  const std::string large(300'000, 'l');
  ASSERT_TRUE(put("a/key", {"one ", "", large, " end"}).ok());
  EXPECT_EQ(get("a/key").second, "one " + large + " end");
  EXPECT_TRUE(exists("a/key"));
  EXPECT_FALSE(exists("b"));
  EXPECT_EQ(get("b").first.error_message(), "no object b");
  EXPECT_THAT(put("empty", {}).error_message(), HasSubstr("EOF"));

  grpc::ClientContext list_context;
  generated::ListObjectsRequest list;
  list.set_plugin("test.dev/memory");
  list.set_prefix("a/");
  generated::ListObjectsResponse keys;
  ASSERT_TRUE(stub_->ListObjects(&list_context, list, &keys).ok());
  EXPECT_THAT(keys.keys(), ElementsAre("a/key"));

  grpc::ClientContext folders_context;
  generated::ListCommonPrefixesRequest folders;
  folders.set_plugin("test.dev/memory");
  folders.set_prefix("p/");
  folders.set_delimiter("/");
  generated::ListCommonPrefixesResponse prefixes;
  ASSERT_TRUE(stub_->ListCommonPrefixes(&folders_context, folders, &prefixes).ok());
  EXPECT_THAT(prefixes.prefixes(), ElementsAre("p/one/", "p/two/"));

  grpc::ClientContext url_context;
  auto url = about<generated::CreateSignedURLRequest>("k");
  url.set_ttl(600'000'000'000);
  generated::CreateSignedURLResponse signed_url;
  ASSERT_TRUE(stub_->CreateSignedURL(&url_context, url, &signed_url).ok());
  EXPECT_EQ(signed_url.url(), "https://x/k?600");

  grpc::ClientContext delete_context;
  generated::Empty empty;
  ASSERT_TRUE(stub_->DeleteObject(&delete_context, about<generated::DeleteObjectRequest>("a/key"), &empty).ok());
  EXPECT_FALSE(exists("a/key"));
}

// Many times, because the end of the stream and the news that it was given up may come one after the other.
TEST_F(PluginKitStore, DoesNotTakeAHalfForAWholeWhenTheHostGivesUp) {
  constexpr int kTimes = 100;
  ASSERT_TRUE(init().ok());
  for (int i = 0; i < kTimes; ++i) {
    grpc::ClientContext context;
    generated::Empty response;
    const auto stream = stub_->PutObject(&context, &response);
    auto request = about<generated::PutObjectRequest>("half-" + std::to_string(i));
    request.set_body("half of it");
    ASSERT_TRUE(stream->Write(request));
    EXPECT_FALSE(exists("nothing"));  // by now the half is there
    context.TryCancel();
    EXPECT_FALSE(stream->Finish().ok());
  }
  ASSERT_TRUE(put("whole", {"x"}).ok());
  EXPECT_TRUE(exists("whole"));
  for (int i = 0; i < kTimes; ++i) EXPECT_FALSE(exists("half-" + std::to_string(i)));
}

class PluginKitSnapshots : public testing::Test {
 protected:
  grpc::Status init(const std::string& plugin, const std::map<std::string, std::string>& config) {
    grpc::ClientContext context;
    generated::VolumeSnapshotterInitRequest request;
    request.set_plugin(plugin);
    request.mutable_config()->insert(config.begin(), config.end());
    generated::Empty response;
    return stub_->Init(&context, request, &response);
  }
  grpc::Status ask(const std::string& plugin, const std::string& id, landfall::plugin::v1::TransferProgress& found) {
    grpc::ClientContext context;
    landfall::plugin::v1::SnapshotProgressRequest request;
    request.set_plugin(plugin);
    request.set_snapshot_id(id);
    return landfall::plugin::v1::VolumeSnapshotterProgress::NewStub(process_.channel())
        ->SnapshotProgress(&context, request, &found);
  }

  TestProcess process_{kPlugin};
  const std::unique_ptr<generated::VolumeSnapshotter::Stub> stub_ =
      generated::VolumeSnapshotter::NewStub(process_.channel());
};

TEST_F(PluginKitSnapshots, AreTakenWithTheConfigOfTheLastInit) {
  EXPECT_EQ(init("test.dev/plain", {}).error_message(), "no region");
  ASSERT_TRUE(init("test.dev/plain", {{"region", "x"}}).ok());
  ASSERT_TRUE(init("test.dev/plain", {{"region", "y"}}).ok());
  grpc::ClientContext context;
  generated::CreateSnapshotRequest request;
  request.set_plugin("test.dev/plain");
  request.set_volume_id("v");
  (*request.mutable_tags())["velero.io/pv"] = "pv";
  generated::CreateSnapshotResponse response;
  ASSERT_TRUE(stub_->CreateSnapshot(&context, request, &response).ok());
  EXPECT_EQ(response.snapshot_id(), "of-v-pv-y");

  grpc::ClientContext volume_context;
  generated::CreateVolumeRequest volume;
  volume.set_plugin("test.dev/plain");
  volume.set_snapshot_id("s");
  volume.set_volume_type("t");
  volume.set_volume_az("z");
  generated::CreateVolumeResponse made;
  ASSERT_TRUE(stub_->CreateVolumeFromSnapshot(&volume_context, volume, &made).ok());
  EXPECT_EQ(made.volume_id(), "s+t+z+none");

  grpc::ClientContext set_context;
  generated::SetVolumeIDRequest set;
  set.set_plugin("test.dev/plain");
  set.set_persistent_volume(R"({"spec":{"id":"old"}})");
  set.set_volume_id("new");
  generated::SetVolumeIDResponse changed;
  ASSERT_TRUE(stub_->SetVolumeID(&set_context, set, &changed).ok());
  EXPECT_EQ(changed.persistent_volume(), R"({"spec":{"id":"new"}})");

  grpc::ClientContext info_context;
  generated::GetVolumeInfoRequest info;
  info.set_plugin("test.dev/plain");
  info.set_volume_az("z");
  generated::GetVolumeInfoResponse traits;
  ASSERT_TRUE(stub_->GetVolumeInfo(&info_context, info, &traits).ok());
  EXPECT_EQ(traits.volume_type(), "disk-z");
  EXPECT_EQ(traits.iops(), 7);

  grpc::ClientContext delete_context;
  generated::DeleteSnapshotRequest doomed;
  doomed.set_plugin("test.dev/plain");
  doomed.set_snapshot_id("s");
  generated::Empty empty;
  EXPECT_EQ(stub_->DeleteSnapshot(&delete_context, doomed, &empty).error_message(), "s is held");
}

TEST_F(PluginKitSnapshots, TellTheirProgressOrThatTheyHaveNone) {
  ASSERT_TRUE(init("test.dev/plain", {{"region", "x"}}).ok());
  ASSERT_TRUE(init("test.dev/snapshots", {{"region", "x"}}).ok());
  landfall::plugin::v1::TransferProgress found;
  EXPECT_EQ(ask("test.dev/plain", "known", found).error_code(), grpc::StatusCode::UNIMPLEMENTED);
  EXPECT_EQ(ask("test.dev/snapshots", "unknown", found).error_code(), grpc::StatusCode::NOT_FOUND);
  ASSERT_TRUE(ask("test.dev/snapshots", "known", found).ok());
  EXPECT_EQ(found.phase(), "InProgress");
  EXPECT_EQ(found.total_bytes(), 10);
  EXPECT_EQ(found.bytes_done(), 4);
  EXPECT_EQ(found.started().seconds(), 1);
  EXPECT_EQ(found.started().nanos(), 500'000'000);
  EXPECT_FALSE(found.has_completed());
  EXPECT_EQ(found.plugin_specific().at("colour"), "blue");
}

TEST(ExamplePlugin, MarksConfigMaps) {
  TestProcess process("landfall-plugin-example");
  EXPECT_THAT(listed(process), ElementsAre("BackupItemAction example.landfall.dev/mark",
                                           "RestoreItemAction example.landfall.dev/unmark"));
  const Executed done = execute(process, named("settings"), "example.landfall.dev/mark");
  EXPECT_EQ(done.item["metadata"]["annotations"]["example.landfall.dev/backup"], "nightly");
}

}  // namespace
}  // namespace landfall::plugin_kit
