// What a call through the host costs beside a bare call of a generated stub: read the ratio of the two lines of a pair,
// from one run.

#include <benchmark/benchmark.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include <memory>
#include <string>
#include <vector>

#include "json/json.h"
#include "json/parse.h"
#include "plugin/plugin_process.h"
#include "plugin_suite/test_host.h"

namespace landfall::plugin {
namespace {

using json::Json;

// A pod as clusters have them: about five kilobytes.
Json pod(const std::string& name) {
  Json containers = Json::array();
  for (int i = 0; i < 4; ++i) {
    containers.push_back({{"name", "c" + std::to_string(i)},
                          {"image", "registry.example.io/team/service@sha256:" + std::string(64, 'a')},
                          {"env", Json::array({{{"name", "A"}, {"value", "1"}}, {{"name", "B"}, {"value", "2"}}})},
                          {"resources", {{"limits", {{"cpu", "1"}, {"memory", "512Mi"}}}}},
                          {"volumeMounts", Json::array({{{"name", "data"}, {"mountPath", "/data"}}})}});
  }
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata",
           {{"name", name},
            {"namespace", "shop"},
            {"annotations", {{"checksum", std::string(2000, 'c')}}},
            {"labels", {{"app", "web"}}}}},
          {"spec", {{"containers", containers}, {"nodeName", "node-1"}}},
          {"status", {{"phase", "Running"}, {"podIP", "10.0.0.1"}}}};
}

const Json kBackup = {{"kind", "Backup"},
                      {"metadata", {{"name", "nightly"}, {"labels", {{"a", "b"}}}}},
                      {"spec", {{"includedNamespaces", Json::array({"shop"})}, {"ttl", "720h"}}}};

// One process, and both ways to it.
class Plugin {
 public:
  Plugin() {
    auto actions = session_.backup_item_actions(false, {});
    for (auto& one : *actions) {
      if (one->name() == "example.io/good-v2") action = std::move(one);
    }
    process = *PluginProcess::start({.command = test_.path("good"),
                                     .options = std::make_shared<const HostOptions>(test_.options()),
                                     .clock = system_clock(),
                                     .processes = test_.processes(),
                                     .log = {}},
                                    {});
  }
  std::unique_ptr<extension::BackupItemAction> action;
  std::shared_ptr<PluginProcess> process;

 private:
  TestHost test_{{"good"}};
  Session session_ = test_.session();
};

Plugin& plugin() {
  static Plugin one;
  return one;
}

void bare_execute(benchmark::State& state, const std::string& name) {
  ::v2::ExecuteRequest request;
  request.set_plugin("example.io/good-v2");
  request.set_item(json::dump(pod(name)));
  request.set_backup(json::dump(kBackup));
  for (auto _ : state) {
    grpc::ClientContext context;
    ::v2::ExecuteResponse response;
    if (!plugin().process->stubs().backup_v2->Execute(&context, request, &response).ok()) state.SkipWithError("failed");
    benchmark::DoNotOptimize(response);
  }
}

void host_execute(benchmark::State& state, const std::string& name) {
  const Json item = pod(name);
  for (auto _ : state) {
    const auto result = plugin().action->execute(item, kBackup, {});
    if (!result) state.SkipWithError("failed");
    benchmark::DoNotOptimize(result);
  }
}

void bare_progress(benchmark::State& state) {
  ::v2::BackupItemActionProgressRequest request;
  request.set_plugin("example.io/good-v2");
  request.set_operation_id("op-1");
  request.set_backup(json::dump(kBackup));
  for (auto _ : state) {
    grpc::ClientContext context;
    ::v2::BackupItemActionProgressResponse response;
    if (!plugin().process->stubs().backup_v2->Progress(&context, request, &response).ok())
      state.SkipWithError("failed");
  }
}

void host_progress(benchmark::State& state) {
  for (auto _ : state) {
    if (!plugin().action->waitable()->progress("op-1", kBackup, {})) state.SkipWithError("failed");
  }
}

BENCHMARK_CAPTURE(bare_execute, unchanged, "web")->UseRealTime();
BENCHMARK_CAPTURE(host_execute, unchanged, "web")->UseRealTime();
BENCHMARK_CAPTURE(bare_execute, changed, "changed")->UseRealTime();
BENCHMARK_CAPTURE(host_execute, changed, "changed")->UseRealTime();
BENCHMARK(bare_progress)->UseRealTime();
BENCHMARK(host_progress)->UseRealTime();

}  // namespace
}  // namespace landfall::plugin
