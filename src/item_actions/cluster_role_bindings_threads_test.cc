#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "item_actions/cluster_role_bindings.h"
#include "kube/test_client.h"
#include "selection/test_discovery.h"
#include "testkit/scripted_server.h"

namespace landfall::item_actions {
namespace {

using testkit::ScriptedConnection;
using testkit::ScriptedServer;

TEST(ClusterRoleBindings, ManyThreadsShareOneList) {
  testkit::Gate gate;
  const ScriptedServer server([&](ScriptedConnection& c) {
    while (c.read_request()) {
      if (!c.wait(gate)) return;
      c.send(testkit::reply(200, R"({"kind":"ClusterRoleBindingList","apiVersion":"rbac.authorization.k8s.io/v1",
        "metadata":{"resourceVersion":"1"},"items":[{"metadata":{"name":"b"},"roleRef":{"name":"r"},
        "subjects":[{"kind":"ServiceAccount","namespace":"shop","name":"robot"}]}]})"));
    }
  });
  const kube::TestClient client(server.url());
  const kube::Discovery discovery({{"rbac.authorization.k8s.io", {"v1"}}},
                                  {selection::test_resource("rbac.authorization.k8s.io", "v1", "clusterrolebindings",
                                                            "ClusterRoleBinding", selection::Scope::kCluster)},
                                  {});
  ClusterRoleBindings bindings(*client, discovery);

  std::atomic<int> whole = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const auto refs = bindings.naming({"shop", "robot"}, {});
      if (refs && refs->size() == 2) ++whole;
    });
  }
  ASSERT_TRUE(server.await_requests(1));
  // One that is stopped while another lists does not wait for it.
  std::stop_source stop;
  std::jthread stopped([&] {
    const auto refs = bindings.naming({"shop", "robot"}, stop.get_token());
    ASSERT_FALSE(refs);
    EXPECT_EQ(refs.error().code(), Code::kCancelled);
  });
  stop.request_stop();
  stopped.join();
  gate.open();
  threads.clear();
  EXPECT_EQ(whole, 4);
  EXPECT_EQ(server.requests().size(), 1U);
}

}  // namespace
}  // namespace landfall::item_actions
