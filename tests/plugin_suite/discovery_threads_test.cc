#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "plugin_suite/test_host.h"

namespace landfall::plugin {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(PluginDiscovery, ListsWhatAProgramHasUnderTheFileThatWasFound) {
  TestHost test({"good"});
  const Registry found = test.discover();
  EXPECT_THAT(found.warnings, IsEmpty());
  ASSERT_THAT(found.plugins, SizeIs(8));
  EXPECT_EQ(found.plugins.front(),
            (PluginId{.kind = "BackupItemAction", .name = "example.io/good", .command = test.path("good")}));
  EXPECT_NE(found.find(kind::kBackupItemActionV2, "example.io/good-v2"), nullptr);
  EXPECT_EQ(found.find(kind::kBackupItemActionV2, "example.io/good"), nullptr);
  EXPECT_THAT(found.names(kind::kObjectStore), ElementsAre("example.io/good"));
}

TEST(PluginDiscovery, NoDirectoryIsNoPlugins) {
  TestHost test({});
  const Registry found = test.host().discover("/no/such/directory", test.logger(), {});
  EXPECT_THAT(found.plugins, IsEmpty());
  EXPECT_THAT(found.warnings, IsEmpty());
}

TEST(PluginDiscovery, AStrayFileIsAWarning) {
  TestHost test({"good"});
  test.directory().write("README.txt", "read me");
  const auto script = test.directory().write("sub/tool", "#!/bin/sh\necho usage: tool FILE\n");
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  const auto binary = test.directory().write("sub/lib.so",
                                             "\x7f"
                                             "ELF nonsense");
  std::filesystem::permissions(binary, std::filesystem::perms::owner_all);
  const Registry found = test.discover();
  EXPECT_THAT(found.plugins, SizeIs(8));
  EXPECT_THAT(found.warnings,
              ElementsAre(AllOf(HasSubstr("README.txt"), HasSubstr("not executable")), HasSubstr("lib.so"),
                          AllOf(HasSubstr("tool"), HasSubstr("usage: tool FILE"))));
  EXPECT_EQ(test.log().wait_for("not used as a plugin").level, LogLevel::kWarning);
}

TEST(PluginDiscovery, GarbageBeforeTheHandshakeIsShown) {
  TestHost test({"garbage", "good"});
  const Registry found = test.discover();
  EXPECT_THAT(found.plugins, SizeIs(8));
  EXPECT_THAT(found.warnings, ElementsAre(AllOf(HasSubstr("garbage"), HasSubstr("libfancy 1.0 (c) somebody"))));
}

TEST(PluginDiscovery, AProgramThatNeverAnswersIsGivenUp) {
  TestHost test({"endless", "silent"}, {.start_limit = std::chrono::milliseconds(300)});
  const Registry found = test.discover();
  EXPECT_THAT(found.plugins, IsEmpty());
  EXPECT_THAT(found.warnings, ElementsAre(AllOf(HasSubstr("endless"), HasSubstr("no handshake within 1 s")),
                                          AllOf(HasSubstr("silent"), HasSubstr("no handshake within 1 s"))));
}

TEST(PluginDiscovery, AListThatNeverComesIsGivenUp) {
  TestHost test({"mute"}, {.first_call_limit = std::chrono::milliseconds(300)});
  const Registry found = test.discover();
  EXPECT_THAT(found.plugins, IsEmpty());
  EXPECT_THAT(found.warnings, ElementsAre(AllOf(HasSubstr("mute"), HasSubstr("ListPlugins"))));
}

TEST(PluginDiscovery, HowAProgramEndedIsSaid) {
  TestHost test({"exits"});
  EXPECT_THAT(test.discover().warnings,
              ElementsAre(AllOf(HasSubstr("exit status 3"), HasSubstr("no configuration found"))));
}

TEST(PluginDiscovery, OfTwoOfANameTheFirstCounts) {
  TestHost test({"duplicate", "good", "twice"});
  const Registry found = test.discover();
  EXPECT_EQ(found.find(kind::kObjectStore, "example.io/good")->command, test.path("duplicate"));
  EXPECT_THAT(found.warnings,
              Contains(AllOf(HasSubstr(test.path("good")), HasSubstr("ObjectStore example.io/good is there already"))));
  EXPECT_THAT(found.warnings, Contains(AllOf(HasSubstr(test.path("twice")), HasSubstr("is there already"))));
}

TEST(PluginDiscovery, UnknownKindsAndBadNamesLeaveTheRestAlone) {
  TestHost test({"bad-name", "unknown-kind"});
  const Registry found = test.discover();
  EXPECT_THAT(found.plugins, SizeIs(16));
  EXPECT_THAT(found.warnings, ElementsAre(HasSubstr("\"no-prefix\" is no name of a plugin"),
                                          HasSubstr("\"example.io/beam\" is of the unknown kind \"Teleporter\"")));
}

TEST(PluginDiscovery, LeavesNothingBehind) {
  TestHost test({"good", "garbage", "plain", "stubborn"}, {.exit_limit = std::chrono::milliseconds(200)});
  test.discover();
  EXPECT_THAT(test.left_sockets(), testing::IsEmpty());
}

}  // namespace
}  // namespace landfall::plugin
