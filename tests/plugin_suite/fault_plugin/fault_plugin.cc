// A plugin written on bare gRPC, which does wrong what can be done wrong. What it is called decides what it is: "good",
// or the name of a fault. What it is asked for decides what a call does.

#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <ranges>
#include <string>
#include <string_view>
#include <thread>

#include "base/environment.h"
#include "go_plugin/support.grpc.pb.h"
#include "landfall/volume_snapshotter_progress.grpc.pb.h"
#include "plugin_protocol/handshake.h"
#include "velero/backup_item_action.grpc.pb.h"
#include "velero/delete_item_action.grpc.pb.h"
#include "velero/object_store.grpc.pb.h"
#include "velero/plugin_lister.grpc.pb.h"
#include "velero/restore_item_action.grpc.pb.h"
#include "velero/v1/item_block_action.grpc.pb.h"
#include "velero/v2/backup_item_action.grpc.pb.h"
#include "velero/v2/restore_item_action.grpc.pb.h"
#include "velero/volume_snapshotter.grpc.pb.h"

namespace {

using grpc::ServerContext;
using grpc::Status;
using grpc::StatusCode;

std::string g_mode;     // NOLINT: of the whole program
std::string g_command;  // NOLINT

bool is_named(const std::string& item, std::string_view name) {
  return item.find("\"name\":\"" + std::string(name) + "\"") != std::string::npos;
}

void wait_until_cancelled(ServerContext* context) {
  while (!context->IsCancelled()) ::poll(nullptr, 0, 10);
}

void write_to_stdout(std::size_t bytes) {
  const std::string line = std::string(1023, 'x') + "\n";
  for (std::size_t written = 0; written < bytes; written += 1024) std::fputs(line.c_str(), stdout);
  std::fflush(stdout);
}

class Lister final : public generated::PluginLister::Service {
  Status ListPlugins(ServerContext* context, const generated::Empty*, generated::ListPluginsResponse* out) override {
    if (g_mode == "mute") {
      wait_until_cancelled(context);
      return Status::OK;
    }
    if (g_mode == "unknown-kind") add(out, "Teleporter", "example.io/beam");
    if (g_mode == "bad-name") add(out, "BackupItemAction", "no-prefix");
    if (g_mode == "twice") add(out, "ObjectStore", "example.io/twice");
    if (g_mode == "twice") add(out, "ObjectStore", "example.io/twice");
    const std::string name = g_mode == "duplicate" ? "example.io/good" : "example.io/" + g_mode;
    for (const char* kind : {"BackupItemAction", "RestoreItemActionV2", "VolumeSnapshotter", "ObjectStore",
                             "DeleteItemAction", "ItemBlockAction"}) {
      add(out, kind, name);
    }
    add(out, "BackupItemActionV2", name + "-v2");
    add(out, "RestoreItemAction", name + "-v1");
    return Status::OK;
  }
  static void add(generated::ListPluginsResponse* out, const std::string& kind, const std::string& name) {
    auto* one = out->add_plugins();
    one->set_command(g_command);
    one->set_kind(kind);
    one->set_name(name);
  }
};

// What both versions do to an item.
template <class Request, class Response>
Status execute(ServerContext* context, const Request* request, Response* out) {
  const std::string& item = request->item();
  if (is_named(item, "crash")) ::raise(SIGKILL);
  if (is_named(item, "hang")) wait_until_cancelled(context);
  if (is_named(item, "error")) return {StatusCode::UNKNOWN, "no luck today"};
  if (is_named(item, "chatty")) write_to_stdout(4U << 20U);
  if (is_named(item, "log")) {
    std::fputs(
        R"({"@level":"warn","@message":"a plugin speaks","logSource":"main.go:7","@logSourceSetBy":"plugin","size":3})"
        "\n",
        stderr);
  }
  if (is_named(item, "nothing")) return Status::OK;
  if (is_named(item, "garbage")) {
    out->set_item("{\"kind\":");
    return Status::OK;
  }
  if (is_named(item, "big")) {
    out->set_item(R"({"kind":"ConfigMap","data":{"x":")" + std::string(6U << 20U, 'y') + R"("}})");
    return Status::OK;
  }
  if (is_named(item, "changed")) {
    out->set_item(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"changed","labels":{"seen":"true"}}})");
    auto* more = out->add_additional_items();
    more->set_group("apps");
    more->set_resource("deployments");
    more->set_namespace_("shop");
    more->set_name("web");
    return Status::OK;
  }
  if (is_named(item, "annotated")) {
    out->set_item(R"({"kind":"Pod","metadata":{"name":"annotated","annotations":{"velero.io/skip-from-backup":"",)"
                  R"("backup.velero.io/must-include-additional-items":"true"}}})");
    return Status::OK;
  }
  out->set_item(item);
  return Status::OK;
}

