// Commands, logs and servers in a real pod, through a real API server, kubelet and container runtime.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/environment.h"
#include "base/random.h"
#include "io/process.h"
#include "io/stream.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "kube/api_status.h"
#include "kube/client.h"
#include "kube/config.h"
#include "kube/connection.h"
#include "kube/events.h"
#include "kube/pod_exec.h"
#include "kube/pod_logs.h"
#include "kube/resource.h"
#include "kube/reviews.h"
#include "kube/service_proxy.h"

namespace landfall::kube {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;

constexpr const char* kNamespace = "default";
constexpr const char* kPod = "landfall-exec";

// One pod for all tests here: it says something, and serves what it has in /www. tests/real/pod_runs has started the
// node it runs on.
class RealPod : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    const auto kubeconfig = Environment::of_process().get("LANDFALL_REAL_NODE_KUBECONFIG");
    if (!kubeconfig) {
      return;
    }
    shared.processes = io::make_system_process_runner(system_clock());
    auto config = load_config({.kubeconfig = *kubeconfig, .context = ""}, Environment());
    ASSERT_TRUE(config) << config.error().message();
    auto connection = Connection::create(*config, Environment(), *shared.processes, system_clock(), Logger());
    ASSERT_TRUE(connection) << connection.error().message();
    shared.connection = *std::move(connection);
    shared.client =
        std::make_unique<Client>(*shared.connection, ClientOptions{}, system_clock(), system_random(), Logger());
    const auto pod = json::parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"landfall-exec"},
        "spec":{"terminationGracePeriodSeconds":0,"containers":[{"name":"main","image":"docker.io/library/busybox:test",
        "imagePullPolicy":"Never","command":["sh","-c",
        "echo land; echo ahoy; mkdir /www; echo served > '/www/a b'; exec httpd -f -p 8080 -h /www"]}]}})");
    const Resource pods(*shared.client, {.group = "", .version = "v1", .resource = "pods"}, kNamespace);
    (void)pods.remove(kPod, {}, {.grace_period_seconds = 0});
    const auto created = pods.create(*pod, {});
    ASSERT_TRUE(created) << created.error().message();
    for (int i = 0; i < 300; ++i) {
      const auto now = pods.get(kPod, {});
      if (now && json::string_or(*now, {"status", "phase"}, "") == "Running") {
        return;
      }
      system_clock().sleep_for(std::chrono::milliseconds(200), {});
    }
    FAIL() << "the pod did not start within a minute";
  }

  static void TearDownTestSuite() {
    if (shared.client) {
      const Resource pods(*shared.client, {.group = "", .version = "v1", .resource = "pods"}, kNamespace);
      (void)pods.remove(kPod, {}, {.grace_period_seconds = 0});
    }
    shared.client.reset();
    shared.connection.reset();
    shared.processes.reset();
  }

  void SetUp() override {
    if (!shared.client) {
      GTEST_SKIP() << "no node: tests/real/pod_runs starts one and runs this";
    }
  }

  struct Ran {
    Result<ExecOutcome> outcome = ExecOutcome{};
    std::string out;
    std::string err;
  };
  static ExecRequest shell(const std::string& script) {
    return {.name_space = kNamespace, .pod = kPod, .command = {"sh", "-c", script}, .timeout = seconds(60)};
  }
  static Ran run(const ExecRequest& request) {
    Ran ran;
    ran.outcome = exec_in_pod(*shared.client, request,
                              {.on_stdout = [&](std::string_view bytes) -> Status {
                                 ran.out += bytes;
                                 return {};
                               },
                               .on_stderr = [&](std::string_view bytes) -> Status {
                                 ran.err += bytes;
                                 return {};
                               }},
                              {});
    return ran;
  }

  struct Shared {
    std::unique_ptr<io::ProcessRunner> processes;
    std::unique_ptr<Connection> connection;
    std::unique_ptr<Client> client;
  };
  static inline Shared shared;
};

TEST_F(RealPod, RunsACommandAndTellsItsOutputAndItsExitCode) {
  const Ran ran = run(shell("echo \"o & o\"; echo eee >&2; exit 3"));
  ASSERT_TRUE(ran.outcome) << ran.outcome.error().message();
  EXPECT_EQ(ran.outcome->exit_code, 3);
  EXPECT_EQ(ran.out, "o & o\n");
  EXPECT_EQ(ran.err, "eee\n");
  EXPECT_EQ(run(shell("true")).outcome.value().exit_code, 0);
}

TEST_F(RealPod, PassesInputOnAndEndsIt) {
  std::string text;
  while (text.size() < std::size_t{3} << 20U) {
    text += "line " + std::to_string(text.size()) + "\n";
  }
  io::StringReader input(text);
  ExecRequest request = shell("");
  request.command = {"cat"};
  request.input = &input;
  const Ran ran = run(request);
  ASSERT_TRUE(ran.outcome) << ran.outcome.error().message();
  EXPECT_EQ(ran.outcome->exit_code, 0);
  EXPECT_TRUE(ran.out == text) << ran.out.size() << " bytes came back of " << text.size();
}

// No more than fits into a pipe: with megabytes of it the node, and kubectl with it, waits for ever.
TEST_F(RealPod, DoesNotMindACommandThatLeavesItsInput) {
  const std::string text(std::size_t{16} * 1024, 'x');
  io::StringReader input(text);
  ExecRequest request = shell("head -c 3; exit 7");
  request.input = &input;
  const Ran ran = run(request);
  ASSERT_TRUE(ran.outcome) << ran.outcome.error().message();
  EXPECT_EQ(ran.outcome->exit_code, 7);
  EXPECT_EQ(ran.out, "xxx");
}

