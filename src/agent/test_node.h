#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/active_transfers.h"
#include "agent/agent_context.h"
#include "api/definitions.h"
#include "api/names.h"
#include "base/guarded.h"
#include "io/log_sink.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "kube/connection.h"
#include "kube/resource.h"
#include "sandbox/server.h"
#include "sandbox_world/test_served_definitions.h"
#include "testkit/gate.h"
#include "testkit/temp_dir.h"

namespace landfall::agent {

// How long a test waits for what should happen in a moment: restic may be part of it, on a machine that is busy.
inline constexpr Duration kPatience = std::chrono::seconds(60);

// Looks again every few milliseconds; false when it does not come true.
template <class Holds>
bool soon(const Holds& holds) {
  const SteadyTime deadline = system_clock().after(kPatience);
  while (!holds()) {
    if (system_clock().now() > deadline) return false;
    system_clock().sleep_for(std::chrono::milliseconds(5), {});
  }
  return true;
}

// For tests: an uploader that does what it is told, and remembers what it was asked for. Thread-safe.
class PlayedUploader final : public extension::Uploader {
 public:
  using Access = extension::RepositoryAccess;
  struct Seen {
    std::vector<Access> repositories;
    std::vector<extension::UploadRequest> uploads;
    std::vector<extension::DownloadRequest> downloads;
    int unlocks = 0;
    int now = 0;
    int most_at_once = 0;
  };
  explicit PlayedUploader(std::string type = "restic", bool can_upload = true)
      : type_(std::move(type)), can_upload_(can_upload) {}

  // Before they are called.
  std::function<Result<extension::UploadedVolume>(progress::ByteReporter&, const std::stop_token&)> on_upload =
      [](progress::ByteReporter&, const std::stop_token&) {
        return extension::UploadedVolume{.snapshot = "snap", .total = ByteCount(10), .added = ByteCount(3)};
      };
  std::function<Result<ByteCount>(progress::ByteReporter&, const std::stop_token&)> on_download =
      [](progress::ByteReporter&, const std::stop_token&) { return ByteCount(10); };

  Seen seen() const { return seen_.copy(); }

  std::string_view type() const override { return type_; }
  bool can_upload() const override { return can_upload_; }
  Status open(const Access& /*repository*/, extension::IfMissing /*if_missing*/,
              const std::stop_token& /*stop*/) override {
    return {};
  }
  Result<extension::UploadedVolume> upload(const Access& repository, const extension::UploadRequest& request,
                                           progress::ByteReporter& reporter, const std::stop_token& stop) override {
    const Visit visit(*this, [&](Seen& seen) {
      seen.repositories.push_back(repository);
      seen.uploads.push_back(request);
    });
    return on_upload(reporter, stop);
  }
  Result<ByteCount> download(const Access& repository, const extension::DownloadRequest& request,
                             progress::ByteReporter& reporter, const std::stop_token& stop) override {
    const Visit visit(*this, [&](Seen& seen) {
      seen.repositories.push_back(repository);
      seen.downloads.push_back(request);
    });
    return on_download(reporter, stop);
  }
  Status forget(const Access& /*repository*/, const std::vector<std::string>& /*snapshots*/,
                const std::stop_token& /*stop*/) override {
    return {};
  }
  Status unlock(const Access& /*repository*/, const std::stop_token& /*stop*/) override {
    seen_.with([](Seen& seen) { ++seen.unlocks; });
    return {};
  }
  Status maintain(const Access& /*repository*/, const std::stop_token& /*stop*/) override { return {}; }

 private:
  class Visit {
   public:
    template <class Note>
    Visit(PlayedUploader& uploader, const Note& note) : uploader_(uploader) {
      uploader_.seen_.with([&](Seen& seen) {
        note(seen);
        seen.most_at_once = std::max(seen.most_at_once, ++seen.now);
      });
    }
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;
    ~Visit() {
      uploader_.seen_.with([](Seen& seen) { --seen.now; });
    }