class Backup final : public generated::BackupItemAction::Service {
  Status AppliesTo(ServerContext*, const generated::BackupItemActionAppliesToRequest*,
                   generated::BackupItemActionAppliesToResponse* out) override {
    out->mutable_resource_selector()->add_included_resources("pods");
    out->mutable_resource_selector()->set_selector("app=web");
    return Status::OK;
  }
  Status Execute(ServerContext* context, const generated::ExecuteRequest* request,
                 generated::ExecuteResponse* out) override {
    return execute(context, request, out);
  }
};

template <class Response>
Status progress(const std::string& id, Response* out) {
  if (id == "empty") return Status::OK;
  if (id == "error") return {StatusCode::UNKNOWN, "no such operation"};
  auto* value = out->mutable_progress();
  value->set_completed(id == "done");
  value->set_n_completed(5);
  value->set_n_total(10);
  value->set_operation_units("bytes");
  value->mutable_started()->set_seconds(1700000000);
  value->mutable_updated()->set_seconds(-62135596800);  // Go's zero time
  return Status::OK;
}

class BackupV2 final : public v2::BackupItemAction::Service {
  Status AppliesTo(ServerContext*, const v2::BackupItemActionAppliesToRequest*,
                   v2::BackupItemActionAppliesToResponse*) override {
    return Status::OK;
  }
  Status Execute(ServerContext* context, const v2::ExecuteRequest* request, v2::ExecuteResponse* out) override {
    if (is_named(request->item(), "operation")) {
      out->set_operation_id("op-1");
      out->add_post_operation_items()->set_resource("pods");
    }
    return execute(context, request, out);
  }
  Status Progress(ServerContext*, const v2::BackupItemActionProgressRequest* request,
                  v2::BackupItemActionProgressResponse* out) override {
    return progress(request->operation_id(), out);
  }
  Status Cancel(ServerContext*, const v2::BackupItemActionCancelRequest* request, google::protobuf::Empty*) override {
    return request->operation_id() == "op-1" ? Status::OK : Status(StatusCode::UNKNOWN, "no such operation");
  }
};

class Restore final : public generated::RestoreItemAction::Service {
  Status AppliesTo(ServerContext*, const generated::RestoreItemActionAppliesToRequest*,
                   generated::RestoreItemActionAppliesToResponse*) override {
    return Status::OK;
  }
  Status Execute(ServerContext* context, const generated::RestoreItemActionExecuteRequest* request,
                 generated::RestoreItemActionExecuteResponse* out) override {
    if (is_named(request->item(), "skipped")) {
      out->set_skip_restore(true);
      return Status::OK;
    }
    return execute(context, request, out);
  }
};

