// The conformance suite of object stores, through a plugin that keeps objects in memory: they end with the store.

#include "plugin_suite/test_host.h"
#include "store_conformance/conditions.h"
#include "store_conformance/faults.h"
#include "store_conformance/listings.h"
#include "store_conformance/objects.h"
#include "store_conformance/races.h"

namespace landfall::store {
namespace {

Result<std::unique_ptr<extension::ObjectStore>> open_plugin() {
  static plugin::TestHost host({"good"});
  static const plugin::Registry registry = host.discover();
  return host.host().session(registry, {}).object_store("example.io/good", {{"bucket", "b"}}, {});
}

const std::map<std::string, std::string> kSpared{{"AnyoneCanGetASignedUrl", "nobody serves the URLs of this plugin"}};

INSTANTIATE_TEST_SUITE_P(Plugin, StoreConformance, testing::Values(ConformanceTarget{"Plugin", open_plugin, kSpared}),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace landfall::store
