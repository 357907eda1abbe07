#include "plugin/child_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace landfall::plugin {
namespace {

using testing::Contains;
using testing::Key;
using testing::Not;
using testing::Pair;

HostOptions options() {
  return {.environment = {{"VELERO_NAMESPACE", "velero"},
                          {"LD_LIBRARY_PATH", "/plugins"},
                          {"KUBERNETES_SERVICE_HOST", "10.0.0.1"},
                          {"AWS_SHARED_CREDENTIALS_FILE", "/credentials/cloud"},
                          {"PLUGIN_CLIENT_CERT", "x"},
                          {"PLUGIN_MULTIPLEX_GRPC", "true"},
                          {"RESTIC_PASSWORD", "secret"},
                          {"OTHER_TOKEN", "secret"},
                          {"TMPDIR", "/scratch"}},
          .denied = {"OTHER_TOKEN"}};
}

TEST(ChildEnvironment, KeepsWhatPluginsNeed) {
  const auto variables = child_environment(options(), "/tmp/a", false);
  EXPECT_THAT(variables, Contains(Pair("VELERO_NAMESPACE", "velero")));
  EXPECT_THAT(variables, Contains(Pair("LD_LIBRARY_PATH", "/plugins")));
  EXPECT_THAT(variables, Contains(Pair("KUBERNETES_SERVICE_HOST", "10.0.0.1")));
  EXPECT_THAT(variables, Contains(Pair("AWS_SHARED_CREDENTIALS_FILE", "/credentials/cloud")));
}

TEST(ChildEnvironment, SaysThatItIsAPluginAndWhereToListen) {
  const auto variables = child_environment(options(), "/tmp/a", false);
  EXPECT_THAT(variables, Contains(Pair("VELERO_PLUGIN", "hello")));
  EXPECT_THAT(variables, Contains(Pair("PLUGIN_PROTOCOL_VERSIONS", "2")));
  EXPECT_THAT(variables, Contains(Pair("PLUGIN_MIN_PORT", "10000")));
  EXPECT_THAT(variables, Contains(Pair("PLUGIN_MAX_PORT", "25000")));
  EXPECT_THAT(variables, Contains(Pair("PLUGIN_UNIX_SOCKET_DIR", "/tmp/a")));
  EXPECT_THAT(variables, Contains(Pair("TMPDIR", "/tmp/a")));
}

TEST(ChildEnvironment, HidesWhatIsDenied) {
  const auto variables = child_environment(options(), "/tmp/a", false);
  for (const char* name : {"PLUGIN_CLIENT_CERT", "PLUGIN_MULTIPLEX_GRPC", "RESTIC_PASSWORD", "OTHER_TOKEN"}) {
    EXPECT_THAT(variables, Not(Contains(Key(name)))) << name;
  }
}

TEST(ChildEnvironment, HidesTheCredentialsOfOthersFromAPluginThatHasItsOwn) {
  EXPECT_THAT(child_environment(options(), "/tmp/a", true), Not(Contains(Key("AWS_SHARED_CREDENTIALS_FILE"))));
}

}  // namespace
}  // namespace landfall::plugin
