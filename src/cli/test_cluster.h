#pragma once

#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "api/definitions.h"
#include "api/names.h"
#include "base/guarded.h"
#include "cli/app.h"
#include "cli/test_run.h"
#include "io/gzip_writer.h"
#include "json/access.h"
#include "json/json.h"
#include "k8s/object_view.h"
#include "kube/resource.h"
#include "sandbox/server.h"
#include "sandbox_world/test_sandbox_client.h"
#include "sandbox_world/world.h"
#include "testkit/scripted_server.h"
#include "testkit/temp_dir.h"

namespace landfall::cli {

inline std::string gzipped(std::string_view text) {
  io::StringWriter out;
  io::GzipWriter gzip(out);
  if (!gzip.write(text) || !gzip.close()) throw std::runtime_error("gzip");
  return out.take();
}

// For tests: a sandbox that the command line is run against.
class TestCluster {
 public:
  explicit TestCluster(AddCommands add_commands, bool has_definitions = true) : add_commands_(std::move(add_commands)) {
    world_.start();
    std::ofstream(kubeconfig()) << sandbox_->kubeconfig();
    if (!has_definitions) return;
    for (const json::Json& definition : api::custom_resource_definitions()) {
      create({"apiextensions.k8s.io", "v1", "customresourcedefinitions"}, "", definition);
    }
    create({"", "v1", "namespaces"}, "", {{"metadata", {{"name", "velero"}}}});
    for (const api::Kind& kind : api::kAllKinds) {
      await([&] { return objects(kind).list({}, {}).has_value(); });
    }
  }

  std::string kubeconfig() const { return directory_.path() / "kubeconfig"; }
  const testkit::TempDir& directory() const { return directory_; }
  kube::Client& client() const { return *client_; }
  sandbox::Faults& faults() const { return sandbox_->faults(); }
  kube::Resource objects(const api::Kind& kind) const { return {*client_, kind.resource(), "velero"}; }
  kube::Resource resource(const std::string& plural, const std::string& name_space = "") const {
    return {*client_, {"", "v1", plural}, name_space};
  }
  json::Json create(const k8s::GroupVersionResource& resource, const std::string& name_space,
                    const json::Json& object) const {
    return kube::Resource(*client_, resource, name_space).create(object, {}).value();
  }
  json::Json create(const api::Kind& kind, json::Json object) const {
    object["apiVersion"] = kind.api_version();
    object["kind"] = std::string(kind.name);
    return objects(kind).create(object, {}).value();
  }

  Ran run(std::vector<std::string> words, Surroundings around = {}) const {
    words.insert(words.end(), {"--kubeconfig", kubeconfig()});
    return run_with(add_commands_, words, std::move(around));
  }
  Ran run_as_velero(std::vector<std::string> words) const { return run(std::move(words), {.program = "velero"}); }

  // For ever in the eyes of a test.
  static void await(const std::function<bool()>& is_there) {
    const SteadyTime deadline = system_clock().after(std::chrono::seconds(60));
    while (!is_there()) {
      if (system_clock().now() > deadline) throw std::runtime_error("waited in vain");
      system_clock().sleep_for(std::chrono::milliseconds(10), {});
    }
  }

 private:
  const AddCommands add_commands_;
  testkit::TempDir directory_;
  std::unique_ptr<sandbox::Sandbox> sandbox_ =
      sandbox::Sandbox::start({}, system_clock(), system_random(), Logger()).value();
  sandbox::World world_{*sandbox_, {.workloads = false}, system_clock(), Logger()};
  sandbox::SandboxClient client_{*sandbox_};
};

// For tests: answers the requests of the command line as a server would.
class PlayedServer {
 public:
  using Change = std::function<void(json::Json& object)>;

  // Each object of a kind in `changes` is changed as soon as it is seen; files are served by the kind of their target.
  PlayedServer(TestCluster& cluster, std::string version, std::vector<std::pair<api::Kind, Change>> changes = {})
      : cluster_(cluster), version_(std::move(version)), changes_(std::move(changes)) {}

  // A file of whatever Backup or Restore; one of a certain name is "NAME/KIND".
  void serve(const std::string& kind, std::string text) {
    files_.with([&](auto& files) { files[kind] = std::move(text); });
  }
  // What a ServerStatusRequest is told besides the version.
  void say(json::Json status) {
    said_.with([&](json::Json& said) { said = std::move(status); });
  }
  std::vector<testkit::ScriptedRequest> requests() const { return web_.requests(); }

 private:
  std::string answer(const testkit::ScriptedRequest& request) const {
    const std::string target = request.target;
    const std::size_t at = target.find("token=");
    std::string kind = at == std::string::npos ? "" : target.substr(at + 6);
    const bool follows = kind.ends_with("&follow=true");
    if (follows) kind.resize(kind.size() - std::string_view("&follow=true").size());
    const auto files = files_.copy();
    const auto found = files.find(kind);
    if (found == files.end()) return "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n";
    const std::string body = follows ? found->second : gzipped(found->second);
    return "HTTP/1.1 200 OK\r\ncontent-length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }

  void work(const std::stop_token& stop) {
    while (system_clock().sleep_for(std::chrono::milliseconds(10), stop)) {
      each(api::kServerStatusRequest, [&](json::Json& request) {
        request["status"] = {{"phase", "Processed"}, {"serverVersion", version_}};
        request["status"].update(said_.copy());
      });
      each(api::kDownloadRequest, [&](json::Json& request) {
        const std::string kind = json::string_or(request, {"spec", "target", "kind"}, "");
        const std::string own = json::string_or(request, {"spec", "target", "name"}, "") + "/" + kind;
        const std::string key = files_.with([&](const auto& files) { return files.contains(own) ? own : kind; });
        request["status"] = {{"phase", "Processed"}, {"downloadURL", web_.url("/artifacts?token=" + key)}};
      });
      for (const auto& [kind, change] : changes_) each(kind, change);
    }
  }
  void each(const api::Kind& kind, const Change& change) const {
    const auto all = cluster_.objects(kind).list({}, {});
    if (!all) return;
    for (const json::Json& one : all->items) {
      json::Json changed = one;
      change(changed);
      // One that is changed by somebody else is seen again.
      if (changed != one) static_cast<void>(cluster_.objects(kind).update(changed, {}));
    }
  }

  TestCluster& cluster_;
  const std::string version_;
  const std::vector<std::pair<api::Kind, Change>> changes_;
  Guarded<std::map<std::string, std::string>> files_;
  Guarded<json::Json> said_{json::Json::object()};
  testkit::ScriptedServer web_{
      testkit::ScriptedServer::answering([this](const testkit::ScriptedRequest& request) { return answer(request); })};
  std::jthread thread_{[this](const std::stop_token& stop) { work(stop); }};  // last
};

}  // namespace landfall::cli
