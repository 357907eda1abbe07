// The restores of real Velero, made by us on a real kube-apiserver. It is alone with its etcd, as theirs was.

#include "k8s/kinds.h"
#include "kube/discovery.h"
#include "real/real_client.h"
#include "restore_suite/restored_by_velero_cases.h"
#include "stories/sweep.h"

namespace landfall::restore_suite {
namespace {

std::shared_ptr<kube::Client> connect() {
  const auto real = std::make_shared<kube::RealClient>();
  return {real, &**real};
}

// The namespaces with everything in them, then what belongs to the cluster.
void sweep(kube::Client& client) {
  const auto discovery = kube::discover(client, {});
  if (!discovery) throw std::runtime_error(discovery.error().message());
  for (const std::string name : {"bookshop", "bookshop-staging", "books-copy"}) {
    stories::sweep_namespace(client, *discovery, name);
  }
  const std::pair<const char*, const char*> kOfTheCluster[] = {
      {"clusterrolebindings.rbac.authorization.k8s.io", "bookshop-auditor"},
      {"clusterroles.rbac.authorization.k8s.io", "bookshop-auditor"},
      {"persistentvolumes", "pv-books-db"},
      {"priorityclasses.scheduling.k8s.io", "bookshop-high"},
      {"customresourcedefinitions.apiextensions.k8s.io", "books.library.example.com"}};
  for (const auto& [resource, name] : kOfTheCluster) {
    const kube::ApiResource* found = discovery->find(k8s::parse_group_resource(resource));
    if (found != nullptr) stories::sweep_object(client, *found, "", name);
  }
}

EmptyCluster of(const std::string& restore) {
  return {.name = "real", .restore = restore, .sources = LANDFALL_SOURCE_DIR, .connect = connect, .sweep = sweep};
}

INSTANTIATE_TEST_SUITE_P(RealApiServer, RestoredByVelero, ::testing::Values(of("plain"), of("mapped"), of("selector")),
                         [](const auto& one) { return one.param.restore; });

}  // namespace
}  // namespace landfall::restore_suite
