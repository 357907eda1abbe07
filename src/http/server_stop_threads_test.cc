#include <gtest/gtest.h>

#include <thread>

#include "http/test_server.h"

namespace landfall::http {
namespace {

using testing::Answer;
using testing::echo;
using testing::Signal;
using testing::TestClient;
using testing::TestServer;

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";

TEST(ServerStop, ClosesIdleConnectionsAtOnce) {
  TestServer server(echo);
  TestClient used = server.connect();
  TestClient fresh = server.connect();
  EXPECT_EQ(used.ask(kGet).status, 200);
  EXPECT_TRUE(server.server.stop(kNever));
  EXPECT_TRUE(used.at_end());
  EXPECT_TRUE(fresh.at_end());
  EXPECT_THROW(server.connect(), std::runtime_error);
}

TEST(ServerStop, WaitsForTheAnswersUnderWay) {
  Signal<std::shared_ptr<Responder>> waiting;
  TestServer server([&](const Request&, const std::shared_ptr<Responder>& responder) { waiting.set(responder); });
  TestClient client = server.connect();
  TestClient idle = server.connect();
  client.send(kGet);
  const auto responder = waiting.wait();
  Signal<bool> stopped;
  std::jthread stopper([&] { stopped.set(server.server.stop(kNever)); });
  EXPECT_TRUE(idle.at_end());  // the stop has begun
  EXPECT_FALSE(stopped.is_set());
  responder->begin({});
  (void)responder->write("the end");
  responder->finish();
  const Answer answer = client.read_answer();
  EXPECT_EQ(answer.body, "the end");
  EXPECT_EQ(answer.headers.get("Connection"), "close");
  client.close();
  EXPECT_TRUE(stopped.wait());
}

TEST(ServerStop, CutsStreamsAtTheDeadline) {
  Signal<std::shared_ptr<Responder>> waiting;
  Signal<bool> gone;
  TestServer server([&](const Request&, const std::shared_ptr<Responder>& responder) {
    responder->on_close([&] { gone.set(true); });
    responder->begin({});
    waiting.set(responder);
  });
  TestClient client = server.connect();
  client.send(kGet);
  EXPECT_EQ(client.read_answer(true).status, 200);
  Signal<bool> stopped;
  std::jthread stopper([&] { stopped.set(server.server.stop(server.clock.after(std::chrono::seconds(10)))); });
  server.clock.await_waiters(1);
  EXPECT_FALSE(gone.is_set());
  server.clock.advance(std::chrono::seconds(11));
  EXPECT_FALSE(stopped.wait());
  EXPECT_TRUE(gone.wait());
  EXPECT_TRUE(client.at_end());
  // The responder outlives the server's loops.
  EXPECT_EQ(waiting.wait()->write("too late"), WriteResult::kClosed);
}

TEST(ServerStop, LetsAPipelineFinishOnlyTheAnswerUnderWay) {
  Signal<std::shared_ptr<Responder>> waiting;
  TestServer server([&](const Request&, const std::shared_ptr<Responder>& responder) { waiting.set(responder); });
  TestClient client = server.connect();
  TestClient idle = server.connect();
  client.send(std::string(kGet) + std::string(kGet));
  const auto responder = waiting.wait();
  std::jthread stopper([&] { server.server.stop(kNever); });
  EXPECT_TRUE(idle.at_end());
  responder->send(text(200, "one"));
  EXPECT_EQ(client.read_answer().body, "one");
  EXPECT_TRUE(client.at_end());
  client.close();
}

TEST(ServerStop, IsDoneByTheDestructorToo) {
  Signal<std::shared_ptr<Responder>> waiting;
  std::optional<TestServer> server;
  server.emplace([&](const Request&, const std::shared_ptr<Responder>& responder) { waiting.set(responder); });
  TestClient client = server->connect();
  client.send(kGet);
  const auto responder = waiting.wait();
  server.reset();
  EXPECT_TRUE(client.at_end());
  responder->send(text(200, "into the void"));
  EXPECT_TRUE(responder->closed());
}

TEST(ServerStop, SurvivesAnswersThatComeWhileItCuts) {
  for (int round = 0; round < 20; ++round) {
    Monitor<std::vector<std::shared_ptr<Responder>>> held;
    std::optional<TestServer> server;
    server.emplace([&](const Request&, const std::shared_ptr<Responder>& responder) {
      held.update([&](auto& all) { all.push_back(responder); });
    });
    std::vector<TestClient> clients;
    for (int i = 0; i < 10; ++i) {
      clients.push_back(server->connect());
      clients.back().send(kGet);
    }
    ASSERT_TRUE(held.wait_until(system_clock(), {}, system_clock().after(std::chrono::seconds(60)),
                                [](const auto& all) { return all.size() == 10; }));
    auto all = held.update([](auto& kept) { return std::exchange(kept, {}); });
    std::jthread answering([&] {
      for (auto& responder : all) responder->send(text(200, "x"));
      all.clear();
    });
    server.reset();
  }
}

TEST(ServerStop, CanBeCalledTwiceAndBeforeTheStart) {
  Server never({}, echo, system_clock(), {});
  EXPECT_TRUE(never.stop(kNever));
  EXPECT_FALSE(never.start());
  TestServer server(echo);
  EXPECT_TRUE(server.server.stop(kNever));
  EXPECT_TRUE(server.server.stop(kNever));
}

}  // namespace
}  // namespace landfall::http
