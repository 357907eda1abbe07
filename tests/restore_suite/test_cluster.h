#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "json/json.h"
#include "kube/client.h"
#include "sandbox/server.h"
#include "sandbox_world/test_sandbox_client.h"
#include "sandbox_world/world.h"
#include "testkit/scripted_server.h"

// Clusters that restores of tests go into.
namespace landfall::restore_suite {

// A sandbox in this process that does what a kube-apiserver does by itself. Everything throws where it cannot be done.
class TestCluster {
 public:
  TestCluster();
  ~TestCluster();
  TestCluster(const TestCluster&) = delete;
  TestCluster& operator=(const TestCluster&) = delete;

  kube::Client& client() { return **client_; }
  sandbox::Sandbox& sandbox() { return *sandbox_; }

  // Returns it as it was created.
  json::Json make(const json::Json& object);
  void make_namespace(const std::string& name);
  // None when there is none. The resource is "deployments.apps".
  std::optional<json::Json> find(const std::string& resource, const std::string& name_space, const std::string& name);
  // The same, and an error when there is none.
  json::Json get(const std::string& resource, const std::string& name_space, const std::string& name);
  void merge(const std::string& resource, const std::string& name_space, const std::string& name,
             const json::Json& patch);
  void remove(const std::string& resource, const std::string& name_space, const std::string& name);

  // Everything that there is, "resource/namespace/name" to the object, without what differs by nature: identity,
  // times, addresses.
  std::map<std::string, json::Json> objects();
  // The same, with the resourceVersions alone.
  std::map<std::string, std::string> versions();

 private:
  std::unique_ptr<sandbox::Sandbox> sandbox_;
  std::unique_ptr<sandbox::World> world_;
  std::unique_ptr<sandbox::SandboxClient> client_;
};

// Stands before a sandbox, passes requests on and notes them, and answers in its place where the test says so.
class Gatekeeper {
 public:
  // What to answer instead; none: the request is passed on. An empty text cuts the connection. From several threads.
  using Judge = std::function<std::optional<std::string>(const testkit::ScriptedRequest&)>;
  Gatekeeper(const sandbox::Sandbox& sandbox, Judge judge);
  ~Gatekeeper();
  Gatekeeper(const Gatekeeper&) = delete;
  Gatekeeper& operator=(const Gatekeeper&) = delete;

  kube::Client& client() { return *client_; }
  // The lines of the requests that change something, "POST /api/v1/namespaces", in the order in which they came.
  std::vector<std::string> changes() const;

 private:
  std::unique_ptr<io::HttpClient> http_;
  std::unique_ptr<testkit::ScriptedServer> server_;
  std::unique_ptr<io::ProcessRunner> processes_;
  std::unique_ptr<kube::Connection> connection_;
  std::unique_ptr<kube::Client> client_;
};

// The answer of a server that refuses: a Status.
std::string refusal(int status, const std::string& reason, const std::string& message);

}  // namespace landfall::restore_suite