   private:
    PlayedUploader& uploader_;
  };
  const std::string type_;
  const bool can_upload_;
  Guarded<Seen> seen_;
};

// For tests: an API server with the velero.io kinds, the namespaces `velero` and `shop`, and the directory of a kubelet
// on the node `node-1`. Nothing runs in it: what is not told does not happen.
class TestNode {
 public:
  explicit TestNode(Clock& clock = system_clock(), int turns = 1) : active(turns), clock_(clock) {
    for (const json::Json& definition : api::custom_resource_definitions()) {
      create({"apiextensions.k8s.io", "v1", "customresourcedefinitions"}, "", definition);
    }
    for (const char* name : {"velero", "shop"}) {
      create({"", "v1", "namespaces"}, "", {{"metadata", {{"name", name}}}});
    }
    for (const api::Kind& kind : api::kAllKinds) {
      if (!soon([&] { return context.objects(kind).list({}, {}).has_value(); })) throw std::runtime_error("not served");
    }
  }

  kube::Client& client() { return *client_; }
  sandbox::Faults& faults() { return sandbox_->faults(); }
  std::string pods_directory() const { return directory_.path() / "pods"; }
  const testkit::TempDir& directory() const { return directory_; }
  std::string log() const { return log_->text(); }
  std::shared_ptr<io::MemoryLogSink> log_sink() const { return log_; }

  json::Json create(const k8s::GroupVersionResource& resource, const std::string& name_space,
                    const json::Json& object) {
    return must(kube::Resource(*client_, resource, name_space).create(object, {}));
  }
  // With apiVersion, kind and namespace filled in.
  json::Json create(const api::Kind& kind, json::Json object) {
    object["apiVersion"] = kind.api_version();
    object["kind"] = std::string(kind.name);
    object["metadata"]["namespace"] = "velero";
    return create(kind.resource(), "velero", object);
  }
  json::Json get(const api::Kind& kind, const std::string& name) { return must(context.objects(kind).get(name, {})); }
  json::Json patch(const api::Kind& kind, const std::string& name, const json::Json& patch) {
    return must(context.objects(kind).patch(name, kube::PatchType::kMerge, patch, {}));
  }
  std::string phase(const api::Kind& kind, const std::string& name) {
    return json::string_or(get(kind, name), {"status", "phase"}, "");
  }
  std::string message(const api::Kind& kind, const std::string& name) {
    return json::string_or(get(kind, name), {"status", "message"}, "");
  }

  std::vector<std::string> finalizers(const api::Kind& kind, const std::string& name) {
    const json::Json object = get(kind, name);
    const auto all = k8s::ObjectView(object).finalizers();
    return {all.begin(), all.end()};
  }

  kube::Resource pods() { return {*client_, {"", "v1", "pods"}, "shop"}; }
  json::Json set_pod_status(const std::string& name, const json::Json& status) {
    return must(pods().patch(name, kube::PatchType::kMerge, {{"status", status}}, {}, {.subresource = "status"}));
  }
  // A pod in `shop` with these volumes; without a node it is on none.
  json::Json create_pod(const std::string& name, const json::Json& volumes, const json::Json& status,
                        const std::string& node = "node-1") {
    json::Json spec = {{"containers", json::Json::array({{{"name", "main"}, {"image", "i"}}})},
                       {"initContainers", json::Json::array({{{"name", "first"}, {"image", "i"}},
                                                             {{"name", "restore-wait"}, {"image", "i"}}})},
                       {"volumes", volumes}};
    if (!node.empty()) spec["nodeName"] = node;
    create(
        {"", "v1", "pods"}, "shop",
        {{"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", {{"name", name}, {"namespace", "shop"}}}, {"spec", spec}});
    return set_pod_status(name, status);
  }
  void remove_pod(const std::string& name) { must(pods().remove(name, {}, {.grace_period_seconds = 0})); }
  // With one emptyDir, "data", whose directory is there.
  json::Json create_pod(const std::string& name, const json::Json& status = {{"phase", "Running"}}) {
    json::Json pod =
        create_pod(name, json::Json::array({{{"name", "data"}, {"emptyDir", json::Json::object()}}}), status);
    std::filesystem::create_directories(volume(pod));
    return pod;
  }
  std::filesystem::path volume(const json::Json& pod, const std::string& name = "data",
                               const std::string& plugin = "kubernetes.io~empty-dir") const {
    return directory_.path() / "pods" / std::string(k8s::ObjectView(pod).uid()) / "volumes" / plugin / name;
  }

