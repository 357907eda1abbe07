#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <fstream>
#include <future>
#include <thread>
#include <vector>

#include "base/guarded.h"
#include "base/manual_clock.h"
#include "io/fake_process.h"
#include "io/process.h"
#include "kube/connection.h"
#include "testkit/gate.h"
#include "testkit/temp_dir.h"

namespace landfall::kube {
namespace {

constexpr int kThreads = 8;

Config config_with_plugin() {
  Config config;
  config.origin = "test";
  config.server = "https://10.0.0.1";
  config.exec = ExecPlugin{.api_version = "client.authentication.k8s.io/v1", .command = "login"};
  return config;
}

std::string token(int run) {
  return R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"run )" +
         std::to_string(run) + R"(","expirationTimestamp":"2030-01-01T01:00:00Z"}})";
}

std::string authorization(Connection& connection, const std::stop_token& stop = {}) {
  const auto identity = connection.identity(stop);
  return identity ? std::string(*(*identity)->headers.get("Authorization")) : identity.error().message();
}

class ConnectionThreads : public testing::Test {
 protected:
  void SetUp() override {
    processes_.add("login", [this](io::FakeProcess& process) -> Result<int> {
      const int run = ++runs_;
      started_.open();
      if (!may_answer_.await(process.stop)) {
        return fail(Code::kCancelled, "stopped");
      }
      process.out(token(run));
      return 0;
    });
    auto connection = Connection::create(config_with_plugin(), Environment(), processes_, clock_, Logger());
    ASSERT_TRUE(connection) << connection.error().message();
    connection_ = *std::move(connection);
  }

  ManualClock clock_;
  io::FakeProcessRunner processes_;
  std::atomic<int> runs_ = 0;
  testkit::Gate started_;
  testkit::Gate may_answer_;
  std::unique_ptr<Connection> connection_;
};

TEST_F(ConnectionThreads, RunsThePluginOnceForAllWhoWait) {
  Guarded<std::vector<std::string>> answers;
  {
    std::vector<std::jthread> threads;
    threads.reserve(kThreads);
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        const std::string answer = authorization(*connection_);
        answers.with([&](auto& all) { all.push_back(answer); });
      });
    }
    clock_.await_waiters(kThreads - 1);
    may_answer_.open();
  }
  EXPECT_EQ(answers.copy(), std::vector<std::string>(kThreads, "Bearer run 1"));
  EXPECT_EQ(runs_, 1);
}

TEST_F(ConnectionThreads, LetsAnotherRunThePluginWhenTheFirstIsStopped) {
  // On the heap: on the stack g++ 12 takes it for uninitialized.
  const auto first_stop = std::make_unique<std::stop_source>();
  std::stop_source waiter_stop;
  std::string first;
  std::string second;
  std::string stopped;
  {
    const std::jthread runs([&] { first = authorization(*connection_, first_stop->get_token()); });
    ASSERT_TRUE(started_.await());
    const std::jthread waits([&] { second = authorization(*connection_); });
    {
      const std::jthread gives_up([&] { stopped = authorization(*connection_, waiter_stop.get_token()); });
      clock_.await_waiters(2);
      waiter_stop.request_stop();
    }
    EXPECT_EQ(stopped, "test: stopped while the credentials were renewed");
    first_stop->request_stop();
    may_answer_.open();
  }
  EXPECT_EQ(first, "test: stopped while the credentials were renewed");
  EXPECT_EQ(second, "Bearer run 2");
}

TEST_F(ConnectionThreads, DoesNotWaitForThePluginPastTheDeadlineOfACall) {
  auto patient = std::async(std::launch::async, [&] { return authorization(*connection_); });
  ASSERT_TRUE(started_.await());
  auto impatient =
      std::async(std::launch::async, [&] { return connection_->identity({}, clock_.after(std::chrono::seconds(5))); });
  clock_.await_waiters(1);
  clock_.advance(std::chrono::seconds(6));
  const auto identity = impatient.get();
  may_answer_.open();
  ASSERT_FALSE(identity);
  EXPECT_EQ(identity.error().code(), Code::kTimeout) << identity.error().message();
  EXPECT_EQ(patient.get(), "Bearer run 1") << "that one call was impatient says nothing of the plugin";
}

TEST_F(ConnectionThreads, UsesTheOldTokenWhileANewOneIsFetched) {
  may_answer_.open();
  EXPECT_EQ(authorization(*connection_), "Bearer run 1");
  testkit::Gate slow_started;
  testkit::Gate slow_may_end;
  processes_.add("login", [&](io::FakeProcess& process) -> Result<int> {
    slow_started.open();
    slow_may_end.await(process.stop);
    process.out(token(7));
    return 0;
  });
  clock_.advance(std::chrono::minutes(59) + std::chrono::seconds(1));
  {
    const std::jthread renews([&] { EXPECT_EQ(authorization(*connection_), "Bearer run 7"); });
    ASSERT_TRUE(slow_started.await());
    EXPECT_EQ(authorization(*connection_), "Bearer run 1");
    slow_may_end.open();
  }
  EXPECT_EQ(authorization(*connection_), "Bearer run 7");
}

TEST(ConnectionPluginThreads, EndsAPluginThatHangs) {
  const testkit::TempDir dir;
  const std::string started = dir.path() / "started";
  ASSERT_EQ(::mkfifo(started.c_str(), S_IRWXU), 0);
  const auto processes = io::make_system_process_runner(system_clock());
  Config config = config_with_plugin();
  config.exec->command = "sh";
  config.exec->args = {"-c", "trap '' TERM; echo > " + started + "; sleep 600 & sleep 600"};
  const auto connection = Connection::create(config, Environment(), *processes, system_clock(), Logger());
  ASSERT_TRUE(connection) << connection.error().message();
  std::stop_source stop;
  std::string said;
  {
    const std::jthread waits([&] { said = authorization(**connection, stop.get_token()); });
    std::ifstream(started).get();  // comes back once the plugin has opened it, too
    stop.request_stop();
  }
  EXPECT_EQ(said, "test: stopped while the credentials were renewed");
}

TEST(ConnectionFilesThreads, HandsOutWholeTokensWhileTheFileChanges) {
  const testkit::TempDir dir;
  ManualClock clock;
  io::FakeProcessRunner processes;
  Config config;
  config.origin = "test";
  config.server = "https://10.0.0.1";
  config.token_file = dir.write("token", "token 0");
  auto connection = Connection::create(config, Environment(), processes, clock, Logger());
  ASSERT_TRUE(connection);
  {
    std::vector<std::jthread> threads;
    threads.reserve(kThreads);
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
          const auto identity = (*connection)->identity({});
          ASSERT_TRUE(identity);
          ASSERT_TRUE((*identity)->headers.get("Authorization")->starts_with("Bearer token "));
          (*connection)->reject(*identity);
        }
      });
    }
    for (int i = 1; i <= 100; ++i) {
      dir.write("next", "token " + std::to_string(i));
      std::filesystem::rename(dir.path() / "next", dir.path() / "token");
      clock.advance(std::chrono::seconds(1));
    }
  }
  EXPECT_EQ(authorization(**connection), "Bearer token 100");
}

}  // namespace
}  // namespace landfall::kube
