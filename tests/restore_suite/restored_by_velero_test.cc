#include "restore_suite/restored_by_velero_cases.h"
#include "sandbox/server.h"
#include "sandbox_world/test_sandbox_client.h"
#include "sandbox_world/world.h"

namespace landfall::restore_suite {
namespace {

// A sandbox that lives as long as its client.
struct Alone {
  std::unique_ptr<sandbox::Sandbox> sandbox =
      sandbox::Sandbox::start({.tls = false}, system_clock(), system_random(), Logger()).value();
  sandbox::World world{*sandbox, {.is_api_server_alone = true}, system_clock(), Logger()};
  sandbox::SandboxClient client{*sandbox};
};

std::shared_ptr<kube::Client> connect() {
  const auto alone = std::make_shared<Alone>();
  alone->world.start();
  return {alone, &*alone->client};
}

EmptyCluster of(const std::string& restore) {
  return {.name = "sandbox",
          .restore = restore,
          .sources = LANDFALL_SOURCE_DIR,
          .connect = connect,
          .sweep = [](kube::Client&) {}};
}

INSTANTIATE_TEST_SUITE_P(Sandbox, RestoredByVelero, ::testing::Values(of("plain"), of("mapped"), of("selector")),
                         [](const auto& one) { return one.param.restore; });

}  // namespace
}  // namespace landfall::restore_suite