  json::Json create_backup(const std::string& name, const json::Json& pod, const json::Json& changes = {}) {
    json::Json object = {{"metadata", {{"name", name}}},
                         {"spec",
                          {{"node", "node-1"},
                           {"pod", reference(pod)},
                           {"volume", "data"},
                           {"backupStorageLocation", "default"},
                           {"repoIdentifier", ""},
                           {"uploaderType", "restic"},
                           {"tags", {{"backup", "b"}, {"ns", "shop"}}}}}};
    object.merge_patch(changes.is_null() ? json::Json::object() : changes);
    return create(api::kPodVolumeBackup, object);
  }
  json::Json create_restore(const std::string& name, const json::Json& pod, const json::Json& changes = {}) {
    json::Json object = {{"metadata", {{"name", name}, {"labels", {{"velero.io/restore-uid", "restore-uid-1"}}}}},
                         {"spec",
                          {{"pod", reference(pod)},
                           {"volume", "data"},
                           {"snapshotID", "snap"},
                           {"backupStorageLocation", "default"},
                           {"repoIdentifier", ""},
                           {"uploaderType", "restic"},
                           {"sourceNamespace", "old-shop"}}}};
    object.merge_patch(changes.is_null() ? json::Json::object() : changes);
    return create(api::kPodVolumeRestore, object);
  }

  template <class T>
  static T must(Result<T> result) {
    if (!result) throw std::runtime_error(result.error().message());
    return *std::move(result);
  }

  PlayedUploader uploader;
  PlayedUploader old_uploader{"kopia", /*can_upload=*/false};
  ActiveTransfers active;

 private:
  static json::Json reference(const json::Json& pod) {
    const k8s::ObjectView view(pod);
    return {{"kind", "Pod"},
            {"namespace", std::string(view.name_space())},
            {"name", std::string(view.name())},
            {"uid", std::string(view.uid())}};
  }
  std::unique_ptr<kube::Connection> connect() {
    kube::Config config;
    config.origin = "the sandbox";
    config.server = sandbox_->url();
    config.token = sandbox_->token();
    return kube::Connection::create(config, Environment(), *processes_, system_clock(), Logger()).value();
  }

  Clock& clock_;
  testkit::TempDir directory_;
  std::shared_ptr<io::MemoryLogSink> log_ = std::make_shared<io::MemoryLogSink>();
  std::unique_ptr<sandbox::Sandbox> sandbox_ =
      sandbox::Sandbox::start({.tls = false}, system_clock(), system_random(), Logger()).value();
  sandbox::ServedDefinitions definitions_{*sandbox_};
  std::unique_ptr<io::ProcessRunner> processes_ = io::make_system_process_runner(system_clock());
  std::unique_ptr<kube::Connection> connection_ = connect();
  // Without retries: what goes wrong is for the agent to see.
  std::unique_ptr<kube::Client> client_ = std::make_unique<kube::Client>(
      *connection_, kube::ClientOptions{.max_retries = 0}, system_clock(), system_random(), Logger());

 public:
  AgentContext context{
      .client = *client_,
      .name_space = "velero",
      .node = "node-1",
      .pods_directory = directory_.path() / "pods",
      .clock = clock_,
      .log = Logger(system_clock(), log_, LogLevel::kDebug),
      .uploaders = {&uploader, &old_uploader},
      .find_repository = [](const std::string& location, std::string_view type, const std::string& name_space,
                            const std::stop_token&) -> Result<extension::RepositoryAccess> {
        return extension::RepositoryAccess{.path = location + "/" + std::string(type) + "/" + name_space};
      },
      .progress_interval = std::chrono::milliseconds(5)};
};

}  // namespace landfall::agent
