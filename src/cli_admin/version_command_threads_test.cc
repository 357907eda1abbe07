#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/manual_clock.h"
#include "cli/test_cluster.h"
#include "cli_admin/commands.h"

namespace landfall::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Version : public testing::Test {
 protected:
  TestCluster cluster_{add_version_command};
};

TEST_F(Version, NamesTheServersBelowItsOwn) {
  const PlayedServer server(cluster_, "v1.18.3");
  const Ran ran = cluster_.run_as_velero({"version", "--timeout", "60s"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(StartsWith("Client:\n\tVersion: v1.18.3+landfall."),
                             HasSubstr("\nServer:\n\tVersion: v1.18.3\n"), Not(HasSubstr("WARNING"))));
}

TEST_F(Version, WarnsOfAServerOfAnotherMinorVersion) {
  const std::string warning = "# WARNING: the client version does not match the server version. Please update ";
  {
    const PlayedServer server(cluster_, "v1.9.2");
    EXPECT_THAT(cluster_.run({"version", "--timeout", "60s"}).out,
                HasSubstr("\n\tVersion: v1.9.2\n" + warning + "server\n"));
  }
  const PlayedServer server(cluster_, "v1.20.0");
  EXPECT_THAT(cluster_.run({"version", "--timeout", "60s"}).out, HasSubstr(warning + "client\n"));
}

TEST_F(Version, GivesBothAsADocument) {
  const PlayedServer server(cluster_, "v1.18.3");
  EXPECT_THAT(cluster_.run({"version", "-o", "json", "--timeout", "60s"}).out,
              HasSubstr("\"server\": {\n    \"version\": \"v1.18.3\"\n  }"));
}

TEST_F(Version, SaysThatNobodyAnswersAndSucceedsAllTheSame) {
  const Ran ran = cluster_.run({"version", "--timeout", "1ms"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, HasSubstr("<error getting server version: no server answers in namespace \"velero\""));
  EXPECT_THAT(cluster_.run_as_velero({"version", "--timeout", "1ms"}).out,
              HasSubstr("\n<error getting server version: context deadline exceeded>\n"));
}

TEST_F(Version, AsksNobodyForTheClientOnly) {
  EXPECT_THAT(cluster_.run({"version", "--client-only"}).out, Not(HasSubstr("erver")));
}

}  // namespace
}  // namespace landfall::cli
