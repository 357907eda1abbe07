#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "base/manual_clock.h"
#include "io/http_client.h"
#include "testkit/scripted_server.h"

namespace landfall::io {
namespace {

using ::testing::HasSubstr;
using testkit::Gate;
using testkit::reply;
using testkit::ScriptedConnection;
using testkit::ScriptedRequest;
using testkit::ScriptedServer;

std::unique_ptr<HttpClient> make_client() { return HttpClient::create({}).value(); }

// What a call came to when the server does this with the first request.
HttpResult<HttpResponse> after(const ScriptedServer::Script& then, HttpRequest request = {}) {
  ScriptedServer server([&](ScriptedConnection& c) {
    if (c.read_request()) then(c);
  });
  request.url = server.url();
  return make_client()->send(request, {});
}

TEST(HttpFault, RefusedConnectionIsUnavailableAndNothingWasSent) {
  std::string url;
  {
    const ScriptedServer server([](ScriptedConnection&) {});
    url = server.url();
  }
  const auto response = make_client()->send({.method = "POST", .url = url}, {});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code(), Code::kUnavailable);
  EXPECT_FALSE(response.error().request_may_have_been_sent());
  EXPECT_EQ(response.error().message(), "POST " + url + ": cannot connect: Connection refused");
}

TEST(HttpFault, CloseWithoutAnAnswerIsUnavailableAndMayHaveTakenEffect) {
  const auto response = after([](ScriptedConnection& c) { c.close(); }, {.method = "POST"});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code(), Code::kUnavailable);
  EXPECT_TRUE(response.error().request_may_have_been_sent());
  EXPECT_THAT(response.error().message(), HasSubstr("the server closed the connection without an answer"));
}

TEST(HttpFault, ResetIsUnavailable) {
  const auto response = after([](ScriptedConnection& c) { c.reset(); });
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code(), Code::kUnavailable);
  EXPECT_THAT(response.error().message(), HasSubstr("reset"));
}

TEST(HttpFault, CutInTheMiddleOfABodyIsUnavailableWhateverItsEncoding) {
  for (const char* text : {"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nonly this",
                           "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab",
                           "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n"}) {
    const auto response = after([&](ScriptedConnection& c) { c.send(text); });
    ASSERT_FALSE(response) << text;
    EXPECT_EQ(response.error().code(), Code::kUnavailable);
    EXPECT_THAT(response.error().message(), HasSubstr("in the middle of the response"));
  }
}

TEST(HttpFault, CutInTheMiddleOfTheHeadIsNotTakenForAResponse) {
  for (const char* text : {"HTTP/1.1 200 OK\r\ncontent-le", "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n", "HTTP/1."}) {
    const auto response = after([&](ScriptedConnection& c) { c.send(text); });
    ASSERT_FALSE(response) << text;
    EXPECT_TRUE(response.error().code() == Code::kUnavailable || response.error().code() == Code::kDataLoss)
        << response.error().message();
  }
}

TEST(HttpFault, WhatIsNotHttpIsDataLoss) {
  for (const char* text : {"SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 200 OK\r\nno colon here\r\ncontent-length: 0\r\n\r\n",
                           "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nnot a number\r\n",
                           "HTTP/1.1 abc\r\n\r\n", "HTTP/1.1 200 OK\r\ncontent-length: 0\r\nX: \x01\r\n\r\n"}) {
    const auto response = after([&](ScriptedConnection& c) { c.send(text); });
    ASSERT_FALSE(response) << text;
    EXPECT_EQ(response.error().code(), Code::kDataLoss) << response.error().message();
  }
}

TEST(HttpFault, HeadersWithoutEndAreTooLarge) {
  const auto endless_lines = after([](ScriptedConnection& c) {
    c.send("HTTP/1.1 200 OK\r\n");
    while (c.send("X-Filler: " + std::string(1000, 'x') + "\r\n")) {
    }
  });
  const auto endless_line = after([](ScriptedConnection& c) {
    c.send("HTTP/1.1 200 OK\r\nX: ");
    while (c.send(std::string(1000, 'x'))) {
    }
  });
  const auto endless_interim = after([](ScriptedConnection& c) {
    while (c.send("HTTP/1.1 100 Continue\r\n\r\n")) {
    }
  });
  for (const auto* response : {&endless_lines, &endless_line, &endless_interim}) {
    ASSERT_FALSE(*response);
    EXPECT_EQ(response->error().code(), Code::kTooLarge) << response->error().message();
  }
}

// A call with a deadline of a minute, on a clock of its own, which the script may advance.
HttpResult<HttpResponse> within_a_minute(ManualClock& clock, const ScriptedServer::Script& script) {
  ScriptedServer server(script);
  const auto client = HttpClient::create({}, clock).value();
  return client->send({.url = server.url(), .deadline = clock.after(std::chrono::minutes(1))}, {});
}

TEST(HttpFault, DeadlineEndsACallThatIsNeverAnswered) {
  ManualClock clock;
  const auto response = within_a_minute(clock, [&](ScriptedConnection& c) {
    if (!c.read_request()) return;
    clock.advance(std::chrono::minutes(1));
    c.hold();
  });
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code(), Code::kTimeout);
  EXPECT_TRUE(response.error().request_may_have_been_sent());
  EXPECT_THAT(response.error().message(), HasSubstr("the deadline passed while waiting for the response"));
}

