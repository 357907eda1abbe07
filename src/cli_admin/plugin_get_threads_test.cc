#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/test_cluster.h"
#include "cli_admin/commands.h"

namespace landfall::cli {
namespace {

using testing::HasSubstr;

TEST(PluginGet, SaysThatNoServerAnswers) {
  const TestCluster cluster(add_plugin_command);
  const std::vector<std::string> words = {"plugin", "get", "--timeout", "50ms"};
  const Ran ours = cluster.run(words);
  EXPECT_EQ(ours.code, 1);
  EXPECT_THAT(ours.err, HasSubstr("no server answers in namespace \"velero\""));
  const Ran velero = cluster.run_as_velero(words);
  EXPECT_EQ(velero.code, 0);
  EXPECT_EQ(velero.out, "<error getting plugin information: context deadline exceeded>\n");
}

TEST(PluginGet, ListsNamesForScripts) {
  TestCluster cluster(add_plugin_command);
  PlayedServer server(cluster, "v1.18.3");
  server.say(
      {{"plugins", {{{"name", "b.io/x"}, {"kind", "ObjectStore"}}, {{"name", "a.io/y"}, {"kind", "ObjectStore"}}}}});
  EXPECT_EQ(cluster.run({"plugin", "get", "-o", "name", "--timeout", "60s"}).out, "a.io/y\nb.io/x\n");
}

}  // namespace
}  // namespace landfall::cli
