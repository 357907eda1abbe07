#include "kube/client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/manual_clock.h"
#include "io/file.h"
#include "kube/api_status.h"
#include "kube/test_client.h"
#include "kube/unreachable.h"
#include "testkit/scripted_server.h"
#include "testkit/temp_dir.h"

namespace landfall::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testkit::Gate;
using testkit::reply;
using testkit::ScriptedConnection;
using testkit::ScriptedRequest;
using testkit::ScriptedServer;

std::string status_body(int code, const std::string& reason, const std::string& message,
                        const std::string& details = "{}") {
  return R"({"kind":"Status","apiVersion":"v1","status":"Failure","code":)" + std::to_string(code) + R"(,"reason":")" +
         reason + R"(","message":")" + message + R"(","details":)" + details + "}";
}

// Answers with the replies one after the other, then with 200.
ScriptedServer::Script in_turn(std::atomic<int>& count, std::vector<std::string> replies) {
  return ScriptedServer::answering([&count, replies = std::move(replies)](const ScriptedRequest&) {
    const auto turn = static_cast<std::size_t>(count++);
    return turn < replies.size() ? replies[turn] : reply(200, "{}");
  });
}

TEST(Client, SendsWhatTheCallSays) {
  const ScriptedServer server(ScriptedServer::answering([](const ScriptedRequest&) {
    return reply(200, "done", {{"Warning", R"(299 - "old \"thing\"")"}, {"Warning", "199 - \"not ours\""}});
  }));
  std::vector<std::string> heard;
  ClientOptions options = TestClient::quick();
  options.on_warning = [&](std::string_view text) { heard.emplace_back(text); };
  const TestClient client(server.url("/prefix/"), options);

  const auto answer = client->call(
      {.method = "POST", .path = "/api/v1/namespaces", .query = {{"fieldManager", "a&b"}}, .body = "{}"}, {});
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(answer->body, "done");
  EXPECT_THAT(answer->warnings, ElementsAre("old \"thing\""));
  EXPECT_EQ(heard, answer->warnings);
  const ScriptedRequest request = server.requests().at(0);
  EXPECT_EQ(request.target, "/prefix/api/v1/namespaces?fieldManager=a%26b");
  EXPECT_EQ(request.header("Authorization"), "Bearer secret-token");
  EXPECT_EQ(request.header("Content-Type"), "application/json");
  EXPECT_EQ(request.body, "{}");
}

struct ErrorCase {
  int status;
  std::string reason;
  Code code;
};

TEST(Client, TurnsAStatusIntoOurCodeAndKeepsItsDetails) {
  const std::vector<ErrorCase> cases = {
      {401, "Unauthorized", Code::kUnauthenticated},
      {403, "Forbidden", Code::kForbidden},
      {404, "NotFound", Code::kNotFound},
      {409, "AlreadyExists", Code::kAlreadyExists},
      {409, "Conflict", Code::kConflict},
      {410, "Expired", Code::kGone},
      {410, "", Code::kGone},
      {422, "Invalid", Code::kInvalid},
      {429, "TooManyRequests", Code::kThrottled},
      {500, "InternalError", Code::kInternal},
      {503, "ServiceUnavailable", Code::kUnavailable},
      {504, "Timeout", Code::kTimeout},
  };
  for (const ErrorCase& each : cases) {
    SCOPED_TRACE(each.status);
    const std::string details =
        R"({"name":"db","group":"apps","kind":"deployments","uid":"u-1","causes":[)"
        R"({"reason":"FieldValueInvalid","message":"must be positive","field":"spec.replicas"}]})";
    const ScriptedServer server(ScriptedServer::answering([&](const ScriptedRequest&) {
      return reply(each.status, status_body(each.status, each.reason, "it is so", details));
    }));
    const TestClient client(server.url());
    const auto answer = client->call({.method = "PUT", .path = "/x"}, {});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code(), each.code);
    EXPECT_EQ(answer.error().message(), each.status == 401 ? "the test: PUT /x: it is so" : "PUT /x: it is so");
    const auto* status = answer.error().detail<ApiStatus>();
    ASSERT_NE(status, nullptr);
    EXPECT_EQ(status->http_status, each.status);
    EXPECT_EQ(status->reason, each.reason);
    EXPECT_EQ(status->kind, "deployments");
    ASSERT_EQ(status->causes.size(), 1U);
    EXPECT_EQ(status->causes[0].field, "spec.replicas");
  }
}

TEST(Client, AnErrorThatIsNoStatusShowsItsBeginning) {
  const ScriptedServer server(ScriptedServer::answering(
      [](const ScriptedRequest&) { return reply(404, "<html>no such page" + std::string(5000, 'x')); }));
  const auto answer = TestClient(server.url())->call({.path = "/x"}, {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), Code::kNotFound);
  EXPECT_THAT(answer.error().message(), HasSubstr("GET /x: the server answered 404: \"<html>no such page"));
  EXPECT_LT(answer.error().message().size(), 400U);
}

