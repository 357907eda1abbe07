#include <gtest/gtest.h>

#include "http/test_server.h"

namespace landfall::http {
namespace {

using std::chrono::milliseconds;
using testing::Answer;
using testing::echo;
using testing::Signal;
using testing::TestClient;
using testing::TestServer;

// Time moves on until the client has something to read.
Answer next_answer(TestServer& server, TestClient& client) {
  server.advance_until([&] { return client.readable(milliseconds(10)); });
  return client.read_answer();
}

TEST(ServerLimits, TellsAClientWhoseHeadComesTooSlowly) {
  TestServer server(echo);
  TestClient client = server.connect();
  // In one piece, so that the second request has begun when the first answer is here.
  client.send("GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHo");
  EXPECT_EQ(client.read_answer().status, 200);
  const Answer answer = next_answer(server, client);
  EXPECT_EQ(answer.status, 408);
  EXPECT_EQ(answer.body, "the request's head did not arrive in time\n");
  EXPECT_TRUE(client.at_end());
}

TEST(ServerLimits, DoesNotCountABytePerTickAsProgress) {
  ServerOptions options;
  options.timeouts.header = std::chrono::seconds(10);
  TestServer server(echo, std::move(options));
  TestClient client = server.connect();
  client.send("GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nX: ");
  EXPECT_EQ(client.read_answer().status, 200);
  // A byte each second never ends a head, and never ends the patience of a server that only looks for silence.
  server.advance_until(
      [&] {
        client.send("x");
        return client.readable(milliseconds(10));
      },
      std::chrono::seconds(1));
  EXPECT_EQ(client.read_answer().status, 408);
}

TEST(ServerLimits, TellsAClientWhoseBodyComesTooSlowly) {
  TestServer server(echo);
  TestClient client = server.connect();
  client.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.read_answer().status, 100);
  client.send("half");
  const Answer answer = next_answer(server, client);
  EXPECT_EQ(answer.status, 408);
  EXPECT_EQ(answer.body, "the request's body did not arrive in time\n");
}

TEST(ServerLimits, ClosesAnIdleConnectionWithoutAWord) {
  TestServer server(echo);
  TestClient fresh = server.connect();
  TestClient used = server.connect();
  EXPECT_EQ(used.ask("GET / HTTP/1.1\r\nHost: h\r\n\r\n").status, 200);
  server.advance_until([&] { return fresh.readable(milliseconds(10)) && used.readable(milliseconds(10)); });
  EXPECT_TRUE(fresh.at_end());
  EXPECT_TRUE(used.at_end());
}

TEST(ServerLimits, LeavesAnAnswerAllTheTimeItNeeds) {
  Signal<std::shared_ptr<Responder>> waiting;
  TestServer server([&](const Request&, const std::shared_ptr<Responder>& responder) { waiting.set(responder); });
  TestClient client = server.connect();
  client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  const auto responder = waiting.wait();
  // Another connection shows that the server has looked at its clock since.
  TestClient idle = server.connect();
  server.clock.advance(std::chrono::hours(24));
  server.advance_until([&] { return idle.readable(milliseconds(10)); });
  responder->send(text(200, "at last"));
  EXPECT_EQ(client.read_answer().body, "at last");
}

TEST(ServerLimits, RefusesLargeHeads) {
  ServerOptions options;
  options.limits.header_bytes = 1000;
  options.limits.header_count = 5;
  TestServer server(echo, std::move(options));
  EXPECT_EQ(server.connect().ask("GET / HTTP/1.1\r\nHost: h\r\nX: " + std::string(2000, 'x')).status, 431);
  EXPECT_EQ(server.connect().ask("GET / HTTP/1.1\r\nHost: h\r\nA:\r\nA:\r\nA:\r\nA:\r\nA:\r\n\r\n").status, 431);
  EXPECT_EQ(server.connect().ask("GET / HTTP/1.1\r\nHost: h\r\nA:\r\nA:\r\nA:\r\nA:\r\n\r\n").status, 200);
}

TEST(ServerLimits, TurnsAwayOneConnectionTooMany) {
  ServerOptions options;
  options.limits.connections = 2;
  TestServer server(echo, std::move(options));
  TestClient first = server.connect();
  TestClient second = server.connect();
  EXPECT_EQ(first.ask("GET / HTTP/1.1\r\nHost: h\r\n\r\n").status, 200);
  EXPECT_EQ(second.ask("GET / HTTP/1.1\r\nHost: h\r\n\r\n").status, 200);
  TestClient third = server.connect();
  const Answer answer = third.read_answer();
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.headers.get("Retry-After"), "1");
  EXPECT_EQ(answer.body, "too many connections\n");
  EXPECT_EQ(first.ask("GET / HTTP/1.1\r\nHost: h\r\n\r\n").status, 200);
  // Room comes back.
  second.ask("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(second.at_end());
  second.close();
  while (server.server.open_connections() > 1) std::this_thread::yield();
  EXPECT_EQ(server.connect().ask("GET / HTTP/1.1\r\nHost: h\r\n\r\n").status, 200);
}

TEST(ServerLimits, SurvivesClientsThatReset) {
  TestServer server(echo);
  for (int i = 0; i < 50; ++i) {
    TestClient client = server.connect();
    client.send(i % 2 == 0 ? "GET / HTTP/1.1\r\nHost: h\r\n\r\n" : "PUT / HTTP/1.1\r\nContent-");
    client.reset();
  }
  EXPECT_EQ(server.connect().ask("GET / HTTP/1.1\r\nHost: h\r\n\r\n").status, 200);
  while (server.server.open_connections() > 0) std::this_thread::yield();
}

}  // namespace
}  // namespace landfall::http
