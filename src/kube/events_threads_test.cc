#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "kube/events.h"
#include "kube/test_client.h"
#include "testkit/scripted_server.h"

namespace landfall::kube {
namespace {

using ::testing::EndsWith;
using ::testing::MatchesRegex;
using testkit::reply;
using testkit::ScriptedConnection;
using testkit::ScriptedRequest;
using testkit::ScriptedServer;

ObjectReference backup() {
  return {.api_version = "velero.io/v1",
          .kind = "Backup",
          .name_space = "velero",
          .name = "nightly",
          .uid = "u-1",
          .resource_version = "7"};
}

EventOptions options() { return {.component = "landfall", .instance = "landfall-0"}; }

bool flush(EventRecorder& recorder) { return recorder.flush(system_clock().after(testkit::kPatience), {}); }

json::Json body_of(const ScriptedRequest& request) { return json::parse(request.body).value(); }

TEST(EventRecorder, WritesAnEventAsKubectlDescribeReadsIt) {
  const ScriptedServer server(ScriptedServer::answering([](const auto&) { return reply(201, "{}"); }));
  const TestClient client(server.url(""));
  SeededRandom random(1);
  EventRecorder recorder(*client, options(), random, Logger());
  recorder.record(backup(), EventType::kWarning, "ItFailed", "because");
  ASSERT_TRUE(flush(recorder));
  const ScriptedRequest request = server.requests().at(0);
  EXPECT_EQ(request.method + " " + request.target, "POST /api/v1/namespaces/velero/events");
  json::Json event = body_of(request);
  EXPECT_THAT(json::string_or(event, {"metadata", "name"}, ""), MatchesRegex("nightly\\.[0-9a-f]{16}"));
  EXPECT_FALSE(json::string_or(event, {"firstTimestamp"}, "").empty());
  EXPECT_EQ(json::string_or(event, {"firstTimestamp"}, "a"), json::string_or(event, {"lastTimestamp"}, "b"));
  for (const char* key : {"metadata", "firstTimestamp", "lastTimestamp"}) event.erase(key);
  EXPECT_EQ(event, json::parse(R"({"apiVersion":"v1","kind":"Event","type":"Warning","reason":"ItFailed",
      "message":"because","count":1,"reportingComponent":"landfall","reportingInstance":"landfall-0",
      "source":{"component":"landfall"},"involvedObject":{"apiVersion":"velero.io/v1","kind":"Backup",
      "namespace":"velero","name":"nightly","uid":"u-1","resourceVersion":"7"}})")
                       .value());
  EXPECT_EQ(recorder.dropped(), 0U);
}

TEST(EventRecorder, CountsUpWhatHappensAgainAndStartsOverWhenTheServerForgot) {
  bool forgot = false;
  const ScriptedServer server(ScriptedServer::answering([&](const ScriptedRequest& request) {
    return request.method == "PATCH" && forgot ? reply(404, "") : reply(200, "{}");
  }));
  const TestClient client(server.url(""));
  SeededRandom random(1);
  EventRecorder recorder(*client, options(), random, Logger());
  ObjectReference about = backup();
  recorder.record(about, EventType::kNormal, "Going", "on");
  about.resource_version = "8";
  recorder.record(about, EventType::kNormal, "Going", "on");
  recorder.record(about, EventType::kNormal, "Going", "elsewhere");
  ASSERT_TRUE(flush(recorder));
  forgot = true;
  recorder.record(about, EventType::kNormal, "Going", "on");
  ASSERT_TRUE(flush(recorder));
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), 5U);
  const std::string name = json::string_or(body_of(requests[0]), {"metadata", "name"}, "");
  EXPECT_EQ(requests[1].method + " " + requests[1].target, "PATCH /api/v1/namespaces/velero/events/" + name);
  EXPECT_EQ(requests[1].header("content-type"), "application/merge-patch+json");
  EXPECT_EQ(json::int_or(body_of(requests[1]), {"count"}, 0), 2);
  EXPECT_EQ(requests[2].method, "POST");
  EXPECT_EQ(requests[3].method, "PATCH");
  EXPECT_EQ(requests[4].method, "POST");
  EXPECT_EQ(json::string_or(body_of(requests[4]), {"metadata", "name"}, ""), name);
  EXPECT_EQ(json::int_or(body_of(requests[4]), {"count"}, 0), 3);
}

