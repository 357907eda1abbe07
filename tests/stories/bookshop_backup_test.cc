// Backups of the bookshop on the sandbox, with pods as far as the sandbox has them.

#include "sandbox/server.h"
#include "sandbox_world/test_sandbox_client.h"
#include "sandbox_world/world.h"
#include "stories/bookshop_cases.h"

namespace landfall::stories {
namespace {

// A sandbox with its whole world.
struct Running {
  testkit::TempDir data;
  std::unique_ptr<sandbox::Sandbox> sandbox =
      sandbox::Sandbox::start({.tls = false}, system_clock(), system_random(), Logger()).value();
  sandbox::World world{*sandbox, {.workloads = true, .data = data.path()}, system_clock(), Logger()};
  sandbox::SandboxClient client{*sandbox};

  Running() { world.start(); }
};

std::shared_ptr<kube::Client> connect() {
  const auto running = std::make_shared<Running>();
  return {running, &*running->client};
}

const std::vector<KnownDifference> kKnown = {
    {"books.library.example.com bookshop/moby-dick: spec.extra: additional",
     "null in the file: kubectl, which made Velero's cluster, leaves such fields out"},
    {"events *: missing", "nothing in the sandbox writes events"},
    {"endpoints *: missing", "the sandbox has no controller of endpoints"},
    {"endpointslices.discovery.k8s.io *: missing", "the sandbox has no controller of endpoint slices"},
    {"controllerrevisions.apps *: metadata.labels.controller-revision-hash: additional",
     "the sandbox's name for the label of the next line"},
    {"controllerrevisions.apps *: metadata.labels.controller.kubernetes.io/hash: missing",
     "the sandbox has another name for it, that of the pods' label"},
    {"pods *: metadata.annotations: missing", "that of the LimitRanger, which the sandbox does not have"},
    {"pods *: spec.containers[0].resources.requests: missing", "from the LimitRanger"},
    {"pods *: spec.serviceAccount: missing", "from the admission of service accounts, which the sandbox does not have"},
    {"pods *: spec.serviceAccountName: missing", "from the admission of service accounts"},
    {"pods *: spec.containers[0].volumeMounts*: missing", "its kube-api-access volume"},
    {"pods *: spec.volumes*: missing", "its kube-api-access volume"},
};

INSTANTIATE_TEST_SUITE_P(Sandbox, BookshopBackup,
                         testing::Values(BookshopTarget{.name = "sandbox",
                                                        .sources = LANDFALL_SOURCE_DIR,
                                                        .has_workloads = true,
                                                        .name_space = "velero",
                                                        .connect = connect,
                                                        .known_differences = kKnown}),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace landfall::stories