TEST(HttpFault, DeadlineEndsABodyThatKeepsComing) {
  ManualClock clock;
  const auto response = within_a_minute(clock, [&](ScriptedConnection& c) {
    if (!c.read_request() || !c.send("HTTP/1.1 200 OK\r\n\r\n")) return;
    while (c.send("x")) {
      clock.advance(std::chrono::seconds(1));
    }
  });
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code(), Code::kTimeout);
}

TEST(HttpFault, DeadlineInRealTimeIsKept) {
  const SteadyTime start = system_clock().now();
  const auto response =
      after([](ScriptedConnection& c) { c.hold(); }, {.deadline = system_clock().after(std::chrono::milliseconds(20))});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code(), Code::kTimeout);
  EXPECT_GE(system_clock().now() - start, std::chrono::milliseconds(20));
}

TEST(HttpFault, DeadlineThatHasPassedSendsNothing) {
  ScriptedServer server([](ScriptedConnection&) {});
  const auto response = make_client()->send({.url = server.url(), .deadline = system_clock().now()}, {});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code(), Code::kTimeout);
  EXPECT_FALSE(response.error().request_may_have_been_sent());
  EXPECT_EQ(server.connections(), 0);
}

TEST(HttpFault, DeadlineOfTheHeadHoldsUntilTheHeadIsThere) {
  ManualClock clock;
  ScriptedServer silent([&](ScriptedConnection& c) {
    if (!c.read_request()) return;
    clock.advance(std::chrono::minutes(1));
    c.hold();
  });
  const auto client = HttpClient::create({}, clock).value();
  const HttpStreamHandlers ignore{.on_body = [](std::string_view) -> Result<HttpFlow> { return HttpFlow::kContinue; }};
  const auto none =
      client->stream({.url = silent.url(), .head_deadline = clock.after(std::chrono::minutes(1))}, ignore, {});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code(), Code::kTimeout);

  Gate seen;
  ScriptedServer slow([&](ScriptedConnection& c) {
    if (!c.read_request() || !c.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nda") || !c.wait(seen)) return;
    clock.advance(std::chrono::minutes(2));
    c.send("ta");
  });
  const HttpStreamHandlers tell{.on_body = [&](std::string_view) -> Result<HttpFlow> {
    seen.open();
    return HttpFlow::kContinue;
  }};
  const auto whole =
      client->stream({.url = slow.url(), .head_deadline = clock.after(std::chrono::minutes(1))}, tell, {});
  EXPECT_TRUE(whole) << whole.error().message();
}

TEST(HttpFault, IdleTimeoutEndsAWatchThatHasGoneQuiet) {
  ManualClock clock;
  Gate seen;
  Gate over;
  ScriptedServer server([&](ScriptedConnection& c) {
    if (!c.read_request() || !c.send("HTTP/1.1 200 OK\r\n\r\nan event") || !c.wait(seen)) return;
    while (!over.is_open()) {
      clock.advance(std::chrono::seconds(10));
      std::this_thread::yield();
    }
  });
  const auto client = HttpClient::create({}, clock).value();
  const auto response = client->stream({.url = server.url(), .idle_timeout = std::chrono::seconds(30)},
                                       {.on_body =
                                            [&](std::string_view) {
                                              seen.open();
                                              return HttpFlow::kContinue;
                                            }},
                                       {});
  over.open();
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code(), Code::kTimeout);
  EXPECT_THAT(response.error().message(), HasSubstr("nothing moved for 30s while reading the response"));
}

TEST(HttpFault, IdleTimeoutEndsAnUploadThatIsStuck) {
  Gate never;
  const std::string bytes(64UL << 20U, 'x');
  ScriptedServer server([&](ScriptedConnection& c) { c.wait(never); });
  const auto response = make_client()->send({.method = "PUT",
                                             .url = server.url(),
                                             .body = HttpBody::view(bytes),
                                             .idle_timeout = std::chrono::milliseconds(100)},
                                            {});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code(), Code::kTimeout) << response.error().message();
}

TEST(HttpFault, IdleTimeoutSparesWhatMoves) {
  ManualClock clock;
  Gate seen[5];
  ScriptedServer server([&](ScriptedConnection& c) {
    if (!c.read_request() || !c.send("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n")) return;
    for (Gate& gate : seen) {
      if (!c.send("x") || !c.wait(gate)) return;
      clock.advance(std::chrono::seconds(20));
    }
  });
  const auto client = HttpClient::create({}, clock).value();
  std::size_t count = 0;
  const auto response = client->stream({.url = server.url(), .idle_timeout = std::chrono::seconds(30)},
                                       {.on_body =
                                            [&](std::string_view bytes) {
                                              for (std::size_t i = 0; i < bytes.size(); ++i) seen[count++].open();
                                              return HttpFlow::kContinue;
                                            }},
                                       {});
  EXPECT_TRUE(response) << response.error().message();
  EXPECT_EQ(count, 5U);
}

