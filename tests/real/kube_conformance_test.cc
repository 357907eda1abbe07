// The conformance suite against a real kube-apiserver.

#include "kube_conformance/coordination.h"
#include "kube_conformance/discovery.h"
#include "kube_conformance/lists.h"
#include "kube_conformance/requests.h"
#include "kube_conformance/watches.h"
#include "real/real_client.h"

namespace landfall::kube {
namespace {

std::shared_ptr<Client> connect() {
  const auto real = std::make_shared<RealClient>();
  return {real, &**real};
}

INSTANTIATE_TEST_SUITE_P(RealApiServer, KubeConformance, testing::Values(ConformanceTarget{"real", connect}),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace landfall::kube
