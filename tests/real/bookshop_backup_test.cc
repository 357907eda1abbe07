// Backups of the bookshop on a real kube-apiserver. It is alone with its etcd: no controllers, so no pods, no claims
// and no revisions; what the workloads would have made is not expected here.

#include "real/real_client.h"
#include "stories/bookshop_cases.h"

namespace landfall::stories {
namespace {

std::shared_ptr<kube::Client> connect() {
  const auto real = std::make_shared<kube::RealClient>();
  return {real, &**real};
}

const std::vector<KnownDifference> kKnown = {
    {"books.library.example.com bookshop/moby-dick: spec.extra: additional",
     "null in the file: kubectl, which made Velero's cluster, leaves such fields out"},
    {"configmaps *kube-root-ca.crt: missing", "nobody publishes it"},
    {"serviceaccounts *default: missing", "nobody makes the account of a namespace"},
    {"deployments.apps bookshop/web: metadata.annotations: missing", "its revision, from the controller"},
    {"replicasets.apps *: missing", "no controller of deployments"},
    {"controllerrevisions.apps *: missing", "no controller of stateful sets"},
    {"pods *: missing", "no controllers that make them"},
    {"persistentvolumeclaims *: missing", "no controller of stateful sets"},
    {"persistentvolumes *: missing", "comes with the claim"},
    {"priorityclasses.scheduling.k8s.io *: missing", "comes with the pod"},
    {"events *: missing", "nobody writes them"},
    {"endpoints *: missing", "no controller of endpoints"},
    {"endpointslices.discovery.k8s.io *: missing", "no controller of endpoint slices"},
};

INSTANTIATE_TEST_SUITE_P(RealApiServer, BookshopBackup,
                         testing::Values(BookshopTarget{.name = "real",
                                                        .sources = LANDFALL_SOURCE_DIR,
                                                        .has_workloads = false,
                                                        .name_space = "landfall-bookshop-story",
                                                        .connect = connect,
                                                        .known_differences = kKnown}),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace landfall::stories