class RestoreV2 final : public v2::RestoreItemAction::Service {
  Status AppliesTo(ServerContext*, const v2::RestoreItemActionAppliesToRequest*,
                   v2::RestoreItemActionAppliesToResponse*) override {
    return Status::OK;
  }
  Status Execute(ServerContext* context, const v2::RestoreItemActionExecuteRequest* request,
                 v2::RestoreItemActionExecuteResponse* out) override {
    if (is_named(request->item(), "operation")) {
      out->set_operation_id("op-1");
      out->set_wait_for_additional_items(true);
      out->mutable_additional_items_ready_timeout()->set_seconds(90);
    }
    return execute(context, request, out);
  }
  Status Progress(ServerContext*, const v2::RestoreItemActionProgressRequest* request,
                  v2::RestoreItemActionProgressResponse* out) override {
    return progress(request->operation_id(), out);
  }
  Status Cancel(ServerContext*, const v2::RestoreItemActionCancelRequest*, google::protobuf::Empty*) override {
    return Status::OK;
  }
  Status AreAdditionalItemsReady(ServerContext*, const v2::RestoreItemActionItemsReadyRequest* request,
                                 v2::RestoreItemActionItemsReadyResponse* out) override {
    out->set_ready(request->additional_items_size() == 1);
    return Status::OK;
  }
};

class Deletion final : public generated::DeleteItemAction::Service {
  Status AppliesTo(ServerContext*, const generated::DeleteItemActionAppliesToRequest*,
                   generated::DeleteItemActionAppliesToResponse*) override {
    return Status::OK;
  }
  Status Execute(ServerContext*, const generated::DeleteItemActionExecuteRequest* request, generated::Empty*) override {
    return is_named(request->item(), "error") ? Status(StatusCode::UNKNOWN, "cannot be deleted") : Status::OK;
  }
};

class Block final : public v1::ItemBlockAction::Service {
  Status AppliesTo(ServerContext*, const v1::ItemBlockActionAppliesToRequest*,
                   v1::ItemBlockActionAppliesToResponse*) override {
    return Status::OK;
  }
  Status GetRelatedItems(ServerContext*, const v1::ItemBlockActionGetRelatedItemsRequest*,
                         v1::ItemBlockActionGetRelatedItemsResponse* out) override {
    auto* one = out->add_related_items();
    one->set_resource("persistentvolumeclaims");
    one->set_namespace_("shop");
    one->set_name("data");
    return Status::OK;
  }
};

class Snapshotter final : public generated::VolumeSnapshotter::Service {
  Status Init(ServerContext*, const generated::VolumeSnapshotterInitRequest* request, generated::Empty*) override {
    const auto found = request->config().find("mark");
    if (found == request->config().end()) return {StatusCode::UNKNOWN, "config has no mark"};
    mark_ = found->second;
    return Status::OK;
  }
  Status CreateSnapshot(ServerContext* context, const generated::CreateSnapshotRequest* request,
                        generated::CreateSnapshotResponse* out) override {
    if (request->volume_id() == "die") ::raise(SIGKILL);
    if (request->volume_id() == "hang") wait_until_cancelled(context);
    if (request->volume_id() == "pid") {
      out->set_snapshot_id(std::to_string(::getpid()));
      return Status::OK;
    }
    if (mark_.empty()) return {StatusCode::UNKNOWN, "not initialised"};
    out->set_snapshot_id(mark_ + "/" + request->volume_id());
    return Status::OK;
  }
  Status CreateVolumeFromSnapshot(ServerContext*, const generated::CreateVolumeRequest* request,
                                  generated::CreateVolumeResponse* out) override {
    out->set_volume_id(request->snapshot_id() + "," + request->volume_type() + "," + request->volume_az() + "," +
                       std::to_string(request->iops()));
    return Status::OK;
  }
  Status GetVolumeInfo(ServerContext*, const generated::GetVolumeInfoRequest*,
                       generated::GetVolumeInfoResponse* out) override {
    out->set_volume_type("ssd");
    return Status::OK;
  }
  Status DeleteSnapshot(ServerContext*, const generated::DeleteSnapshotRequest*, generated::Empty*) override {
    return Status::OK;
  }
  Status GetVolumeID(ServerContext*, const generated::GetVolumeIDRequest* request,
                     generated::GetVolumeIDResponse* out) override {
    if (is_named(request->persistent_volume(), "mine")) out->set_volume_id("vol-1");
    return Status::OK;
  }
  Status SetVolumeID(ServerContext*, const generated::SetVolumeIDRequest* request,
                     generated::SetVolumeIDResponse* out) override {
    out->set_persistent_volume(R"({"kind":"PersistentVolume","spec":{"id":")" + request->volume_id() + "\"}}");
    return Status::OK;
  }
  std::string mark_;
};

