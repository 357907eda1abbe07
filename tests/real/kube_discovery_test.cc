// Discovery against a real kube-apiserver with an aggregated API whose server does not exist.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/json.h"
#include "json/parse.h"
#include "kube/discovery.h"
#include "kube/resource.h"
#include "real/real_client.h"

namespace landfall::kube {
namespace {

TEST(RealDiscovery, ABrokenAggregatedApiNeitherStallsNorHidesTheOthers) {
  const RealClient client;
  const Resource services(*client, {"apiregistration.k8s.io", "v1", "apiservices"});
  const std::string name = "v1.broken.example.com";
  const auto made = services.create(json::parse(R"({"apiVersion":"apiregistration.k8s.io/v1","kind":"APIService",
      "metadata":{"name":"v1.broken.example.com"},"spec":{"group":"broken.example.com","version":"v1",
      "groupPriorityMinimum":100,"versionPriority":1,"insecureSkipTLSVerify":true,
      "service":{"namespace":"default","name":"nobody","port":443}}})")
                                        .value(),
                                    {});
  ASSERT_TRUE(made || made.error().code() == Code::kAlreadyExists) << made.error().message();

  // The server needs a moment to notice that nobody is there.
  const SteadyTime deadline = system_clock().after(std::chrono::seconds(30));
  const k8s::GroupVersion broken{"broken.example.com", "v1"};
  bool is_told = false;
  while (!is_told && system_clock().now() < deadline) {
    const SteadyTime began = system_clock().now();
    const auto found = discover(*client, {});
    ASSERT_TRUE(found) << found.error().message();
    EXPECT_LT(system_clock().now() - began, std::chrono::seconds(15));
    EXPECT_NE(found->find_by_word("deployments"), nullptr);
    EXPECT_NE(found->find_by_word("pods"), nullptr);
    is_told = found->failures().contains(broken);
    system_clock().sleep_for(std::chrono::milliseconds(50), {});
  }
  EXPECT_TRUE(is_told) << "the broken group is neither served nor named";
  EXPECT_TRUE(services.remove(name, {}));
}

}  // namespace
}  // namespace landfall::kube
