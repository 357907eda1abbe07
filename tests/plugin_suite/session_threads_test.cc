#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <thread>

#include "json/json.h"
#include "plugin_suite/test_host.h"

namespace landfall::plugin {
namespace {

using json::Json;
using testing::AllOf;
using testing::HasSubstr;

Json pod(const std::string& name) {
  return {{"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", {{"name", name}, {"namespace", "shop"}}}};
}

const Json kBackup = {{"kind", "Backup"}, {"metadata", {{"name", "nightly"}}}};

std::unique_ptr<extension::BackupItemAction> first_action(Session& session) {
  auto actions = session.backup_item_actions(false, {});
  EXPECT_TRUE(actions) << (actions ? "" : actions.error().message());
  return actions ? std::move(actions->front()) : nullptr;
}

std::unique_ptr<extension::VolumeSnapshotter> snapshotter(Session& session, const std::string& name = "example.io/good",
                                                          const Config& config = {{"mark", "m1"}}) {
  auto opened = session.volume_snapshotter(name, config, {});
  EXPECT_TRUE(opened) << (opened ? "" : opened.error().message());
  return opened ? *std::move(opened) : nullptr;
}

TEST(PluginSession, ACrashInACallFailsTheCallAndNamesThePluginAndHowItEnded) {
  TestHost test({"good"});
  Session session = test.session();
  const auto action = first_action(session);
  const auto result = action->execute(pod("crash"), kBackup, {});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Code::kUnavailable);
  EXPECT_THAT(result.error().message(), AllOf(HasSubstr("plugin example.io/good: Execute"),
                                              HasSubstr(test.path("good")), HasSubstr("ended by signal 9")));
}

TEST(PluginSession, APluginKilledDuringCreateSnapshotIsAnErrorAndTheNextCallWorks) {
  TestHost test({"good"});
  Session session = test.session();
  const auto volumes = snapshotter(session);
  const auto died = volumes->create_snapshot("die", "", {}, {});
  ASSERT_FALSE(died);
  EXPECT_THAT(died.error().message(), AllOf(HasSubstr("CreateSnapshot"), HasSubstr("ended by signal 9")));
  // The new process was told again what the old one was told: it would know no mark otherwise.
  const auto next = volumes->create_snapshot("v", "", {}, {});
  ASSERT_TRUE(next) << next.error().message();
  EXPECT_EQ(*next, "m1/v");
  EXPECT_EQ(test.log().wait_for("a plugin has ended and is started again").level, LogLevel::kWarning);
}

TEST(PluginSession, AProcessThatIsKilledBetweenCallsIsStartedAgain) {
  TestHost test({"good"});
  Session session = test.session();
  const auto volumes = snapshotter(session);
  const std::string before = volumes->create_snapshot("pid", "", {}, {}).value_or("0");
  ASSERT_EQ(::kill(std::stoi(before), SIGKILL), 0);
  // The call may meet the dying process; the one after that does not.
  static_cast<void>(volumes->create_snapshot("v", "", {}, {}));
  // Unless the machine takes longer to end a process than an error waits for that.
  const SteadyTime patience = system_clock().after(std::chrono::minutes(1));
  while (::kill(std::stoi(before), 0) == 0 && system_clock().now() < patience) {
    system_clock().sleep_for(std::chrono::milliseconds(5), {});
  }
  const auto after = volumes->create_snapshot("v", "", {}, {});
  ASSERT_TRUE(after) << after.error().message();
  EXPECT_EQ(*after, "m1/v");
  EXPECT_NE(volumes->create_snapshot("pid", "", {}, {}).value_or(before), before);
}

TEST(PluginSession, OneProcessServesAllOfASession) {
  TestHost test({"good"});
  Session session = test.session();
  const auto one = snapshotter(session);
  const auto other = snapshotter(session);
  EXPECT_EQ(one->create_snapshot("pid", "", {}, {}).value_or("1"),
            other->create_snapshot("pid", "", {}, {}).value_or("2"));
  Session second = test.session();
  EXPECT_NE(one->create_snapshot("pid", "", {}, {}).value_or("1"),
            snapshotter(second)->create_snapshot("pid", "", {}, {}).value_or("2"));
}

TEST(PluginSession, AStopEndsACallThatHangs) {
  TestHost test({"good"});
  Session session = test.session();
  const auto volumes = snapshotter(session);
  std::stop_source source;
  std::jthread stopper([&] { source.request_stop(); });
  const auto result = volumes->create_snapshot("hang", "", {}, source.get_token());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Code::kCancelled);
}

