#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/test_cluster.h"
#include "cli_admin/commands.h"
#include "cli_admin/plugin_name.h"

namespace landfall::cli {
namespace {

using json::Json;
using testing::HasSubstr;
using testing::StartsWith;

class PluginChanges : public testing::Test {
 protected:
  PluginChanges() {
    cluster_.create(deployments_, "velero",
                    {{"apiVersion", "apps/v1"},
                     {"kind", "Deployment"},
                     {"metadata", {{"name", "server"}, {"labels", {{"component", "velero"}}}}},
                     {"spec",
                      {{"selector", {{"matchLabels", {{"a", "b"}}}}},
                       {"template",
                        {{"metadata", {{"labels", {{"a", "b"}}}}},
                         {"spec", {{"containers", Json::array({{{"name", "velero"}, {"image", "server"}}})}}}}}}}});
  }
  Json pod() const {
    return kube::Resource(cluster_.client(), deployments_, "velero")
        .get("server", {})
        .value()["spec"]["template"]["spec"];
  }
  std::vector<std::string> plugins() const {
    std::vector<std::string> names;
    for (const Json& one : pod().value("initContainers", Json::array())) names.push_back(one["name"]);
    return names;
  }

  const k8s::GroupVersionResource deployments_{"apps", "v1", "deployments"};
  TestCluster cluster_{add_plugin_command};
};

TEST_F(PluginChanges, AddAnInitContainerAndTheVolumeItFills) {
  const Ran ran = cluster_.run({"plugin", "add", "ghcr.io/velero/plugin_for.aws:v1", "--confirm"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "Plugin \"velero-plugin-for-aws\" was added. The server restarts with it.\n");
  const Json made = pod();
  ASSERT_EQ(made["initContainers"].size(), 1U);
  EXPECT_EQ(made["initContainers"][0]["image"], "ghcr.io/velero/plugin_for.aws:v1");
  EXPECT_EQ(made["initContainers"][0]["imagePullPolicy"], "IfNotPresent");
  EXPECT_EQ(made["initContainers"][0]["volumeMounts"], Json::array({{{"name", "plugins"}, {"mountPath", "/target"}}}));
  EXPECT_EQ(made["volumes"], Json::array({{{"name", "plugins"}, {"emptyDir", Json::object()}}}));
  EXPECT_EQ(made["containers"][0]["volumeMounts"], Json::array({{{"name", "plugins"}, {"mountPath", "/plugins"}}}));
  EXPECT_EQ(cluster_.run({"plugin", "add", "b/other:v1", "--image-pull-policy", "Always", "--confirm"}).code, 0);
  EXPECT_EQ(pod()["initContainers"][1]["imagePullPolicy"], "Always");
  EXPECT_EQ(pod()["volumes"].size(), 1U);
}

TEST_F(PluginChanges, AskBecauseTheServerRestarts) {
  const Ran ran = cluster_.run({"plugin", "add", "a/b:v1"}, {.input = "n\n"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, HasSubstr("restarts the server"));
  EXPECT_TRUE(plugins().empty());
}

TEST_F(PluginChanges, MakeNoSecondOneOfAName) {
  ASSERT_EQ(cluster_.run({"plugin", "add", "a/b:v1", "--confirm"}).code, 0);
  const Ran refused = cluster_.run({"plugin", "add", "a/b:v2", "--confirm"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err, HasSubstr("remove it first with 'landfall plugin remove a-b'"));
  EXPECT_EQ(cluster_.run_as_velero({"plugin", "add", "a/b:v2", "--confirm"}).code, 0);
  ASSERT_EQ(plugins().size(), 2U);
  EXPECT_THAT(plugins()[1], StartsWith("a-b-"));
}

TEST_F(PluginChanges, RemoveByNameOrImage) {
  ASSERT_EQ(cluster_.run({"plugin", "add", "a/b:v1", "--confirm"}).code, 0);
  ASSERT_EQ(cluster_.run({"plugin", "add", "a/c:v1", "--confirm"}).code, 0);
  EXPECT_THAT(cluster_.run({"plugin", "remove", "d"}).err,
              HasSubstr("plugin \"d\" not found in the server's Deployment; there are: a-b, a-c"));
  EXPECT_EQ(cluster_.run({"plugin", "remove", "a/b:v1"}).code, 0);
  EXPECT_EQ(plugins(), std::vector<std::string>{"a-c"});
  EXPECT_EQ(cluster_.run({"plugin", "remove", "a-c"}).code, 0);
  EXPECT_TRUE(plugins().empty());
}

TEST_F(PluginChanges, SayWhereTheServerWasLookedFor) {
  EXPECT_THAT(cluster_.run({"plugin", "remove", "d", "-n", "elsewhere"}).err,
              HasSubstr("the server's Deployment was not found in namespace \"elsewhere\""));
}

TEST(PluginContainerName, IsTheImageWithoutRegistryTagAndDigest) {
  EXPECT_EQ(plugin_container_name("velero/plugin-for-aws:v1.2"), "velero-plugin-for-aws");
  EXPECT_EQ(plugin_container_name("host:5000/team/my_plugin.x@sha256:abc"), "team-my-plugin-x");
  EXPECT_EQ(plugin_container_name("plugin"), "plugin");
  EXPECT_EQ(plugin_container_name("registry/a/" + std::string(80, 'x')).size(), 63U);
}

}  // namespace
}  // namespace landfall::cli
