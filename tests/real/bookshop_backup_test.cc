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

const std::vector<KnownDifference> kKnown = {};

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
