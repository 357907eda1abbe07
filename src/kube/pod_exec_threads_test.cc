#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "base/manual_clock.h"
#include "io/test_support.h"
#include "io/test_websocket.h"
#include "kube/api_status.h"
#include "kube/pod_exec.h"
#include "kube/test_client.h"
#include "testkit/scripted_server.h"

namespace landfall::kube {
namespace {

using io::TestWebSocket;
using io::WebSocketOpcode;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testkit::reply;
using testkit::ScriptedConnection;
using testkit::ScriptedServer;
using std::string_literals::operator""s;

constexpr const char* kV5 = "v5.channel.k8s.io";
constexpr const char* kV4 = "v4.channel.k8s.io";
const std::string kSuccess = "\3{\"metadata\":{},\"status\":\"Success\"}";

std::string failure(const std::string& reason, const std::string& more) {
  return "\3"
         R"({"kind":"Status","status":"Failure","message":"it went wrong","reason":")" +
         reason + "\"" + more + "}";
}

ExecRequest date() {
  return {.name_space = "shop",
          .pod = "db-0",
          .container = "main",
          .command = {"date", "+%s a&b"},
          .timeout = testkit::kPatience};
}

// What a command came to, and what it wrote.
struct Ran {
  Result<ExecOutcome> outcome;
  std::string out;
  std::string err;
};

Ran run_on(const ScriptedServer& server, const ExecRequest& request, const std::stop_token& stop = {}) {
  const TestClient client(server.url(""));
  Ran ran{.outcome = ExecOutcome{}};
  ran.outcome = exec_in_pod(*client, request,
                            {.on_stdout = [&](std::string_view bytes) -> Status {
                               ran.out += bytes;
                               return {};
                             },
                             .on_stderr = [&](std::string_view bytes) -> Status {
                               ran.err += bytes;
                               return {};
                             }},
                            stop);
  return ran;
}

// The same against a server that grants the upgrade and then does this.
Ran run(const std::function<void(TestWebSocket&)>& then, const ExecRequest& request = date(),
        const std::string& protocol = kV5) {
  const ScriptedServer server([&](ScriptedConnection& c) {
    TestWebSocket peer(c);
    if (peer.accept(protocol)) then(peer);
  });
  return run_on(server, request);
}

TEST(PodExec, HandsOutBothStreamsAndTheExitCode) {
  const ScriptedServer server([](ScriptedConnection& c) {
    TestWebSocket peer(c);
    if (!peer.accept(kV4)) return;
    for (const char channel : {'\0', '\1', '\2', '\3'}) peer.send(std::string(1, channel));
    peer.send("\1one ");
    peer.send("\2oops");
    peer.send("\1two");
    peer.send(failure("NonZeroExitCode", R"(,"details":{"causes":[{"reason":"ExitCode","message":"3"}]})"));
    peer.send("\1 late");
    peer.send(WebSocketOpcode::kClose, "\x03\xe8");
  });
  const Ran ran = run_on(server, date());
  ASSERT_TRUE(ran.outcome) << ran.outcome.error().message();
  EXPECT_EQ(ran.outcome->exit_code, 3);
  EXPECT_EQ(ran.out, "one two late");
  EXPECT_EQ(ran.err, "oops");
  const auto request = server.requests().at(0);
  EXPECT_EQ(request.target,
            "/api/v1/namespaces/shop/pods/db-0/exec?container=main&command=date&command=%2B%25s%20a%26b&stdout=true&"
            "stderr=true");
  EXPECT_EQ(request.header("Authorization"), "Bearer secret-token");
  EXPECT_EQ(request.header("Sec-WebSocket-Protocol"), "v5.channel.k8s.io, v4.channel.k8s.io");
}

TEST(PodExec, SendsTheInputAndItsEnd) {
  const std::string text(std::size_t{300} * 1024, 'i');
  io::StringReader input(text);
  ExecRequest request = date();
  request.input = &input;
  std::string received;
  std::string end;
  const Ran ran = run(
      [&](TestWebSocket& peer) {
        while (const auto frame = peer.read()) {
          if (frame->payload.front() != '\0') {
            end = frame->payload;
            break;
          }
          received += frame->payload.substr(1);
        }
        peer.send(kSuccess);
      },
      request);
  ASSERT_TRUE(ran.outcome) << ran.outcome.error().message();
  EXPECT_EQ(ran.outcome->exit_code, 0);
  EXPECT_EQ(received, text);
  EXPECT_EQ(end, "\xff\0"s);
}

TEST(PodExec, RefusesInputThatMustEndWhereTheServerCannotEndIt) {
  io::StringReader input("x");
  ExecRequest request = date();
  request.input = &input;
  // As golang.org/x/net/websocket refuses: a body that ends with the connection.
  const ScriptedServer server([](ScriptedConnection& c) {
    if (c.read_request()) {
      c.send("HTTP/1.1 403 Forbidden\r\n\r\nrequested protocol(s) are not supported: [v5.channel.k8s.io]");
    }
  });
  const Ran ran = run_on(server, request);
  ASSERT_FALSE(ran.outcome);
  EXPECT_EQ(ran.outcome.error().code(), Code::kUnsupported);
  EXPECT_THAT(ran.outcome.error().message(),
              AllOf(HasSubstr("exec in pod shop/db-0: "), HasSubstr("cannot end a command's input")));
  EXPECT_EQ(server.requests().at(0).header("Sec-WebSocket-Protocol"), kV5);
}

TEST(PodExec, SendsInputThatNeedNotEndToAnOldServer) {
  io::StringReader input("x");
  ExecRequest request = date();
  request.input = &input;
  request.needs_end_of_input = false;
  const Ran ran = run(
      [](TestWebSocket& peer) {
        if (const auto frame = peer.read()) peer.send("\1" + frame->payload.substr(1));
        peer.send(kSuccess);
      },
      request, kV4);
  ASSERT_TRUE(ran.outcome) << ran.outcome.error().message();
  EXPECT_EQ(ran.out, "x");
}

TEST(PodExec, AnInputThatFailsIsTheError) {
  io::StepReader input("abcdef", 2, 4);
  ExecRequest request = date();
  request.input = &input;
  const Ran ran = run(
      [](TestWebSocket& peer) {
        while (peer.read()) {
        }
      },
      request);
  ASSERT_FALSE(ran.outcome);
  EXPECT_EQ(ran.outcome.error().message(), "exec in pod shop/db-0: read the input: connection cut");
}

TEST(PodExec, ACommandThatCannotStartIsAnErrorWithTheServersWords) {
  const Ran ran = run([](TestWebSocket& peer) { peer.send(failure("InternalError", R"(,"code":500)")); });
  ASSERT_FALSE(ran.outcome);
  EXPECT_EQ(ran.outcome.error().message(), "exec in pod shop/db-0: it went wrong");
  ASSERT_NE(ran.outcome.error().detail<ApiStatus>(), nullptr);
  EXPECT_EQ(ran.outcome.error().detail<ApiStatus>()->reason, "InternalError");
}

TEST(PodExec, ARefusedUpgradeIsTheServersStatus) {
  const ScriptedServer server([](ScriptedConnection& c) {
    if (c.read_request()) {
      c.send(reply(404, R"({"kind":"Status","code":404,"reason":"NotFound","message":"pods \"db-0\" not found"})"));
    }
    c.hold();
  });
  const Ran ran = run_on(server, date());
  ASSERT_FALSE(ran.outcome);
  EXPECT_EQ(ran.outcome.error().code(), Code::kNotFound);
  EXPECT_EQ(ran.outcome.error().message(), "exec in pod shop/db-0: pods \"db-0\" not found");
  EXPECT_EQ(ran.outcome.error().detail<ApiStatus>()->reason, "NotFound");
}

TEST(PodExec, IsTriedAgainAfterAServerTurnedItAwayButNotAfterItMayHaveRun) {
  const ScriptedServer busy([](ScriptedConnection& c) {
    if (c.index() == 0) {
      if (c.read_request()) c.send(reply(429, "", {{"Retry-After", "0"}}));
      return;
    }
    TestWebSocket peer(c);
    if (peer.accept(kV5)) peer.send(kSuccess);
  });
  EXPECT_TRUE(run_on(busy, date()).outcome);
  EXPECT_EQ(busy.connections(), 2);

  const ScriptedServer dying([](ScriptedConnection& c) { c.read_request(); });
  const Ran ran = run_on(dying, date());
  ASSERT_FALSE(ran.outcome);
  EXPECT_EQ(ran.outcome.error().code(), Code::kUnavailable);
  EXPECT_EQ(dying.connections(), 1);
}

TEST(PodExec, AnEndWithoutAResultIsUnavailable) {
  for (const bool says_why : {false, true}) {
    const Ran ran = run([&](TestWebSocket& peer) {
      peer.send("\1half");
      if (says_why) peer.send(WebSocketOpcode::kClose, "\x03\xf3kubelet gone");
    });
    ASSERT_FALSE(ran.outcome);
    EXPECT_EQ(ran.outcome.error().code(), Code::kUnavailable);
    EXPECT_THAT(ran.outcome.error().message(), HasSubstr("before the command's result came"));
    EXPECT_EQ(ran.out, "half");
  }
}

TEST(PodExec, AResultWithoutACloseIsAResult) {
  const Ran ran = run([&](TestWebSocket& peer) {
    peer.send(kSuccess);
    while (peer.read()) {
    }
  });
  ASSERT_TRUE(ran.outcome) << ran.outcome.error().message();
}

TEST(PodExec, AResultLargerThanItsLimitIsRefused) {
  const Ran ran = run([](TestWebSocket& peer) {
    peer.send("\3{" + std::string(200000, ' '));
    peer.send("\3" + std::string(200000, ' '));
    (void)peer.read();
  });
  ASSERT_FALSE(ran.outcome);
  EXPECT_EQ(ran.outcome.error().code(), Code::kTooLarge);
}

TEST(PodExec, ATimeoutSaysThatTheCommandMayGoOn) {
  ManualClock clock;
  io::StringReader input("x");
  ExecRequest request = date();
  request.input = &input;
  request.timeout = std::chrono::milliseconds(300);
  const ScriptedServer server([&](ScriptedConnection& c) {
    TestWebSocket peer(c);
    // Time passes once the input comes: until then the connection was not up.
    if (!peer.accept(kV5) || !peer.read()) return;
    clock.advance(request.timeout);
    while (peer.read()) {
    }
  });
  const TestClient client(server.url(""), TestClient::quick(), clock);
  const auto outcome = exec_in_pod(*client, request, {}, {});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code(), Code::kTimeout);
  EXPECT_EQ(outcome.error().message(),
            "exec in pod shop/db-0: no result within 300ms; the command may still be running");
}