class Progress final : public landfall::plugin::v1::VolumeSnapshotterProgress::Service {
  Status SnapshotProgress(ServerContext*, const landfall::plugin::v1::SnapshotProgressRequest* request,
                          landfall::plugin::v1::TransferProgress* out) override {
    if (request->snapshot_id() == "unknown") return {StatusCode::NOT_FOUND, "no such snapshot"};
    out->set_phase("InProgress");
    out->set_total_bytes(100);
    out->set_bytes_done(40);
    (*out->mutable_plugin_specific())["tier"] = "cold";
    return Status::OK;
  }
};

constexpr std::size_t kMessage = 16384;  // what hosts send at a time

class Store final : public generated::ObjectStore::Service {
  Status Init(ServerContext*, const generated::ObjectStoreInitRequest* request, generated::Empty*) override {
    const auto wish = request->config().find("fail");
    return wish == request->config().end() ? Status::OK : Status(StatusCode::UNKNOWN, wish->second);
  }
  Status PutObject(ServerContext* context, grpc::ServerReader<generated::PutObjectRequest>* reader,
                   generated::Empty*) override {
    generated::PutObjectRequest request;
    if (!reader->Read(&request)) return {StatusCode::UNKNOWN, "EOF"};
    const std::string key = request.key();
    if (key == "refused") return {StatusCode::UNKNOWN, "bucket is full"};
    std::string body;
    do {
      if (key == "crash" && body.size() > 100'000) ::raise(SIGKILL);
      body += request.body();
    } while (reader->Read(&request));
    // A put that was broken off looks like its regular end for a moment. Both come from one event of the connection:
    // what is sent now is done with behind it. What fits into one message is not broken off.
    const int looks = body.size() < kMessage ? 0 : 4;
    if (looks > 0) reader->SendInitialMetadata();
    for (int look = 0; look < looks; ++look) {
      if (context->IsCancelled()) return {StatusCode::CANCELLED, "broken off"};
      ::poll(nullptr, 0, 5);
    }
    const std::scoped_lock lock(mutex_);
    objects_[key] = body;
    return Status::OK;
  }
  Status ObjectExists(ServerContext*, const generated::ObjectExistsRequest* request,
                      generated::ObjectExistsResponse* out) override {
    const std::scoped_lock lock(mutex_);
    out->set_exists(objects_.contains(request->key()));
    return Status::OK;
  }
  Status GetObject(ServerContext* context, const generated::GetObjectRequest* request,
                   grpc::ServerWriter<generated::Bytes>* writer) override {
    std::string body;
    {
      const std::scoped_lock lock(mutex_);
      const auto found = objects_.find(request->key());
      if (found == objects_.end()) return {StatusCode::UNKNOWN, "NoSuchKey: the key is not there"};
      body = found->second;
    }
    if (request->key() == "hang") wait_until_cancelled(context);
    generated::Bytes bytes;
    for (std::size_t at = 0; at < body.size(); at += 16384) {
      writer->Write({});  // a message without bytes is no end
      bytes.set_data(body.substr(at, 16384));
      if (!writer->Write(bytes)) break;
      if (request->key() == "half") return {StatusCode::UNKNOWN, "connection lost"};
    }
    return Status::OK;
  }
  Status ListCommonPrefixes(ServerContext*, const generated::ListCommonPrefixesRequest* request,
                            generated::ListCommonPrefixesResponse* out) override {
    const std::scoped_lock lock(mutex_);
    std::map<std::string, bool> found;
    for (const auto& [key, body] : objects_) {
      const std::size_t end = key.find(request->delimiter(), request->prefix().size());
      if (key.starts_with(request->prefix()) && end != std::string::npos) found[key.substr(0, end + 1)] = true;
    }
    for (const auto& [prefix, is_there] : found | std::views::reverse) out->add_prefixes(prefix);
    return Status::OK;
  }
  Status ListObjects(ServerContext*, const generated::ListObjectsRequest* request,
                     generated::ListObjectsResponse* out) override {
    const std::scoped_lock lock(mutex_);
    for (const auto& [key, body] : objects_ | std::views::reverse) {
      if (key.starts_with(request->prefix())) out->add_keys(key);
    }
    return Status::OK;
  }
  Status DeleteObject(ServerContext*, const generated::DeleteObjectRequest* request, generated::Empty*) override {
    const std::scoped_lock lock(mutex_);
    return objects_.erase(request->key()) > 0 ? Status::OK : Status(StatusCode::UNKNOWN, "NoSuchKey");
  }
  Status CreateSignedURL(ServerContext*, const generated::CreateSignedURLRequest* request,
                         generated::CreateSignedURLResponse* out) override {
    out->set_url("https://example.io/" + request->key() + "?ttl=" + std::to_string(request->ttl()));
    return Status::OK;
  }
  std::mutex mutex_;
  std::map<std::string, std::string> objects_;
};

class Controller final : public plugin::GRPCController::Service {
  Status Shutdown(ServerContext*, const plugin::Empty*, plugin::Empty*) override {
    if (g_mode == "stubborn") return Status::OK;
    std::thread([] { std::_Exit(0); }).detach();  // allow-call: the answer goes out first
    return Status::OK;
  }
};

// Before the handshake, or in its place.
void misbehave() {
  if (g_mode == "garbage") std::fputs("libfancy 1.0 (c) somebody\n", stdout);
  if (g_mode == "endless") {
    const std::string piece(1U << 20U, 'z');
    while (std::fwrite(piece.data(), 1, piece.size(), stdout) == piece.size()) {
    }
  }
  while (g_mode == "silent") ::pause();
  if (g_mode == "exits") {
    std::fputs("no configuration found\n", stderr);
    std::_Exit(3);  // nothing was started yet
  }
}

}  // namespace

