#include "restore_suite/test_cluster.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "json/access.h"
#include "json/parse.h"
#include "k8s/object_view.h"
#include "kube/discovery.h"
#include "kube/resource.h"

namespace landfall::restore_suite {
namespace {

template <class T>
T must(Result<T> result, const std::string& what) {
  if (!result) throw std::runtime_error(what + ": " + result.error().message());
  return *std::move(result);
}

void strip_times(json::Json& value) {
  if (value.is_object()) {
    value.erase("lastTransitionTime");
    value.erase("lastPhaseTransitionTime");
  }
  if (value.is_structured()) {
    for (json::Json& element : value) strip_times(element);
  }
}

void strip(json::Json& object) {
  strip_times(object);
  for (const std::string_view field : {"uid", "resourceVersion", "creationTimestamp", "managedFields", "generation"}) {
    json::erase_at(object, {"metadata", field});
  }
  if (json::string_or(object, {"kind"}, "") != "Service") return;
  json::erase_at(object, {"spec", "clusterIP"});
  json::erase_at(object, {"spec", "clusterIPs"});
  if (json::Json* ports = json::find(object, {"spec", "ports"})) {
    for (json::Json& port : *ports) port.erase("nodePort");
  }
}

kube::Resource resource_named(kube::Client& client, const std::string& name, const std::string& name_space) {
  const auto discovery = must(kube::discover(client, {}), "discovery");
  const kube::ApiResource* found = discovery.find(k8s::parse_group_resource(name));
  if (found == nullptr) throw std::runtime_error("the cluster has no " + name);
  return {client, found->id, name_space};
}

// Every object that can be listed.
template <class F>
void for_each_object(kube::Client& client, const F& use) {
  const auto discovery = must(kube::discover(client, {}), "discovery");
  for (const kube::ApiResource& one : discovery.resources()) {
    const kube::ApiResource* preferred = discovery.find(one.id.group_resource());
    if (preferred == nullptr || preferred->id != one.id || std::ranges::find(one.verbs, "list") == one.verbs.end()) {
      continue;
    }
    auto list = must(kube::Resource(client, one.id).list({}, {}), to_string(one.id.group_resource()));
    for (json::Json& object : list.items) {
      const k8s::ObjectView view(object);
      use(to_string(one.id.group_resource()) + "/" + std::string(view.name_space()) + "/" + std::string(view.name()),
          object);
    }
  }
}

kube::Config config_of(const std::string& url, const std::string& token) {
  kube::Config config;
  config.origin = "the test";
  config.server = url;
  config.token = token;
  return config;
}

}  // namespace

TestCluster::TestCluster()
    : sandbox_(must(sandbox::Sandbox::start({.tls = false}, system_clock(), system_random(), Logger()), "sandbox")),
      world_(std::make_unique<sandbox::World>(*sandbox_, sandbox::WorldOptions{.is_api_server_alone = true},
                                              system_clock(), Logger())),
      client_(std::make_unique<sandbox::SandboxClient>(*sandbox_)) {
  world_->start();
}

TestCluster::~TestCluster() {
  world_.reset();
  sandbox_->stop();
}

json::Json TestCluster::make(const json::Json& object) {
  const k8s::ObjectView view(object);
  const auto discovery = must(kube::discover(client(), {}), "discovery");
  const kube::ApiResource* kind = discovery.find(view.group_version_kind());
  if (kind == nullptr) throw std::runtime_error("the cluster has no kind of " + json::dump(object));
  return must(kube::Resource(client(), kind->id, std::string(view.name_space())).create(object, {}), "create");
}

void TestCluster::make_namespace(const std::string& name) {
  make({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", name}}}});
}

std::optional<json::Json> TestCluster::find(const std::string& resource, const std::string& name_space,
                                            const std::string& name) {
  auto found = resource_named(client(), resource, name_space).get(name, {});
  if (found) return *std::move(found);
  if (found.error().code() == Code::kNotFound) return std::nullopt;
  throw std::runtime_error(found.error().message());
}

json::Json TestCluster::get(const std::string& resource, const std::string& name_space, const std::string& name) {
  return must(resource_named(client(), resource, name_space).get(name, {}), resource + " " + name);
}

void TestCluster::merge(const std::string& resource, const std::string& name_space, const std::string& name,
                        const json::Json& patch) {
  must(resource_named(client(), resource, name_space).patch(name, kube::PatchType::kMerge, patch, {}), name);
}

void TestCluster::remove(const std::string& resource, const std::string& name_space, const std::string& name) {
  must(resource_named(client(), resource, name_space).remove(name, {}), name);
}

std::map<std::string, json::Json> TestCluster::objects() {
  std::map<std::string, json::Json> all;
  for_each_object(client(), [&](const std::string& key, json::Json& object) {
    strip(object);
    all[key] = std::move(object);
  });
  return all;
}

std::map<std::string, std::string> TestCluster::versions() {
  std::map<std::string, std::string> all;
  for_each_object(client(), [&](const std::string& key, const json::Json& object) {
    all[key] = k8s::ObjectView(object).resource_version();
  });
  return all;
}

Gatekeeper::Gatekeeper(const sandbox::Sandbox& sandbox, Judge judge)
    : http_(must(io::HttpClient::create({}), "client")), processes_(io::make_system_process_runner(system_clock())) {
  const auto pass = [http = http_.get(), url = sandbox.url()](const testkit::ScriptedRequest& request) {
    io::HttpRequest copy{.method = request.method, .url = url + request.target};
    for (const auto& [name, value] : request.headers) {
      if (name != "content-length" && name != "Content-Length" && name != "Host" && name != "host" &&
          name != "Expect" && name != "Connection") {
        copy.headers.add(name, value);
      }
    }
    if (!request.body.empty()) copy.body = io::HttpBody::view(request.body);
    copy.deadline = system_clock().after(std::chrono::seconds(60));
    const auto answer = http->send(copy, {});
    if (!answer) return std::string();
    testkit::HeaderList headers;
    for (const auto& [name, value] : answer->headers.fields()) {
      if (name == "Content-Type" || name == "content-type") headers.emplace_back(name, value);
    }
    return testkit::reply(answer->status, answer->body, headers);
  };
  server_ = std::make_unique<testkit::ScriptedServer>(
      [judge = std::move(judge), pass](testkit::ScriptedConnection& connection) {
        while (auto request = connection.read_request()) {
          const std::string bytes = judge(*request).value_or("-");
          if (bytes.empty() || !connection.send(bytes == "-" ? pass(*request) : bytes)) return;
        }
      });
  connection_ =
      must(kube::Connection::create(config_of("http://127.0.0.1:" + std::to_string(server_->port()), sandbox.token()),
                                    Environment(), *processes_, system_clock(), Logger()),
           "connection");
  client_ =
      std::make_unique<kube::Client>(*connection_, kube::ClientOptions(), system_clock(), system_random(), Logger());
}

Gatekeeper::~Gatekeeper() = default;

std::vector<std::string> Gatekeeper::changes() const {
  std::vector<std::string> lines;
  for (const testkit::ScriptedRequest& request : server_->requests()) {
    if (request.method == "GET") continue;
    lines.push_back(request.method + " " + request.target.substr(0, request.target.find('?')));
  }
  return lines;
}

std::string refusal(int status, const std::string& reason, const std::string& message) {
  const json::Json body = {{"kind", "Status"},   {"apiVersion", "v1"}, {"status", "Failure"},
                           {"message", message}, {"reason", reason},   {"code", status}};
  return testkit::reply(status, json::dump(body), {{"content-type", "application/json"}});
}

}  // namespace landfall::restore_suite