TEST(PodExec, AStopEndsItWhateverTheServerDoes) {
  for (const bool upgraded : {false, true}) {
    const ScriptedServer server([&](ScriptedConnection& c) {
      if (upgraded ? TestWebSocket(c).accept(kV5) : c.read_request().has_value()) c.hold();
    });
    std::stop_source stop;
    SteadyTime stopped_at;
    std::jthread stopper([&] {
      ASSERT_TRUE(server.await_requests(1));
      stopped_at = system_clock().now();
      stop.request_stop();
    });
    ExecRequest patient = date();
    patient.timeout = std::chrono::minutes(10);
    const Ran ran = run_on(server, patient, stop.get_token());
    const SteadyTime now = system_clock().now();
    stopper.join();
    ASSERT_FALSE(ran.outcome);
    EXPECT_EQ(ran.outcome.error().code(), Code::kCancelled);
    EXPECT_LT(now - stopped_at, std::chrono::seconds(60));
  }
}

TEST(PodExec, AnErrorOfTheOneWhoListensEndsIt) {
  const ScriptedServer server([](ScriptedConnection& c) {
    TestWebSocket peer(c);
    if (!peer.accept(kV5)) return;
    peer.send("\1too much");
    while (peer.read()) {
    }
  });
  const TestClient client(server.url(""));
  const auto outcome = exec_in_pod(
      *client, date(), {.on_stdout = [](std::string_view) -> Status { return fail(Code::kTooLarge, "enough"); }}, {});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message(), "exec in pod shop/db-0: enough");
}

TEST(PodExec, WantsACommandAndAName) {
  const TestClient client("http://127.0.0.1:1");
  EXPECT_EQ(exec_in_pod(*client, {.name_space = "shop", .pod = "db-0"}, {}, {}).error().code(), Code::kInvalid);
  EXPECT_EQ(exec_in_pod(*client, {.name_space = "shop", .pod = "../x", .command = {"ls"}}, {}, {}).error().code(),
            Code::kInvalid);
}

}  // namespace
}  // namespace landfall::kube