TEST(PluginSession, FailedStartsAreGivenUpAtLast) {
  TestHost test({"good"});
  Session session = test.session();
  const auto volumes = snapshotter(session);
  std::filesystem::remove(test.path("good"));
  static_cast<void>(volumes->create_snapshot("die", "", {}, {}));
  std::string last;
  // One more than it takes: the first may still meet the process that is dying.
  for (int i = 0; i < 12; ++i) last = volumes->create_snapshot("v", "", {}, {}).error().message();
  EXPECT_THAT(last, HasSubstr("could not be started 10 times in a row"));
}

TEST(PluginSession, WhatWasOpenedKeepsItsProcess) {
  TestHost test({"good"});
  auto session = std::make_unique<Session>(test.session());
  const auto volumes = snapshotter(*session);
  session.reset();
  EXPECT_TRUE(volumes->create_snapshot("v", "", {}, {}));
}

TEST(PluginSession, EndsItsProcessesAndLeavesNothingBehind) {
  TestHost test({"good", "plain", "stubborn"}, {.exit_limit = std::chrono::milliseconds(300)});
  std::vector<int> processes;
  {
    Session session = test.session();
    for (const char* name : {"example.io/good", "example.io/plain", "example.io/stubborn"}) {
      const auto volumes = snapshotter(session, name);
      processes.push_back(std::stoi(volumes->create_snapshot("pid", "", {}, {}).value_or("0")));
    }
  }
  for (const int pid : processes) EXPECT_NE(::kill(pid, 0), 0) << pid;
  EXPECT_THAT(test.left_sockets(), testing::IsEmpty());
}

TEST(PluginSession, LogsOfPluginsAreThoseOfTheOperation) {
  TestHost test({"good"});
  Session session = test.session();
  const auto action = first_action(session);
  ASSERT_TRUE(action->execute(pod("log"), kBackup, {}));
  const LogEntry line = test.log().wait_for("a plugin speaks");
  EXPECT_EQ(line.level, LogLevel::kWarning);
  std::map<std::string, std::string> texts;
  for (const LogField& field : line.fields) {
    if (const auto* text = std::get_if<std::string>(&field.value)) texts[field.key] = *text;
  }
  EXPECT_EQ(texts["cmd"], test.path("good"));
  EXPECT_EQ(texts["pluginName"], "good");
  EXPECT_EQ(texts["logSource"], "main.go:7");
}

TEST(PluginSession, StandardOutputIsDrained) {
  TestHost test({"good", "loud"});
  Session session = test.session();
  EXPECT_TRUE(snapshotter(session, "example.io/loud")->create_snapshot("v", "", {}, {}));
  EXPECT_TRUE(first_action(session)->execute(pod("chatty"), kBackup, {}));
}

TEST(PluginSession, AnswersOverFourMebibytesArrive) {
  TestHost test({"good"});
  Session session = test.session();
  const auto result = first_action(session)->execute(pod("big"), kBackup, {});
  ASSERT_TRUE(result) << result.error().message();
  ASSERT_NE(result->changed, nullptr);
  EXPECT_EQ((*result->changed)["data"]["x"].get_ref<const std::string&>().size(), 6U << 20U);
}

TEST(PluginSession, ManyThreadsCallAtOnceThroughADeath) {
  TestHost test({"good"});
  Session session = test.session();
  const auto action = first_action(session);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&, i] {
        for (int n = 0; n < 20; ++n) {
          const auto result = action->execute(pod(i == 3 && n == 10 ? "crash" : "web"), kBackup, {});
          // Calls beside the one that kills may die with it; nothing else may go wrong.
          EXPECT_TRUE(result || result.error().code() == Code::kUnavailable) << result.error().message();
        }
      });
    }
  }
  EXPECT_TRUE(action->execute(pod("web"), kBackup, {}));
}

TEST(PluginSession, AProviderThatNobodyHasIsUnsupportedAndSaysWhatThereIs) {
  TestHost test({"good"});
  Session session = test.session();
  const auto opened = session.object_store("velero.io/gcp", {}, {});
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), Code::kUnsupported);
  EXPECT_THAT(opened.error().message(), AllOf(HasSubstr("\"velero.io/gcp\""), HasSubstr("example.io/good")));
}

}  // namespace
}  // namespace landfall::plugin
