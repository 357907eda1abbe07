#include "control/node_agents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "control/test_cluster.h"
#include "json/yaml.h"

namespace landfall::control {
namespace {

using testing::HasSubstr;

std::string trouble_with(const std::string& status) {
  const TestCluster cluster;
  const kube::Resource pods(cluster.client(), {"", "v1", "pods"}, "velero");
  json::Json pod = json::parse_yaml(R"(
metadata: {name: node-agent-x, namespace: velero, labels: {role: node-agent}}
spec: {nodeName: n1, containers: [{name: node-agent, image: landfall}]}
)")
                       .value();
  EXPECT_TRUE(pods.create(pod, {}));
  EXPECT_TRUE(pods.patch("node-agent-x", kube::PatchType::kMerge, {{"status", json::parse_yaml(status).value()}}, {},
                         {.subresource = "status"}));
  NodeAgents agents(cluster.context());
  const Status found = agents.check("n1", {});
  return found ? "" : found.error().message();
}

TEST(NodeAgents, RunOnlyIfKubernetesSaysThatTheyWork) {
  EXPECT_EQ(trouble_with("{phase: Running, conditions: [{type: Ready, status: 'True'}]}"), "");
  EXPECT_EQ(trouble_with("{phase: Running}"), "");
  EXPECT_THAT(trouble_with("{phase: Pending}"), HasSubstr("is not running (Pending)"));
  EXPECT_THAT(trouble_with("{phase: Running, containerStatuses: [{name: a, image: i, imageID: i, ready: false, "
                           "restartCount: 3, state: {waiting: {reason: CrashLoopBackOff}}}]}"),
              HasSubstr("is not running (CrashLoopBackOff)"));
  EXPECT_THAT(trouble_with("{phase: Running, conditions: [{type: Ready, status: 'False', reason: NodeLost}]}"),
              HasSubstr("is not running (NodeLost)"));
}

}  // namespace
}  // namespace landfall::control
