// The conformance suite, unchanged, on the sandbox.

#include "kube_conformance/coordination.h"
#include "kube_conformance/discovery.h"
#include "kube_conformance/lists.h"
#include "kube_conformance/requests.h"
#include "kube_conformance/watches.h"
#include "sandbox_world/test_sandbox_client.h"
#include "sandbox_world/world.h"

namespace landfall::kube {
namespace {

// One for all cases, as the real one is.
struct Running {
  std::unique_ptr<sandbox::Sandbox> sandbox =
      sandbox::Sandbox::start({}, system_clock(), system_random(), Logger()).value();
  sandbox::World world{*sandbox, {.workloads = false}, system_clock(), Logger()};

  Running() { world.start(); }
};

sandbox::Sandbox& the_sandbox() {
  static Running running;
  return *running.sandbox;
}

std::shared_ptr<Client> connect() {
  const auto client = std::make_shared<sandbox::SandboxClient>(the_sandbox());
  return {client, &**client};
}

INSTANTIATE_TEST_SUITE_P(Sandbox, KubeConformance, testing::Values(ConformanceTarget{"sandbox", connect}),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace landfall::kube
