#include "kube/watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <thread>

#include "json/json.h"
#include "json/parse.h"
#include "kube/test_client.h"
#include "testkit/scripted_server.h"

namespace landfall::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testkit::reply;
using testkit::ScriptedConnection;
using testkit::ScriptedServer;

constexpr std::string_view kEvents = R"({"type":"ADDED","object":{"metadata":{"name":"a","resourceVersion":"1"}}})"
                                     "\n"
                                     R"({"type":"MODIFIED","object":{"metadata":{"name":"ä","resourceVersion":"2"}}})"
                                     "\n\n"
                                     R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"5"}}})"
                                     "\r\n"
                                     R"({"type":"DELETED","object":{"metadata":{"name":"a","resourceVersion":"6"}}})"
                                     "\n";

// Records events as "0 a" and so on.
struct Recorded {
  OnWatchEvent handler() {
    return [this](WatchEventType type, json::Json& object) -> Result<bool> {
      events.push_back(std::to_string(static_cast<int>(type)) + " " + object["metadata"].value("name", "") + "@" +
                       object["metadata"].value("resourceVersion", ""));
      return events.size() < enough;
    };
  }
  std::vector<std::string> events;
  std::size_t enough = 1000;
};

RC_GTEST_PROP(WatchDecoder, ReadsEventsHoweverTheStreamIsCut, ()) {
  Recorded recorded;
  WatchDecoder decoder(recorded.handler());
  std::string_view rest = kEvents;
  while (!rest.empty()) {
    const auto size = *rc::gen::inRange<std::size_t>(1, 60);
    const std::string_view piece = rest.substr(0, size);
    rest.remove_prefix(piece.size());
    RC_ASSERT(decoder.feed(piece).value());
  }
  RC_ASSERT(recorded.events == (std::vector<std::string>{"0 a@1", "1 ä@2", "3 @5", "2 a@6"}));
}

TEST(WatchDecoder, RefusesWhatIsNoEvent) {
  const auto error_of = [](const std::string& line) {
    Recorded recorded;
    return WatchDecoder(recorded.handler(), 200).feed(line).error();
  };
  EXPECT_EQ(error_of("{\"type\":\n").code(), Code::kDataLoss);
  EXPECT_EQ(error_of("[]\n").code(), Code::kDataLoss);
  EXPECT_EQ(error_of("{\"type\":\"ADDED\",\"object\":7}\n").code(), Code::kDataLoss);
  EXPECT_EQ(error_of("{\"type\":\"EXPLODED\",\"object\":{}}\n").code(), Code::kUnsupported);
  EXPECT_EQ(error_of(std::string(201, ' ')).code(), Code::kTooLarge);
  EXPECT_EQ(error_of(std::string(201, ' ') + "\n").code(), Code::kTooLarge);
  const Error gone =
      error_of(R"({"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old"}})"
               "\n");
  EXPECT_EQ(gone.code(), Code::kGone);
  EXPECT_EQ(gone.message(), "too old");
}

TEST(Watch, AsksForBookmarksFromAVersionOnAndEndsWithTheServer) {
  const ScriptedServer server([](ScriptedConnection& c) {
    if (c.read_request()) c.send(reply(200, kEvents));
  });
  const TestClient client(server.url());
  Recorded recorded;
  const Status ended = watch(
      Resource(*client, {"apps", "v1", "deployments"}, "shop"),
      {.selection = {.label_selector = "a=b"}, .resource_version = "41", .server_timeout = std::chrono::seconds(60)},
      recorded.handler(), {});
  EXPECT_TRUE(ended) << ended.error().message();
  EXPECT_THAT(recorded.events, ElementsAre("0 a@1", "1 ä@2", "3 @5", "2 a@6"));
  EXPECT_EQ(server.requests().at(0).target,
            "/apis/apps/v1/namespaces/shop/deployments?labelSelector=a%3Db&watch=true&allowWatchBookmarks=true"
            "&timeoutSeconds=60&resourceVersion=41");
}

TEST(Watch, ALineCutInTheMiddleIsAnErrorAndNoEvent) {
  const ScriptedServer server([](ScriptedConnection& c) {
    if (c.read_request())
      c.send("HTTP/1.1 200 OK\r\ncontent-length: 4000\r\n\r\n" + std::string(kEvents.substr(0, 100)));
  });
  const TestClient client(server.url());
  Recorded recorded;
  const auto ended = watch(Resource(*client, {"", "v1", "pods"}), {.resource_version = "1"}, recorded.handler(), {});
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code(), Code::kUnavailable);
  EXPECT_THAT(recorded.events, ElementsAre("0 a@1"));
}

TEST(Watch, StopsWhenAskedTo) {
  const ScriptedServer server([](ScriptedConnection& c) {
    if (c.read_request() && c.send("HTTP/1.1 200 OK\r\n\r\n")) c.hold();
  });
  const TestClient client(server.url());
  std::stop_source stop;
  const std::jthread stopper([&] {
    server.await_requests(1);
    stop.request_stop();
  });
  Recorded recorded;
  const auto ended = watch(Resource(*client, {"", "v1", "pods"}), {}, recorded.handler(), stop.get_token());
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code(), Code::kCancelled);
}

}  // namespace
}  // namespace landfall::kube
