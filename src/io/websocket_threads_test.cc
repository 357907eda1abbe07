#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "base/guarded.h"
#include "base/manual_clock.h"
#include "io/test_websocket.h"
#include "io/websocket.h"
#include "testkit/scripted_server.h"
#include "testkit/test_certificates.h"

// Both sides of a WebSocket, each on its own thread.

namespace landfall::io {
namespace {

using ::testing::HasSubstr;
using testkit::Gate;
using testkit::reply;
using testkit::ScriptedConnection;
using testkit::ScriptedServer;
using testkit::ScriptedTls;
using End = WebSocket::End;

HttpResult<std::unique_ptr<WebSocket>> open(const ScriptedServer& server, HttpClient& client,
                                            WebSocketOptions options = {}, const std::stop_token& stop = {}) {
  return WebSocket::open(client,
                         {.url = server.url("/x?y=1"),
                          .headers = {{"Authorization", "Bearer t"}},
                          .deadline = system_clock().after(testkit::kPatience)},
                         options, system_random(), stop);
}

// What the upgrade came to when the server does this.
HttpResult<std::unique_ptr<WebSocket>> upgrade(const ScriptedServer::Script& script, WebSocketOptions options = {}) {
  const ScriptedServer server(script);
  return open(server, *HttpClient::create({}).value(), std::move(options));
}

// What a run came to when the server does this after the upgrade; the messages go to `seen`.
Result<End> run(const std::function<void(TestWebSocket&, ScriptedConnection&)>& then, std::string& seen,
                std::size_t max_message = 1000) {
  const ScriptedServer server([&](ScriptedConnection& c) {
    TestWebSocket peer(c);
    if (peer.accept()) then(peer, c);
  });
  const auto client = HttpClient::create({}).value();
  auto socket = open(server, *client, {.max_message = max_message});
  if (!socket) {
    return tl::unexpected<Error>(socket.error());
  }
  return (*socket)->run({.on_message = [&](std::string_view message) -> Result<bool> {
                          seen += "[" + std::string(message) + "]";
                          return true;
                        }},
                        system_clock().after(testkit::kPatience), {});
}

TEST(WebSocket, EchoesOverTlsWithTheHeadersAndTheProtocolOfTheRequest) {
  const testkit::TestCertificates certificates;
  const auto identity = certificates.server();
  const ScriptedServer server(
      [](ScriptedConnection& c) {
        TestWebSocket peer(c);
        if (!peer.accept("second")) return;
        if (const auto frame = peer.read()) peer.send("echo " + frame->payload);
        peer.send(WebSocketOpcode::kClose, "\x03\xe8thanks");
        (void)peer.read();
      },
      ScriptedTls{.certificate_pem = identity.certificate, .key_pem = identity.key});
  const auto client = HttpClient::create({.tls = {.ca_pem = certificates.ca()}, .http2 = true}).value();
  auto socket = open(server, *client, {.protocols = {"first", "second"}});
  ASSERT_TRUE(socket) << socket.error().message();
  EXPECT_EQ((*socket)->protocol(), "second");
  std::string seen;
  bool asked = false;
  const auto end =
      (*socket)->run({.on_message = [&](std::string_view message) -> Result<bool> {
                        seen = message;
                        return true;
                      },
                      .next_message = [&]() -> Result<std::optional<std::string>> {
                        return std::exchange(asked, true) ? std::nullopt : std::optional<std::string>("hello");
                      }},
                     system_clock().after(testkit::kPatience), {});
  ASSERT_TRUE(end) << end.error().message();
  EXPECT_EQ(*end, End::kClosed);
  EXPECT_EQ((*socket)->closing().reason, "thanks");
  EXPECT_EQ(seen, "echo hello");
  const auto request = server.requests().at(0);
  EXPECT_EQ(request.target, "/x?y=1");
  EXPECT_EQ(request.header("Authorization"), "Bearer t");
  EXPECT_EQ(request.header("Sec-WebSocket-Protocol"), "first, second");
}

TEST(WebSocket, GoesThroughATunnelOfTheProxyEvenWithoutTls) {
  const ScriptedServer proxy([](ScriptedConnection& c) {
    const auto connect = c.read_head();
    if (!connect || connect->method != "CONNECT" || !c.send("HTTP/1.1 200 Fine\r\n\r\n")) return;
    TestWebSocket peer(c);
    if (peer.accept()) peer.send("through");
  });
  HttpClientOptions options;
  options.proxy = HttpProxy::fixed("http://127.0.0.1:" + std::to_string(proxy.port())).value();
  const auto client = HttpClient::create(std::move(options)).value();
  auto socket = WebSocket::open(*client, {.url = "http://far.example:81/"}, {}, system_random(), {});
  ASSERT_TRUE(socket) << socket.error().message();
  std::string seen;
  const auto end = (*socket)->run({.on_message = [&](std::string_view message) -> Result<bool> {
                                    seen = message;
                                    return false;
                                  }},
                                  system_clock().after(testkit::kPatience), {});
  EXPECT_EQ(end.value(), End::kHandler);
  EXPECT_EQ(seen, "through");
  EXPECT_EQ(proxy.requests().at(0).target, "far.example:81");
  EXPECT_EQ(proxy.requests().at(1).header("Host"), "far.example:81");
}

TEST(WebSocket, ReadsFramesThatComeWithTheAnswerInPiecesAndByteByByte) {
  const std::string frames = TestWebSocket::frame(WebSocketOpcode::kText, "one") +
                             TestWebSocket::frame(WebSocketOpcode::kBinary, "tw", false) +
                             TestWebSocket::frame(WebSocketOpcode::kPing, "") +
                             TestWebSocket::frame(WebSocketOpcode::kContinuation, "o");
  for (const bool drips : {false, true}) {
    const ScriptedServer server([&](ScriptedConnection& c) {
      const auto request = c.read_request();
      if (!request) return;
      const std::string bytes = TestWebSocket::grant(*request, "") + frames;
      drips ? c.drip(bytes) : c.send(bytes);
      TestWebSocket(c).read();  // the pong: closed before it has come, the connection would be reset
    });
    const auto client = HttpClient::create({}).value();
    auto socket = open(server, *client);
    ASSERT_TRUE(socket) << socket.error().message();
    std::string seen;
    const auto end = (*socket)->run({.on_message = [&](std::string_view message) -> Result<bool> {
                                      seen += "[" + std::string(message) + "]";
                                      return true;
                                    }},
                                    system_clock().after(testkit::kPatience), {});
    ASSERT_TRUE(end) << end.error().message();
    EXPECT_EQ(*end, End::kCut);
    EXPECT_EQ(seen, "[one][two]");
  }
}

TEST(WebSocket, AnswersAPingWithItsPayload) {
  std::string seen;
  const auto end = run(
      [](TestWebSocket& peer, ScriptedConnection&) {
        peer.send(WebSocketOpcode::kPing, "are you there");
        const auto pong = peer.read();
        if (pong && pong->opcode == WebSocketOpcode::kPong) peer.send(pong->payload);
      },
      seen);
  EXPECT_EQ(end.value(), End::kCut);
  EXPECT_EQ(seen, "[are you there]");
}

// A server that writes without reading, and a client that does the same, would wait for each other for ever.
void write_both_ways(const std::optional<ScriptedTls>& tls, const std::string& authority) {
  constexpr std::size_t kPieces = 256;
  const std::string piece(std::size_t{64} * 1024, 'x');
  std::size_t received_by_server = 0;
  const ScriptedServer server(
      [&](ScriptedConnection& c) {
        TestWebSocket peer(c);
        if (!peer.accept()) return;
        for (std::size_t i = 0; i < kPieces; ++i) {
          if (!peer.send(piece)) return;
        }
        for (std::size_t i = 0; i < kPieces; ++i) {
          const auto frame = peer.read();
          if (!frame || frame->payload != piece) return;
          received_by_server += frame->payload.size();
        }
      },
      tls);
  const auto client = HttpClient::create({.tls = {.ca_pem = authority}}).value();
  auto socket = open(server, *client);
  ASSERT_TRUE(socket) << socket.error().message();
  std::size_t received = 0;
  std::size_t given = 0;
  const auto end = (*socket)->run({.on_message = [&](std::string_view message) -> Result<bool> {
                                     received += message.size();
                                     return true;
                                   },
                                   .next_message = [&]() -> Result<std::optional<std::string>> {
                                     return given++ < kPieces ? std::optional(piece) : std::nullopt;
                                   }},
                                  system_clock().after(testkit::kPatience), {});
  ASSERT_TRUE(end) << end.error().message();
  EXPECT_EQ(received, kPieces * piece.size());
  ASSERT_TRUE(server.await_finished(1));
  EXPECT_EQ(received_by_server, kPieces * piece.size());
}

TEST(WebSocket, ReadsWhileThereIsMoreToWriteThanTheServerTakes) { write_both_ways(std::nullopt, ""); }

TEST(WebSocket, ReadsWhileItWritesUnderTlsAsWell) {
  const testkit::TestCertificates certificates;
  const auto identity = certificates.server();
  write_both_ways(ScriptedTls{.certificate_pem = identity.certificate, .key_pem = identity.key}, certificates.ca());
}

TEST(WebSocket, SendsWhatAnotherThreadHasAfterAWake) {
  Gate asked;
  const ScriptedServer server([](ScriptedConnection& c) {
    TestWebSocket peer(c);
    if (!peer.accept()) return;
    if (const auto frame = peer.read()) peer.send(frame->payload);
  });
  const auto client = HttpClient::create({}).value();
  auto socket = open(server, *client);
  ASSERT_TRUE(socket) << socket.error().message();
  Guarded<std::optional<std::string>> mail;
  std::jthread sender([&] {
    ASSERT_TRUE(asked.await());
    mail.with([](auto& slot) { slot = "late"; });
    (*socket)->wake();
  });
  std::string seen;
  const auto end = (*socket)->run({.on_message = [&](std::string_view message) -> Result<bool> {
                                     seen = message;
                                     return false;
                                   },
                                   .next_message = [&]() -> Result<std::optional<std::string>> {
                                     auto taken =
                                         mail.with([](auto& slot) { return std::exchange(slot, std::nullopt); });
                                     asked.open();
                                     return taken;
                                   }},
                                  system_clock().after(testkit::kPatience), {});
  EXPECT_EQ(end.value(), End::kHandler);
  EXPECT_EQ(seen, "late");
}

TEST(WebSocketFault, ARefusalBringsItsStatusHeadersAndBody) {
  const auto socket = upgrade([](ScriptedConnection& c) {
    if (c.read_request()) c.send(reply(403, R"({"kind":"Status"})", {{"Retry-After", "3"}}));
    c.hold();
  });
  ASSERT_FALSE(socket);
  const Error error = socket.error();
  const auto* refusal = error.detail<WebSocketRefusal>();
  ASSERT_NE(refusal, nullptr);
  EXPECT_EQ(refusal->head.status, 403);
  EXPECT_EQ(refusal->head.headers.get("retry-after"), "3");
  EXPECT_EQ(refusal->body, R"({"kind":"Status"})");
  EXPECT_THAT(error.message(), HasSubstr("/x: the server answered the upgrade with status 403"));
}

TEST(WebSocketFault, AWrongAcceptKeyIsNoUpgrade) {
  const auto socket = upgrade([](ScriptedConnection& c) {
    auto request = c.read_request();
    if (!request) return;
    request->headers = {{"Sec-WebSocket-Key", "of another request"}};
    c.send(TestWebSocket::grant(*request, ""));
  });
  ASSERT_FALSE(socket);
  EXPECT_EQ(socket.error().code(), Code::kDataLoss);
  EXPECT_THAT(socket.error().message(), HasSubstr("Sec-WebSocket-Accept is wrong"));
}

TEST(WebSocketFault, AProtocolThatWasNotOfferedIsUnsupported) {
  const auto socket = upgrade([](ScriptedConnection& c) { TestWebSocket(c).accept("v1"); }, {.protocols = {"v5"}});
  ASSERT_FALSE(socket);
  EXPECT_EQ(socket.error().code(), Code::kUnsupported);
}

TEST(WebSocketFault, ACloseInsteadOfAnAnswerIsUnavailableAndMayHaveHadAnEffect) {
  const auto socket = upgrade([](ScriptedConnection& c) { c.read_request(); });
  ASSERT_FALSE(socket);
  EXPECT_EQ(socket.error().code(), Code::kUnavailable);
  EXPECT_TRUE(socket.error().request_may_have_been_sent());
}

TEST(WebSocketFault, ACutInTheMiddleOfAFrameOrAMessageIsUnavailable) {
  const std::string whole = TestWebSocket::frame(WebSocketOpcode::kBinary, "whole");
  const std::string half = TestWebSocket::frame(WebSocketOpcode::kBinary, "half", false);
  for (const std::string& bytes : {whole.substr(0, 1), whole.substr(0, 4), half}) {
    std::string seen;
    const auto end = run([&](TestWebSocket&, ScriptedConnection& c) { c.send(whole + bytes); }, seen);
    ASSERT_FALSE(end);
    EXPECT_EQ(end.error().code(), Code::kUnavailable);
    EXPECT_THAT(end.error().message(), HasSubstr("in the middle of a message"));
    EXPECT_EQ(seen, "[whole]");
  }
}

TEST(WebSocketFault, AMessageOverTheLimitIsTooLarge) {
  std::string seen;
  const auto end = run([](TestWebSocket& peer, ScriptedConnection&) { peer.send(std::string(1001, 'x')); }, seen, 1000);
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().code(), Code::kTooLarge);
}

TEST(WebSocketFault, AServerThatNeverAnswersIsLeftAtAStop) {
  for (const bool upgraded : {false, true}) {
    const ScriptedServer server([&](ScriptedConnection& c) {
      if (upgraded ? TestWebSocket(c).accept() : c.read_request().has_value()) c.hold();
    });
    const auto client = HttpClient::create({}).value();
    std::stop_source stop;
    SteadyTime stopped_at;
    std::jthread stopper([&] {
      ASSERT_TRUE(server.await_requests(1));
      stopped_at = system_clock().now();
      stop.request_stop();
    });
    auto socket = open(server, *client, {}, stop.get_token());
    Code code{};
    if (socket) {
      ASSERT_TRUE(upgraded);
      code = (*socket)
                 ->run({.on_message = [](std::string_view) { return Result<bool>(true); }}, kNever, stop.get_token())
                 .error()
                 .code();
    } else {
      code = socket.error().code();
    }
    const SteadyTime now = system_clock().now();
    stopper.join();
    EXPECT_EQ(code, Code::kCancelled);
    EXPECT_LT(now - stopped_at, testkit::kPatience);
  }
}

TEST(WebSocketFault, ADeadlineOfAClockThatIsNotTheSystemsIsNoticed) {
  ManualClock clock;
  const ScriptedServer server([&](ScriptedConnection& c) {
    if (!TestWebSocket(c).accept()) return;
    clock.advance(std::chrono::minutes(2));
    c.hold();
  });
  const auto client = HttpClient::create({}, clock).value();
  const SteadyTime deadline = clock.after(std::chrono::minutes(1));
  auto socket = WebSocket::open(*client, {.url = server.url()}, {}, system_random(), {});
  ASSERT_TRUE(socket) << socket.error().message();
  const auto end = (*socket)->run({.on_message = [](std::string_view) { return Result<bool>(true); }}, deadline, {});
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().code(), Code::kTimeout);
}

}  // namespace
}  // namespace landfall::io