TEST(Client, RepeatsReadsThatFailInPassing) {
  for (const int status : {429, 500, 502, 503, 504}) {
    SCOPED_TRACE(status);
    std::atomic<int> count = 0;
    const ScriptedServer server(in_turn(count, {reply(status, "no"), reply(status, "no")}));
    EXPECT_TRUE(TestClient(server.url())->call({.path = "/x"}, {}));
    EXPECT_EQ(count, 3);
  }
}

TEST(Client, WithFewTriesWaitsForOneConnectionOnly) {
  ManualClock clock;
  const ScriptedServer server([&](ScriptedConnection& connection) {
    connection.read_some();
    clock.advance(std::chrono::seconds(8));  // and no handshake in all that time
  });
  ClientOptions options = TestClient::quick();
  options.max_retries = 4;
  const std::string url = "https://127.0.0.1:" + std::to_string(server.port());
  const TestClient client(url, options, clock);
  const auto answer = client->call({.path = "/version"}, {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(server.connections(), 1);
  const auto* detail = answer.error().detail<Unreachable>();
  ASSERT_NE(detail, nullptr);
  EXPECT_EQ(detail->server, url);
  EXPECT_EQ(detail->origin, "the test");
  EXPECT_EQ(detail->what, "GET " + url + "/version: " + detail->reason);
}

TEST(Client, DoesNotRepeatAWriteThatMayHaveTakenEffect) {
  for (const int status : {500, 503, 504}) {
    std::atomic<int> count = 0;
    const ScriptedServer server(in_turn(count, {reply(status, "no")}));
    EXPECT_FALSE(TestClient(server.url())->call({.method = "POST", .path = "/x", .body = "{}"}, {}));
    EXPECT_EQ(count, 1) << status;
  }
  int connections = 0;
  const ScriptedServer cut([&](ScriptedConnection& c) {
    ++connections;
    if (c.read_request()) c.close();
  });
  const auto answer = TestClient(cut.url())->call({.method = "POST", .path = "/x", .body = "{}"}, {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), Code::kUnavailable);
  EXPECT_EQ(cut.connections(), 1);
}

TEST(Client, RepeatsAWriteThatWasRefusedOrIsRepeatable) {
  std::atomic<int> count = 0;
  const ScriptedServer refusing(in_turn(count, {reply(429, "later"), reply(503, "soon", {{"Retry-After", "0"}})}));
  EXPECT_TRUE(TestClient(refusing.url())->call({.method = "POST", .path = "/x", .body = "{}"}, {}));
  EXPECT_EQ(count, 3);

  std::atomic<int> patches = 0;
  const ScriptedServer failing(in_turn(patches, {reply(503, "no")}));
  EXPECT_TRUE(
      TestClient(failing.url())->call({.method = "PATCH", .path = "/x", .body = "{}", .is_repeatable = true}, {}));
  EXPECT_EQ(patches, 2);
}

TEST(Client, WaitsAsLongAsRetryAfterSays) {
  std::atomic<int> count = 0;
  const ScriptedServer server(in_turn(count, {reply(429, "later", {{"Retry-After", "1"}})}));
  const SteadyTime began = system_clock().now();
  EXPECT_TRUE(TestClient(server.url())->call({.path = "/x"}, {}));
  EXPECT_GE(system_clock().now() - began, std::chrono::seconds(1));
}

TEST(Client, GivesUpAtOnceWhenRetryAfterIsBeyondTheDeadline) {
  std::atomic<int> count = 0;
  const ScriptedServer server(in_turn(count, {reply(429, "later", {{"Retry-After", "3000"}})}));
  const auto answer = TestClient(server.url())->call({.path = "/x"}, {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), Code::kThrottled);
  EXPECT_EQ(answer.error().detail<ApiStatus>()->retry_after, std::chrono::seconds(3000));
  EXPECT_EQ(count, 1);
}

TEST(Client, ABodyOverTheCapIsTooLargeAndNotAskedForAgain) {
  std::atomic<int> count = 0;
  const ScriptedServer server(in_turn(count, {reply(200, std::string(5000, ' '))}));
  const auto answer = TestClient(server.url())->call({.path = "/x", .max_body = 4096}, {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), Code::kTooLarge);
  EXPECT_EQ(count, 1);
}

TEST(Client, AnAnswerWithoutAnEndIsTooLarge) {
  const ScriptedServer server([](ScriptedConnection& c) {
    if (!c.read_request() || !c.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")) return;
    while (c.send("400\r\n" + std::string(1024, ' ') + "\r\n")) {
    }
  });
  ClientOptions options = TestClient::quick();
  options.max_body = 64UL * 1024;
  const auto answer = TestClient(server.url(), options)->call({.path = "/x"}, {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), Code::kTooLarge);
}

TEST(Client, TriesOnceMoreWithAFreshTokenWhenTheServerRefusesTheOld) {
  const testkit::TempDir dir;
  const std::string file = dir.path() / "token";
  ASSERT_TRUE(io::write_file(file, "old"));
  std::atomic<int> refused = 0;
  const ScriptedServer server(ScriptedServer::answering([&](const ScriptedRequest& request) {
    if (request.header("Authorization") == "Bearer new") {
      return reply(200, "{}");
    }
    ++refused;
    EXPECT_TRUE(io::write_file(file, "new"));  // the kubelet has replaced it meanwhile
    return reply(401, status_body(401, "Unauthorized", "Unauthorized"));
  }));
  Config config;
  config.server = server.url();
  config.token_file = file;
  io::FakeProcessRunner processes;
  const auto connection = Connection::create(config, Environment(), processes, system_clock(), Logger()).value();
  SeededRandom random(1);
  Client client(*connection, TestClient::quick(), system_clock(), random, Logger());
  const auto answer = client.call({.method = "POST", .path = "/x", .body = "{}"}, {});
  EXPECT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(refused, 1);
}

TEST(Client, AServerThatNeverAnswersCostsTheTimeoutAndNoMore) {
  const ScriptedServer server([](ScriptedConnection& c) { c.hold(); });
  const auto answer = TestClient(server.url())->call({.path = "/x", .timeout = std::chrono::milliseconds(50)}, {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), Code::kTimeout);
}

TEST(Client, StopsWhateverItWaitsFor) {
  const ScriptedServer silent([](ScriptedConnection& c) {
    if (c.read_request()) c.hold();
  });
  std::atomic<int> count = 0;
  const ScriptedServer refusing(in_turn(count, std::vector<std::string>(9, reply(429, "", {{"Retry-After", "300"}}))));
  for (const ScriptedServer* server : {&silent, &refusing}) {
    const TestClient client(server->url());
    std::stop_source stop;
    const std::jthread stopper([&] {
      server->await_requests(1);
      stop.request_stop();
    });
    const SteadyTime began = system_clock().now();
    const auto answer = client->call({.path = "/x", .timeout = std::chrono::minutes(10)}, stop.get_token());
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code(), Code::kCancelled);
    EXPECT_LT(system_clock().now() - began, std::chrono::seconds(60));
  }
}

TEST(Client, KeepsToARateWhenToldTo) {
  std::atomic<int> count = 0;
  const ScriptedServer server(in_turn(count, {}));
  ClientOptions options = TestClient::quick();
  options.qps = 20;
  options.burst = 2;
  const TestClient client(server.url(), options);
  const SteadyTime began = system_clock().now();
  for (int i = 0; i < 6; ++i) {
    EXPECT_TRUE(client->call({.path = "/x"}, {}));
  }
  EXPECT_GE(system_clock().now() - began, std::chrono::milliseconds(190)) << "two at once, then one every 50 ms";
}

TEST(ClientStream, HandsOutWhatComesUntilTheHandlerHasEnough) {
  const ScriptedServer server([](ScriptedConnection& c) {
    if (c.read_request() && c.send("HTTP/1.1 200 OK\r\n\r\none\ntwo\n")) c.hold();
  });
  std::string got;
  const Status ended = TestClient(server.url())
                           ->stream({.path = "/x"}, std::chrono::seconds(20),
                                    [&](std::string_view bytes) -> Result<bool> {
                                      got += bytes;
                                      return !got.ends_with("two\n");
                                    },
                                    {});
  EXPECT_TRUE(ended);
  EXPECT_EQ(got, "one\ntwo\n");
}

TEST(ClientStream, RetriesTheOpeningButNotWhatBreaksLater) {
  std::atomic<int> count = 0;
  const ScriptedServer server([&](ScriptedConnection& c) {
    while (c.read_request()) {
      if (++count < 3) {
        c.send(reply(503, "not yet"));
      } else {
        c.send("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\ncut");
        return c.close();
      }
    }
  });
  const auto ended =
      TestClient(server.url())
          ->stream({.path = "/x"}, std::chrono::seconds(20), [](std::string_view) -> Result<bool> { return true; }, {});
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code(), Code::kUnavailable);
  EXPECT_EQ(count, 3);
}

TEST(ClientStream, AnErrorIsReadAsAStatus) {
  const ScriptedServer server(ScriptedServer::answering(
      [](const ScriptedRequest&) { return reply(410, status_body(410, "Expired", "too old resource version")); }));
  const auto ended =
      TestClient(server.url())
          ->stream({.path = "/x"}, std::chrono::seconds(20), [](std::string_view) -> Result<bool> { return true; }, {});
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code(), Code::kGone);
}

TEST(ClientStream, OneThatNeverOpensEndsByItsTimeout) {
  const ScriptedServer server([](ScriptedConnection& c) { c.hold(); });
  const auto ended = TestClient(server.url())
                         ->stream({.path = "/x", .timeout = std::chrono::milliseconds(50)}, std::chrono::minutes(5),
                                  [](std::string_view) -> Result<bool> { return true; }, {});
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code(), Code::kTimeout);
}

}  // namespace
}  // namespace landfall::kube
