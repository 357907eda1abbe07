#pragma once

#include <algorithm>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "api/definitions.h"
#include "api/names.h"
#include "control/context.h"
#include "kube/resource.h"
#include "sandbox/server.h"
#include "sandbox_world/test_sandbox_client.h"
#include "sandbox_world/world.h"
#include "testkit/temp_dir.h"

namespace landfall::control {

// For tests: a sandbox with the velero.io kinds, the namespace `velero`, and what reconcilers need, with a directory as
// the bucket of a location.
class TestCluster {
 public:
  // With kVeleros as Velero installs it, without Landfall's own.
  enum class Kinds { kAll, kVeleros };
  explicit TestCluster(Kinds kinds = Kinds::kAll) : kinds_(kinds) {
    std::filesystem::create_directory(bucket());
    world_.start();
    for (const json::Json& definition : api::custom_resource_definitions()) {
      const auto has_name = [&](const api::Kind& kind) { return definition["metadata"]["name"] == kind.definition(); };
      if (!has(*std::ranges::find_if(api::kAllKinds, has_name))) continue;
      create({"apiextensions.k8s.io", "v1", "customresourcedefinitions"}, "", definition);
    }
    create({"", "v1", "namespaces"}, "", {{"metadata", {{"name", "velero"}}}});
    for (const api::Kind& kind : api::kAllKinds) {
      if (has(kind)) await_served(kind);
    }
  }

  bool has(const api::Kind& kind) const { return kinds_ == Kinds::kAll || !api::is_landfalls_own(kind); }

  kube::Client& client() const { return *client_; }
  const Context& context() const { return context_; }
  std::string bucket() const { return directory_.path() / "bucket"; }
  metrics::Metrics& metrics() { return metrics_; }
  RunningOperations& running() { return running_; }

  using OpenSnapshotter = decltype(location::World::open_plugin_snapshotter);
  // Who takes snapshots; nobody until then.
  void serve_snapshotters(OpenSnapshotter open) { open_snapshotter_ = std::move(open); }
  using OpenStore = decltype(location::World::open_plugin_store);
  // The object store of a plugin, for every provider that is not built in; likewise.
  void serve_stores(OpenStore open) { open_store_ = std::move(open); }

  kube::Resource objects(const api::Kind& kind) const { return context_.objects(kind); }
  json::Json get(const api::Kind& kind, const std::string& name) const { return must(objects(kind).get(name, {})); }
  // With apiVersion, kind and namespace filled in.
  json::Json create(const api::Kind& kind, json::Json object) const {
    object["apiVersion"] = kind.api_version();
    object["kind"] = std::string(kind.name);
    object["metadata"]["namespace"] = "velero";
    return create(kind.resource(), "velero", object);
  }

  // With what the world puts into every namespace a moment later, so that it does not come in the middle of a test.
  void create_namespace(const std::string& name, const json::Json& labels = json::Json::object()) const {
    create({"", "v1", "namespaces"}, "", {{"metadata", {{"name", name}, {"labels", labels}}}});
    await_object({"", "v1", "serviceaccounts"}, name, "default");
    await_object({"", "v1", "configmaps"}, name, "kube-root-ca.crt");
  }

  // A BackupStorageLocation on the directory, marked as available: no reconciler has looked at it.
  json::Json create_location(const std::string& name, json::Json spec = json::Json::object()) const {
    json::Json whole = {{"provider", "filesystem"},
                        {"objectStorage", {{"bucket", "bucket"}}},
                        {"config", {{"path", directory_.path().string()}}},
                        {"default", name == "default"}};
    whole.update(spec);
    return create(api::kBackupStorageLocation,
                  {{"metadata", {{"name", name}}}, {"spec", whole}, {"status", {{"phase", "Available"}}}});
  }

  // Of a kind that may be served only in a moment.
  json::Json create(const k8s::GroupVersionResource& resource, const std::string& name_space,
                    const json::Json& object) const {
    const SteadyTime deadline = system_clock().after(std::chrono::seconds(60));
    while (true) {
      auto created = kube::Resource(*client_, resource, name_space).create(object, {});
      if (created) return *std::move(created);
      if (created.error().code() != Code::kNotFound || system_clock().now() > deadline) {
        throw std::runtime_error(created.error().message());
      }
      system_clock().sleep_for(std::chrono::milliseconds(10), {});
    }
  }

  template <class T>
  static T must(Result<T> result) {
    if (!result) throw std::runtime_error(result.error().message());
    return *std::move(result);
  }

 private:
  void await_object(const k8s::GroupVersionResource& resource, const std::string& name_space,
                    const std::string& name) const {
    const SteadyTime deadline = system_clock().after(std::chrono::seconds(60));
    while (!kube::Resource(*client_, resource, name_space).get(name, {}) && system_clock().now() < deadline) {
      system_clock().sleep_for(std::chrono::milliseconds(5), {});
    }
  }
  void await_served(const api::Kind& kind) const {
    const SteadyTime deadline = system_clock().after(std::chrono::seconds(60));
    while (!objects(kind).list({}, {}) && system_clock().now() < deadline) {
      system_clock().sleep_for(std::chrono::milliseconds(5), {});
    }
  }

  const Kinds kinds_;
  testkit::TempDir directory_;
  Environment environment_;
  std::unique_ptr<sandbox::Sandbox> sandbox_ =
      sandbox::Sandbox::start({.tls = false}, system_clock(), system_random(), Logger()).value();
  sandbox::World world_{*sandbox_, {.workloads = false}, system_clock(), Logger()};
  sandbox::SandboxClient client_{*sandbox_};
  OpenSnapshotter open_snapshotter_;
  OpenStore open_store_;
  Locations locations_{
      *client_,
      "velero",
      {.environment = environment_,
       .clock = system_clock(),
       .open_plugin_store = [this](const std::string& provider, const location::Config& config,
                                   const Logger& log) -> Result<std::unique_ptr<extension::ObjectStore>> {
         if (!open_store_) return fail(Code::kUnsupported, "there is no plugin for " + provider);
         return open_store_(provider, config, log);
       },
       .open_plugin_snapshotter = [this](const std::string& provider, const location::Config& config,
                                         const Logger& log) -> Result<std::unique_ptr<extension::VolumeSnapshotter>> {
         if (!open_snapshotter_) return fail(Code::kUnsupported, "there is no plugin for " + provider);
         return open_snapshotter_(provider, config, log);
       }}};
  RunningOperations running_;
  metrics::Metrics metrics_;
  Context context_{.client = *client_,
                   .name_space = "velero",
                   .clock = system_clock(),
                   .random = system_random(),
                   .log = Logger(),
                   .locations = locations_,
                   .running = running_,
                   .metrics = metrics_};
};

}  // namespace landfall::control