TEST(EventRecorder, RemembersNoMoreThanItsLimit) {
  const ScriptedServer server(ScriptedServer::answering([](const auto&) { return reply(200, "{}"); }));
  const TestClient client(server.url(""));
  SeededRandom random(1);
  EventOptions few = options();
  few.max_remembered = 2;
  EventRecorder recorder(*client, few, random, Logger());
  for (const char* reason : {"A", "B", "A", "C", "A", "B"}) {
    recorder.record(backup(), EventType::kNormal, reason, "");
  }
  ASSERT_TRUE(flush(recorder));
  std::string methods;
  for (const auto& request : server.requests()) methods += request.method.substr(0, 2) + " ";
  EXPECT_EQ(methods, "PO PO PA PO PA PO ");
}

TEST(EventRecorder, DropsAndCountsWhenTheServerIsSlowAndStopsInTime) {
  const ScriptedServer server([](ScriptedConnection& c) {
    if (c.read_request()) c.hold();
  });
  const TestClient client(server.url(""));
  SeededRandom random(1);
  EventOptions small = options();
  small.max_queued = 2;
  small.call_timeout = std::chrono::minutes(10);
  small.flush_timeout = std::chrono::milliseconds(100);
  EventRecorder recorder(*client, small, random, Logger());
  recorder.record(backup(), EventType::kNormal, "First", "");
  ASSERT_TRUE(server.await_requests(1));
  for (int i = 0; i < 5; ++i) recorder.record(backup(), EventType::kNormal, "More", std::to_string(i));
  EXPECT_EQ(recorder.dropped(), 3U);
  const SteadyTime before = system_clock().now();
  recorder.stop();
  EXPECT_LT(system_clock().now() - before, std::chrono::seconds(60));
  EXPECT_EQ(recorder.dropped(), 6U);
  recorder.record(backup(), EventType::kNormal, "TooLate", "");
  EXPECT_EQ(recorder.dropped(), 7U);
}

TEST(EventRecorder, WritesWhatIsQueuedBeforeItEnds) {
  const ScriptedServer server(ScriptedServer::answering([](const auto&) { return reply(201, "{}"); }));
  const TestClient client(server.url(""));
  SeededRandom random(1);
  EventOptions patient = options();
  patient.flush_timeout = std::chrono::seconds(60);
  {
    EventRecorder recorder(*client, patient, random, Logger());
    for (int i = 0; i < 20; ++i) recorder.record(backup(), EventType::kNormal, "Step", std::to_string(i));
  }
  EXPECT_EQ(server.requests().size(), 20U);
}

TEST(EventRecorder, CountsWhatTheServerRefusesAndGoesOn) {
  const ScriptedServer server(ScriptedServer::answering([](const ScriptedRequest& request) {
    return request.target.find("/forbidden/") != std::string::npos ? reply(403, "") : reply(201, "{}");
  }));
  const TestClient client(server.url(""));
  SeededRandom random(1);
  EventRecorder recorder(*client, options(), random, Logger());
  ObjectReference about = backup();
  about.name_space = "forbidden";
  recorder.record(about, EventType::kNormal, "A", "");
  about.name_space = "";
  recorder.record(about, EventType::kNormal, "A", "");
  ASSERT_TRUE(flush(recorder));
  EXPECT_EQ(recorder.dropped(), 1U);
  EXPECT_EQ(server.requests().back().target, "/api/v1/namespaces/default/events");
}

TEST(EventRecorder, CutsALongMessageBetweenCharacters) {
  const ScriptedServer server(ScriptedServer::answering([](const auto&) { return reply(201, "{}"); }));
  const TestClient client(server.url(""));
  SeededRandom random(1);
  EventRecorder recorder(*client, options(), random, Logger());
  std::string message = "x";
  for (int i = 0; i < 1000; ++i) message += "ü";
  recorder.record(backup(), EventType::kNormal, "A", message);
  ASSERT_TRUE(flush(recorder));
  const std::string sent = json::string_or(body_of(server.requests().at(0)), {"message"}, "");
  EXPECT_LE(sent.size(), 1024U);
  EXPECT_GE(sent.size(), 1020U);
  EXPECT_THAT(sent, EndsWith("ü..."));
}

TEST(EventName, IsClientGosAndAlwaysValid) {
  SeededRandom random(1);
  const WallTime time{std::chrono::nanoseconds(0x18a1b2c3d4e5f607)};
  EXPECT_EQ(event_name("web", time, random), "web.18a1b2c3d4e5f607");
  EXPECT_THAT(event_name("system:node", time, random), MatchesRegex("[0-9a-f-]{36}\\.18a1b2c3d4e5f607"));
  EXPECT_EQ(event_name(std::string(253, 'a'), time, random).size(), 36U + 17U);
}

}  // namespace
}  // namespace landfall::kube
