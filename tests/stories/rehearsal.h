#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "api/definitions.h"
#include "base/random.h"
#include "cli/test_run.h"
#include "commands/all_commands.h"
#include "io/file.h"
#include "json/json.h"
#include "kube/resource.h"
#include "sandbox/server.h"
#include "sandbox_world/test_sandbox_client.h"
#include "sandbox_world/test_served_definitions.h"
#include "stories/patience.h"
#include "testkit/temp_dir.h"

namespace landfall::stories {

// A sandbox and a user in front of it.
class Rehearsal {
 public:
  Rehearsal() {
    const auto written = io::write_file(kubeconfig(), sandbox_->kubeconfig(), {.mode = 0600});
    if (!written) throw std::runtime_error(written.error().message());
    for (const json::Json& definition : api::custom_resource_definitions()) {
      create({"apiextensions.k8s.io", "v1", "customresourcedefinitions"}, "", definition);
    }
    create({"", "v1", "namespaces"}, "", {{"metadata", {{"name", "velero"}}}});
  }

  const testkit::TempDir& directory() const { return directory_; }
  kube::Client& client() const { return *client_; }

  cli::Ran landfall(std::vector<std::string> words) const {
    words.insert(words.end(), {"--kubeconfig", kubeconfig()});
    return cli::run_with(cli::add_all_commands, words);
  }

  // Of a kind that may be served only in a moment.
  void create(const k8s::GroupVersionResource& resource, const std::string& name_space,
              const json::Json& object) const {
    const SteadyTime deadline = system_clock().after(kPatience);
    while (true) {
      const auto created = kube::Resource(*client_, resource, name_space).create(object, {});
      if (created) return;
      if (created.error().code() != Code::kNotFound || system_clock().now() > deadline) {
        throw std::runtime_error(created.error().message());
      }
      system_clock().sleep_for(std::chrono::milliseconds(10), {});
    }
  }

 private:
  std::string kubeconfig() const { return directory_.path() / "kubeconfig"; }

  testkit::TempDir directory_;
  std::unique_ptr<sandbox::Sandbox> sandbox_ =
      sandbox::Sandbox::start({}, system_clock(), system_random(), Logger()).value();
  sandbox::ServedDefinitions definitions_{*sandbox_};
  sandbox::SandboxClient client_{*sandbox_};
};

}  // namespace landfall::stories