TEST(HttpFault, ConnectTimeoutMeansThatNothingWasSent) {
  // A server that accepts and says nothing: the TLS handshake never ends.
  ScriptedServer server([](ScriptedConnection& c) { c.hold(); });
  std::string url = server.url();
  url.replace(0, 4, "https");
  const auto response =
      make_client()->send({.method = "POST", .url = url, .connect_timeout = std::chrono::milliseconds(50)}, {});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code(), Code::kUnavailable);
  EXPECT_FALSE(response.error().request_may_have_been_sent());
  EXPECT_THAT(response.error().message(), HasSubstr("no connection within 50ms"));
}

TEST(HttpFault, AConnectionThatWasClosedWhileIdleIsReplaced) {
  ScriptedServer server([](ScriptedConnection& c) {
    if (c.read_request()) c.send(reply(200, "ok"));  // and closes, without having said so
  });
  const auto client = make_client();
  for (int i = 1; i <= 3; ++i) {
    const auto response = client->send({.method = "POST", .url = server.url(), .body = HttpBody::bytes("x")}, {});
    ASSERT_TRUE(response) << response.error().message();
    ASSERT_TRUE(server.await_finished(i));
  }
  EXPECT_EQ(server.requests().size(), 3U);
}

TEST(HttpFault, StrayBytesOnAnIdleConnectionAreNotTakenForAResponse) {
  ScriptedServer server([](ScriptedConnection& c) {
    if (c.index() == 0) {
      if (c.read_request() && c.send(reply(200, "first") + reply(200, "stray"))) c.hold();
    } else if (c.read_request()) {
      c.send(reply(200, "second"));
    }
  });
  const auto client = make_client();
  EXPECT_EQ(client->send({.url = server.url()}, {})->body, "first");
  EXPECT_EQ(client->send({.url = server.url()}, {})->body, "second");
}

// The race that no check can exclude: the kept connection looks alive, but is closed when the request arrives.
ScriptedServer::Script closes_on_the_second_request() {
  return [](ScriptedConnection& c) {
    if (!c.read_request() || !c.send(reply(200, "ok"))) return;
    if (c.index() == 0) {
      c.read_request();
      return;
    }
    while (c.read_request() && c.send(reply(200, "ok"))) {
    }
  };
}

TEST(HttpFault, ASafeRequestIsRepeatedOnceOnANewConnection) {
  ScriptedServer server(closes_on_the_second_request());
  const auto client = make_client();
  ASSERT_TRUE(client->send({.url = server.url("/1")}, {}));
  const auto response = client->send({.url = server.url("/2")}, {});
  ASSERT_TRUE(response) << response.error().message();
  EXPECT_EQ(server.requests().size(), 3U);
  EXPECT_EQ(server.connections(), 2);
}

TEST(HttpFault, ARequestThatMayHaveTakenEffectIsNeverRepeated) {
  for (const char* method : {"POST", "PUT", "PATCH", "DELETE"}) {
    ScriptedServer server(closes_on_the_second_request());
    const auto client = make_client();
    ASSERT_TRUE(client->send({.url = server.url("/1")}, {}));
    const auto response = client->send({.method = method, .url = server.url("/2"), .body = HttpBody::bytes("x")}, {});
    ASSERT_FALSE(response) << method;
    EXPECT_EQ(response.error().code(), Code::kUnavailable) << response.error().message();
    EXPECT_TRUE(response.error().request_may_have_been_sent());
    EXPECT_EQ(server.requests().size(), 2U);
  }
}

TEST(HttpFault, AStreamedBodyIsNeverRepeated) {
  ScriptedServer server(closes_on_the_second_request());
  const auto client = make_client();
  ASSERT_TRUE(client->send({.url = server.url("/1")}, {}));
  StringReader reader("once");
  const auto response =
      client->send({.method = "GET", .url = server.url("/2"), .body = HttpBody::stream(reader, 4)}, {});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code(), Code::kUnavailable) << response.error().message();
}

TEST(HttpFault, ANewConnectionThatIsClosedIsNotTriedAgain) {
  ScriptedServer server([](ScriptedConnection& c) { c.read_request(); });
  EXPECT_FALSE(make_client()->send({.url = server.url()}, {}));
  EXPECT_EQ(server.connections(), 1);
}

TEST(HttpFault, AClosedUploadIsAnErrorAndNoSignal) {
  const std::string bytes(64UL << 20U, 'x');
  ScriptedServer server([](ScriptedConnection& c) {
    if (c.read_head() && c.read_bytes(100'000)) c.reset();
  });
  const auto response = make_client()->send({.method = "PUT", .url = server.url(), .body = HttpBody::view(bytes)}, {});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code(), Code::kUnavailable) << response.error().message();
  EXPECT_TRUE(response.error().request_may_have_been_sent());
}

TEST(HttpFault, UnknownHostIsUnavailable) {
  const auto response = make_client()->send({.url = "http://nowhere.invalid/"}, {});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code(), Code::kUnavailable);
  EXPECT_EQ(response.error().message(), "GET http://nowhere.invalid/: cannot resolve the host name");
}

}  // namespace
}  // namespace landfall::io