int main(int /*argc*/, char** argv) {
  namespace protocol = landfall::plugin_protocol;
  g_command = argv[0];
  g_mode = g_command.substr(g_command.rfind('/') + 1);
  const landfall::Environment environment = landfall::Environment::of_process();
  if (environment.get("VELERO_PLUGIN") != protocol::kCookieValue) return 1;
  misbehave();
  const std::string path =
      environment.get_or("PLUGIN_UNIX_SOCKET_DIR", "/tmp") + "/plugin" + std::to_string(::getpid());
  grpc::ServerBuilder builder;
  builder.AddListeningPort("unix:" + path, grpc::InsecureServerCredentials());
  builder.SetMaxReceiveMessageSize(-1);
  Lister lister;
  Backup backup;
  BackupV2 backup_v2;
  Restore restore;
  RestoreV2 restore_v2;
  Deletion deletion;
  Block block;
  Snapshotter snapshotter;
  Store store;
  Progress progress;
  Controller controller;
  for (grpc::Service* service : std::initializer_list<grpc::Service*>{
           &lister, &backup, &backup_v2, &restore, &restore_v2, &deletion, &block, &snapshotter, &store}) {
    builder.RegisterService(service);
  }
  if (g_mode != "plain") builder.RegisterService(&progress);
  if (g_mode != "plain") builder.RegisterService(&controller);
  const auto server = builder.BuildAndStart();
  if (!server) return 2;
  std::fputs(protocol::print_handshake({.network = protocol::Network::kUnix, .address = path}).c_str(), stdout);
  std::fflush(stdout);
  if (g_mode == "loud") write_to_stdout(16U << 20U);
  server->Wait();
  return 0;
}
