#include "server/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "io/log_sink.h"
#include "server/listen_address.h"

namespace landfall::server {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ListenAddress, IsReadAsGoReadsIt) {
  EXPECT_EQ(parse_listen_address(":8085").value(), (ListenAddress{.host = "", .port = 8085}));
  EXPECT_EQ(parse_listen_address("127.0.0.1:0").value(), (ListenAddress{.host = "127.0.0.1", .port = 0}));
  EXPECT_EQ(parse_listen_address("localhost:65535").value(), (ListenAddress{.host = "localhost", .port = 65535}));
  EXPECT_EQ(parse_listen_address("[::1]:80").value(), (ListenAddress{.host = "::1", .port = 80}));
}

TEST(ListenAddress, SaysWhatIsWrong) {
  for (const auto& [text, part] :
       std::initializer_list<std::pair<std::string_view, std::string_view>>{{"8085", "no port"},
                                                                            {"", "no port"},
                                                                            {"a:", "not a port"},
                                                                            {":65536", "not a port"},
                                                                            {"::1:80", "brackets"}}) {
    const auto parsed = parse_listen_address(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code(), Code::kInvalid);
    EXPECT_THAT(parsed.error().message(), HasSubstr(std::string(part)));
  }
}

TEST(ListenAddress, BecomesAUrlThatClientsCanRead) {
  EXPECT_EQ(http_url("10.0.0.1", 8086), "http://10.0.0.1:8086");
  EXPECT_EQ(http_url("fd00::1", 8086), "http://[fd00::1]:8086");
}

TEST(ServerOptions, AreGoodByDefault) { EXPECT_TRUE(check(ServerOptions())); }

TEST(ServerOptions, RefuseAControllerThatDoesNotExistAndNameThoseThatDo) {
  const Status checked = check({.disabled_controllers = {"gc", "backups"}});
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().message(), HasSubstr("\"backups\""));
  EXPECT_THAT(checked.error().message(), HasSubstr("backup-queue, backup,"));
}

TEST(ServerOptions, RefuseWhatCannotWork) {
  EXPECT_THAT(check({.metrics_address = "8085"}).error().message(), HasSubstr("--metrics-address"));
  EXPECT_THAT(check({.artifacts_address = "x"}).error().message(), HasSubstr("--artifacts-address"));
  EXPECT_THAT(check({.concurrent_backups = 0}).error().message(), HasSubstr("--concurrent-backups"));
  EXPECT_THAT(check({.client_page_size = -1}).error().message(), HasSubstr("--client-page-size"));
  EXPECT_THAT(check({.uploader_type = "rsync"}).error().message(), HasSubstr("--uploader-type"));
  EXPECT_THAT(check({.resource_timeout = Duration::zero()}).error().message(), HasSubstr("--resource-timeout"));
}

TEST(ServerOptions, SwitchControllersOff) {
  const ServerOptions some{.disabled_controllers = {"gc"}};
  EXPECT_FALSE(is_enabled(some, "gc"));
  EXPECT_TRUE(is_enabled(some, "backup"));

  const ServerOptions restores{.restore_only = true};
  EXPECT_FALSE(is_enabled(restores, "backup"));
  EXPECT_FALSE(is_enabled(restores, "schedule"));
  EXPECT_TRUE(is_enabled(restores, "backup-sync"));
  EXPECT_TRUE(is_enabled(restores, "restore"));
}

TEST(ServerOptions, SayInWhichOrderAndHowToRestore) {
  EXPECT_EQ(restore_priorities({}).value(), selection::RestorePriorities::defaults());
  const auto priorities = restore_priorities({.restore_resource_priorities = {"secrets", "-", "pods"}});
  ASSERT_TRUE(priorities) << priorities.error().message();
  EXPECT_EQ(priorities->high, selection::Names{"secrets"});
  EXPECT_EQ(priorities->low, selection::Names{"pods"});
  EXPECT_FALSE(check({.restore_resource_priorities = {"-", "-"}}));
  EXPECT_FALSE(check({.restore_managed_fields = "never"}));
  EXPECT_TRUE(has_feature({.features = {"EnableCSI"}}, kFeatureCsi));
  EXPECT_FALSE(has_feature({.features = {"EnableCSI"}}, kFeatureApiGroupVersions));
}

TEST(ServerOptions, AreLoggedWithWhatHasNoEffect) {
  const auto sink = std::make_shared<io::MemoryLogSink>();
  log_options({.features = {"EnableCSI", "EnableMagic"},
               .disabled_controllers = {"gc"},
               .repo_maintenance_job_configmap = "jobs"},
              Logger(system_clock(), sink));

  const std::string text = sink->text();
  EXPECT_THAT(text, HasSubstr("features=\"EnableCSI,EnableMagic\""));
  EXPECT_THAT(
      text,
      HasSubstr(
          "not known and has no effect; those known are EnableCSI, EnableAPIGroupVersions\" feature=EnableMagic"));
  EXPECT_THAT(text, HasSubstr("built for restores only, and only in part\" feature=EnableCSI"));
  EXPECT_THAT(text, HasSubstr("controller=gc"));
  EXPECT_THAT(text, HasSubstr("flag=--repo-maintenance-job-configmap"));
  EXPECT_THAT(text, Not(HasSubstr("flag=--restore-resource-priorities")));
}

}  // namespace
}  // namespace landfall::server