TEST_F(RealPod, ReadsTwentyMebibytesWithoutLosingOne) {
  const Ran ran = run(shell("dd if=/dev/zero bs=1048576 count=20 2>/dev/null"));
  ASSERT_TRUE(ran.outcome) << ran.outcome.error().message();
  EXPECT_EQ(ran.out.size(), std::size_t{20} << 20U);
}

TEST_F(RealPod, GivesUpACommandThatTakesTooLong) {
  ExecRequest request = shell("sleep 60");
  request.timeout = seconds(2);
  const SteadyTime before = system_clock().now();
  const Ran ran = run(request);
  ASSERT_FALSE(ran.outcome);
  EXPECT_EQ(ran.outcome.error().code(), Code::kTimeout);
  EXPECT_LT(system_clock().now() - before, seconds(4));
}

TEST_F(RealPod, SaysWhyACommandCannotRun) {
  ExecRequest request = shell("");
  request.command = {"no-such-program"};
  const Ran ran = run(request);
  ASSERT_FALSE(ran.outcome);
  EXPECT_THAT(ran.outcome.error().message(), HasSubstr("no-such-program"));

  request.container = "no-such-container";
  const Ran elsewhere = run(request);
  ASSERT_FALSE(elsewhere.outcome);
  EXPECT_EQ(elsewhere.outcome.error().code(), Code::kInvalid);
  EXPECT_THAT(elsewhere.outcome.error().message(), HasSubstr("container no-such-container is not valid"));

  request.pod = "no-such-pod";
  const Ran nowhere = run(request);
  ASSERT_FALSE(nowhere.outcome);
  EXPECT_EQ(nowhere.outcome.error().code(), Code::kNotFound);
}

TEST_F(RealPod, ShowsItsLog) {
  std::string log;
  const auto append = [&](std::string_view bytes) -> Result<bool> {
    log += bytes;
    return true;
  };
  const Status status =
      read_pod_log(*shared.client, {.name_space = kNamespace, .pod = kPod, .tail_lines = 1}, append, {});
  ASSERT_TRUE(status) << status.error().message();
  EXPECT_EQ(log, "ahoy\n");

  log.clear();
  const Status followed = read_pod_log(*shared.client, {.name_space = kNamespace, .pod = kPod, .follow = true},
                                       [&](std::string_view bytes) -> Result<bool> {
                                         log += bytes;
                                         return log.find("ahoy\n") == std::string::npos;
                                       },
                                       {});
  ASSERT_TRUE(followed) << followed.error().message();
  EXPECT_EQ(log, "land\nahoy\n");
}

TEST_F(RealPod, IsReachedThroughTheProxy) {
  const ProxyTarget target{.kind = ProxyTarget::Kind::kPod, .name_space = kNamespace, .name = kPod, .port = "8080"};
  const auto answer = call_through_proxy(*shared.client, target, {.path = "/a b", .accept = "*/*"}, {});
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(answer->body, "served\n");
  const auto missing = call_through_proxy(*shared.client, target, {.path = "/nothing", .accept = "*/*"}, {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code(), Code::kNotFound);
}

TEST_F(RealPod, HasItsEventsCountedUp) {
  const Resource pods(*shared.client, {.group = "", .version = "v1", .resource = "pods"}, kNamespace);
  const auto pod = pods.get(kPod, {});
  ASSERT_TRUE(pod) << pod.error().message();
  {
    EventRecorder recorder(*shared.client, {.component = "landfall-test"}, system_random(), Logger());
    for (int i = 0; i < 3; ++i) {
      recorder.record(reference_to(*pod), EventType::kWarning, "Tested", "three times");
    }
    ASSERT_TRUE(recorder.flush(system_clock().after(seconds(30)), {}));
    EXPECT_EQ(recorder.dropped(), 0U);
  }
  const Resource events(*shared.client, {.group = "", .version = "v1", .resource = "events"}, kNamespace);
  const auto list = events.list(
      {.field_selector = "reason=Tested,involvedObject.uid=" + json::string_or(*pod, {"metadata", "uid"}, "")}, {});
  ASSERT_TRUE(list) << list.error().message();
  ASSERT_EQ(list->items.size(), 1U);
  EXPECT_EQ(json::int_or(list->items[0], {"count"}, 0), 3);
  EXPECT_EQ(json::string_or(list->items[0], {"reportingComponent"}, ""), "landfall-test");
}

TEST_F(RealPod, IsWhereTokensAndRightsAreReviewed) {
  const auto admin = review_token(*shared.client, "admintoken", {}, {});
  ASSERT_TRUE(admin) << admin.error().message();
  EXPECT_TRUE(admin->is_authenticated);
  EXPECT_THAT(admin->user.groups, testing::Contains("system:masters"));
  EXPECT_FALSE(review_token(*shared.client, "nonsense", {}, {}).value().is_authenticated);
  const Action exec{.verb = "create", .resource = "pods", .subresource = "exec", .name_space = kNamespace};
  EXPECT_TRUE(review_access(*shared.client, admin->user, exec, {}).value().is_allowed);
  EXPECT_FALSE(review_access(*shared.client, {.username = "viewer"}, exec, {}).value().is_allowed);
  EXPECT_TRUE(review_own_access(*shared.client, {.verb = "get", .path = "/metrics"}, {}).value().is_allowed);
}

}  // namespace
}  // namespace landfall::kube
