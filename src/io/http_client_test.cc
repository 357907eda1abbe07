#include "io/http_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <string>
#include <vector>

#include "base/manual_clock.h"
#include "testkit/scripted_server.h"

namespace landfall::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using testkit::reply;
using testkit::ScriptedConnection;
using testkit::ScriptedRequest;
using testkit::ScriptedServer;

std::unique_ptr<HttpClient> make_client(HttpClientOptions options = {}, Clock& clock = system_clock()) {
  return HttpClient::create(std::move(options), clock).value();
}

// Answers each request with "METHOD TARGET BODY".
ScriptedServer::Script echo() {
  return ScriptedServer::answering([](const ScriptedRequest& request) {
    return reply(200, request.method + " " + request.target + " " + request.body, {{"X-Two", "a"}, {"x-two", "b"}});
  });
}

std::string gzip(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&stream, text.size()) + 32, '\0');
  std::string input = text;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

TEST(HttpClient, SendsARequestAndReturnsTheWholeResponse) {
  ScriptedServer server(echo());
  const auto client = make_client({.user_agent = "landfall/test"});

  const auto response = client->send({.method = "POST",
                                      .url = server.url("/a%20b?x=%2F"),
                                      .headers = {{"Accept", "text/plain"}, {"X-Empty", ""}},
                                      .body = HttpBody::bytes("hello")},
                                     {});

  ASSERT_TRUE(response) << response.error().message();
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(response->body, "POST /a%20b?x=%2F hello");
  EXPECT_THAT(response->headers.get_all("X-TWO"), ElementsAre("a", "b"));
  const ScriptedRequest request = server.requests().at(0);
  EXPECT_EQ(request.header("user-agent"), "landfall/test");
  EXPECT_EQ(request.header("content-length"), "5");
  EXPECT_TRUE(request.has_header("x-empty"));
  EXPECT_EQ(request.header("host"), "127.0.0.1:" + std::to_string(server.port()));
}

TEST(HttpClient, AddsNoHeadersThatNobodyAskedFor) {
  ScriptedServer server(echo());
  const auto client = make_client();
  ASSERT_TRUE(
      client->send({.method = "POST", .url = server.url(), .body = HttpBody::bytes(std::string(2 << 20, 'x'))}, {}));

  std::vector<std::string> names;
  const ScriptedRequest request = server.requests().at(0);
  for (const auto& [name, value] : request.headers) {
    names.push_back(name);
  }
  EXPECT_THAT(names, testing::UnorderedElementsAre("Host", "User-Agent", "Content-Length"));
}

TEST(HttpClient, SaysZeroLengthWhereABodyIsExpectedAndNothingElsewhere) {
  ScriptedServer server(echo());
  const auto client = make_client();
  for (const char* method : {"PUT", "PATCH", "POST", "DELETE", "GET", "OPTIONS"}) {
    ASSERT_EQ(client->send({.method = method, .url = server.url("/m")}, {})->body, std::string(method) + " /m ");
  }
  for (const ScriptedRequest& request : server.requests()) {
    const bool has_body = request.method.starts_with('P');
    EXPECT_EQ(request.header("content-length"), has_body ? "0" : "") << request.method;
  }
}

TEST(HttpClient, SendsABodyWithAnyMethod) {
  ScriptedServer server(echo());
  const auto client = make_client();
  for (const char* method : {"DELETE", "PATCH", "GET", "PUT"}) {
    const auto response = client->send({.method = method, .url = server.url("/m"), .body = HttpBody::view("body")}, {});
    EXPECT_EQ(response->body, std::string(method) + " /m body");
  }
}

TEST(HttpClient, KnowsThatAHeadResponseHasNoBody) {
  ScriptedServer server([](ScriptedConnection& c) {
    while (c.read_request()) c.send("HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n");
  });
  const auto client = make_client();
  for (int i = 0; i < 2; ++i) {
    const auto response = client->send({.method = "HEAD", .url = server.url()}, {});
    ASSERT_TRUE(response) << response.error().message();
    EXPECT_EQ(response->headers.get("content-length"), "99999999999");
  }
  EXPECT_EQ(server.connections(), 1);
}

TEST(HttpClient, SendsThePathAsItIsWritten) {
  ScriptedServer server(echo());
  const auto client = make_client();
  EXPECT_EQ(client->send({.url = server.url("//a/../b/./c?")}, {})->body, "GET //a/../b/./c? ");
}

TEST(HttpClient, ReusesItsConnection) {
  ScriptedServer server(echo());
  const auto client = make_client();
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(client->send({.url = server.url()}, {}));
  }
  EXPECT_EQ(server.connections(), 1);
}

TEST(HttpClient, ClosesAConnectionThatHasBeenIdleForTooLong) {
  ManualClock clock;
  ScriptedServer server(echo());
  const auto client = make_client({.max_idle_age = std::chrono::seconds(90)}, clock);
  ASSERT_TRUE(client->send({.url = server.url()}, {}));

  clock.advance(std::chrono::seconds(91));
  ASSERT_TRUE(client->send({.url = server.url()}, {}));

  EXPECT_EQ(server.connections(), 2);
  EXPECT_TRUE(server.await_finished(1));
}

TEST(HttpClient, KeepsNoMoreIdleConnectionsThanItMay) {
  ScriptedServer one(echo());
  ScriptedServer two(echo());
  const auto client = make_client({.max_idle_connections = 1});
  ASSERT_TRUE(client->send({.url = one.url()}, {}));
  ASSERT_TRUE(client->send({.url = two.url()}, {}));
  EXPECT_TRUE(one.await_finished(1));
  client->close_idle_connections();
  EXPECT_TRUE(two.await_finished(1));
}

TEST(HttpClient, HandsOutARedirectInsteadOfFollowingIt) {
  ScriptedServer server(ScriptedServer::answering(
      [](const ScriptedRequest&) { return reply(307, "", {{"Location", "http://elsewhere.test/"}}); }));
  const auto client = make_client();
  const auto response = client->send({.url = server.url()}, {});
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 307);
  EXPECT_EQ(response->headers.get("location"), "http://elsewhere.test/");
}

TEST(HttpClient, SendsNoCookiesBack) {
  ScriptedServer server(
      ScriptedServer::answering([](const ScriptedRequest&) { return reply(200, "", {{"Set-Cookie", "a=b"}}); }));
  const auto client = make_client();
  ASSERT_TRUE(client->send({.url = server.url()}, {}));
  ASSERT_TRUE(client->send({.url = server.url()}, {}));
  EXPECT_FALSE(server.requests().at(1).has_header("cookie"));
}

TEST(HttpClient, ReadsAChunkedBodyWithItsTrailers) {
  ScriptedServer server([](ScriptedConnection& c) {
    while (c.read_request()) {
      c.drip("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nSum: 42\r\n\r\n");
    }
  });
  const auto client = make_client();
  for (int i = 0; i < 2; ++i) {
    const auto response = client->send({.url = server.url()}, {});
    ASSERT_TRUE(response) << response.error().message();
    EXPECT_EQ(response->body, "abcde");
    EXPECT_EQ(response->trailers.get("sum"), "42");
    EXPECT_FALSE(response->headers.has("sum"));
  }
  EXPECT_EQ(server.connections(), 1);
}

TEST(HttpClient, StreamsABodyOfKnownLength) {
  ScriptedServer server(echo());
  const auto client = make_client();
  StringReader reader("streamed, and then some");
  const auto response = client->send({.method = "PUT", .url = server.url(), .body = HttpBody::stream(reader, 8)}, {});
  EXPECT_EQ(response->body, "PUT / streamed");
  EXPECT_EQ(server.requests().at(0).header("content-length"), "8");
}

TEST(HttpClient, StreamsABodyOfUnknownLengthInChunks) {
  ScriptedServer server(echo());
  const auto client = make_client();
  const std::string bytes(300'000, 'z');
  StringReader reader(bytes);
  const auto response =
      client->send({.method = "POST", .url = server.url("/"), .body = HttpBody::stream(reader, std::nullopt)}, {});
  ASSERT_TRUE(response) << response.error().message();
  EXPECT_EQ(response->body, "POST / " + bytes);
  EXPECT_EQ(server.requests().at(0).header("transfer-encoding"), "chunked");
}

TEST(HttpClient, FailsWhenABodyEndsBeforeItsLength) {
  ScriptedServer server(echo());
  const auto client = make_client();
  StringReader reader("short");
  const auto response = client->send({.method = "PUT", .url = server.url(), .body = HttpBody::stream(reader, 100)}, {});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code(), Code::kInvalid);
  EXPECT_THAT(response.error().message(), HasSubstr("5 of 100 bytes"));
  EXPECT_TRUE(response.error().request_may_have_been_sent());
}

TEST(HttpClient, ReturnsTheErrorOfABodysReader) {
  struct Broken final : Reader {
    Result<std::size_t> read(std::span<char> /*buffer*/) override { return fail(Code::kDataLoss, "bad disk"); }
  };
  ScriptedServer server(echo());
  const auto client = make_client();
  Broken reader;
  const auto response = client->send({.method = "PUT", .url = server.url(), .body = HttpBody::stream(reader, 9)}, {});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code(), Code::kDataLoss);
  EXPECT_THAT(response.error().message(), HasSubstr("request body: bad disk"));
}

TEST(HttpClient, WaitsForContinueWhenAsked) {
  ScriptedServer server([](ScriptedConnection& c) {
    auto request = c.read_head();
    if (request && c.send("HTTP/1.1 100 Continue\r\n\r\n") && c.read_body(*request)) c.send(reply(200, request->body));
  });
  const auto client = make_client();
  const auto response = client->send(
      {.method = "PUT", .url = server.url(), .body = HttpBody::bytes("later"), .expect_continue = true}, {});
  ASSERT_TRUE(response) << response.error().message();
  EXPECT_EQ(response->body, "later");
  EXPECT_EQ(server.requests().at(0).header("expect"), "100-continue");
}

TEST(HttpClient, SendsNoBodyWhenTheServerRefusesInsteadOfContinue) {
  ScriptedServer server([](ScriptedConnection& c) {
    if (c.read_head() && c.send(reply(403, "no"))) {
      EXPECT_FALSE(c.read_some());
    }
  });
  const auto client = make_client();
  const auto response = client->send(
      {.method = "PUT", .url = server.url(), .body = HttpBody::bytes("secret"), .expect_continue = true}, {});
  ASSERT_TRUE(response) << response.error().message();
  EXPECT_EQ(response->status, 403);
}

TEST(HttpClient, TakesAnAnswerThatComesWhileItStillSends) {
  // More than the sockets can hold, so the client cannot have sent all of it.
  const std::string bytes(64UL << 20U, 'x');
  ScriptedServer server([](ScriptedConnection& c) {
    if (c.read_head() && c.read_bytes(1000) && c.send(reply(413, "too large", {{"connection", "close"}}))) c.hold();
  });
  const auto client = make_client();
  const auto response = client->send({.method = "PUT", .url = server.url(), .body = HttpBody::view(bytes)}, {});
  ASSERT_TRUE(response) << response.error().message();
  EXPECT_EQ(response->status, 413);
  EXPECT_EQ(response->body, "too large");
}

TEST(HttpClient, StopsReadingAtTheLimit) {
  ScriptedServer server([](ScriptedConnection& c) {
    const auto request = c.read_request();
    if (!request) return;
    if (request->target == "/declared") {
      c.send("HTTP/1.1 200 OK\r\ncontent-length: 1001\r\n\r\n");
      c.hold();
    } else {
      c.send("HTTP/1.1 200 OK\r\n\r\n");
      while (c.send(std::string(500, 'x'))) {
      }
    }
  });
  const auto client = make_client();
  for (const char* target : {"/declared", "/endless"}) {
    const auto response = client->send({.url = server.url(target), .max_response_body = 1000}, {});
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().code(), Code::kTooLarge) << response.error().message();
    EXPECT_THAT(response.error().message(), HasSubstr(std::string("GET ") + server.url(target) + ": "));
  }
  EXPECT_TRUE(server.await_finished(2));
}

TEST(HttpClient, AcceptsABodyOfExactlyTheLimit) {
  ScriptedServer server(ScriptedServer::answering([](const auto&) { return reply(200, std::string(1000, 'x')); }));
  const auto client = make_client();
  EXPECT_TRUE(client->send({.url = server.url(), .max_response_body = 1000}, {}));
  EXPECT_FALSE(client->send({.url = server.url(), .max_response_body = 999}, {}));
}

TEST(HttpClient, UnpacksGzipOnlyWhenAsked) {
  const std::string packed = gzip("plain text");
  ScriptedServer server(ScriptedServer::answering(
      [&](const ScriptedRequest&) { return reply(200, packed, {{"Content-Encoding", "gzip"}}); }));
  const auto client = make_client();

  const auto raw = client->send({.url = server.url()}, {});
  const auto unpacked = client->send({.url = server.url(), .accept_gzip = true}, {});

  EXPECT_EQ(raw->body, packed);
  EXPECT_EQ(raw->headers.get("content-encoding"), "gzip");
  EXPECT_FALSE(server.requests().at(0).has_header("accept-encoding"));
  EXPECT_EQ(unpacked->body, "plain text");
  EXPECT_FALSE(unpacked->headers.has("content-encoding"));
  EXPECT_FALSE(unpacked->headers.has("content-length"));
  EXPECT_EQ(server.requests().at(1).header("accept-encoding"), "gzip");
}

TEST(HttpClient, BoundsWhatGzipUnpacksTo) {
  const std::string bomb = gzip(std::string(10 << 20, '\0'));
  ASSERT_LT(bomb.size(), 100'000U);
  ScriptedServer server(ScriptedServer::answering(
      [&](const ScriptedRequest&) { return reply(200, bomb, {{"Content-Encoding", "gzip"}}); }));
  const auto client = make_client();
  const auto response = client->send({.url = server.url(), .max_response_body = 100'000, .accept_gzip = true}, {});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code(), Code::kTooLarge);
}

TEST(HttpClient, CallsDamagedGzipDataLoss) {
  std::string damaged = gzip(std::string(1000, 'a') + "b");
  damaged[damaged.size() / 2] ^= 0x55;
  ScriptedServer server(ScriptedServer::answering(
      [&](const ScriptedRequest&) { return reply(200, damaged, {{"Content-Encoding", "gzip"}}); }));
  const auto client = make_client();
  const auto response = client->send({.url = server.url(), .accept_gzip = true}, {});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code(), Code::kDataLoss) << response.error().message();
}

TEST(HttpClient, RefusesRequestsThatSmuggle) {
  const auto client = make_client();
  const HttpRequest bad[] = {
      {.method = "GET / HTTP/1.1\r\nX:", .url = "http://h/"},
      {.method = "", .url = "http://h/"},
      {.method = "CONNECT", .url = "http://h/"},
      {.url = "http://h/\r\nX: y"},
      {.url = "file:///etc/passwd"},
      {.url = "ftp://h/"},
      {.url = "http://user:secret@h/"},
      {.url = "http://h/", .headers = {{"X", "a\r\nInjected: b"}}},
      {.url = "http://h/", .headers = {{"X", std::string("a\0b", 3)}}},
      {.url = "http://h/", .headers = {{"X\r\nInjected", "b"}}},
      {.url = "http://h/", .headers = {{"X: y", "b"}}},
      {.url = "http://h/", .headers = {{"", "b"}}},
      {.url = "http://h/", .headers = {{"Content-Length", "5"}}},
      {.url = "http://h/", .headers = {{"transfer-encoding", "chunked"}}},
      {.method = "HEAD", .url = "http://h/", .body = HttpBody::bytes("x")},
  };
  for (const HttpRequest& request : bad) {
    const auto response = client->send(request, {});
    ASSERT_FALSE(response) << request.method << request.url;
    EXPECT_EQ(response.error().code(), Code::kInvalid) << response.error().message();
    EXPECT_FALSE(response.error().request_may_have_been_sent());
    EXPECT_THAT(response.error().message(), Not(HasSubstr("secret")));
  }
}

TEST(HttpClient, NeverShowsSecretsInItsMessages) {
  ScriptedServer server([](ScriptedConnection& c) { c.read_request(); });
  const auto client = make_client();
  const auto response = client->send(
      {.url = server.url("/bucket/key?X-Amz-Signature=secret"), .headers = {{"Authorization", "Bearer secret"}}}, {});
  ASSERT_FALSE(response);
  EXPECT_THAT(response.error().message(), HasSubstr("GET " + server.url("/bucket/key") + ": "));
  EXPECT_THAT(response.error().message(), Not(HasSubstr("secret")));
}

TEST(HttpClient, StreamsTheHeadFirstAndThenEachPieceAsItComes) {
  testkit::Gate first_seen;
  ScriptedServer server([&](ScriptedConnection& c) {
    // The second line is sent only once the first has been handed out: nothing may wait for more.
    if (c.read_request() && c.send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n6\r\nline1\n\r\n") &&
        c.wait(first_seen)) {
      c.send("6\r\nline2\n\r\n0\r\n\r\n");
    }
  });
  const auto client = make_client();
  std::vector<std::string> seen;
  const auto response = client->stream({.url = server.url()},
                                       {.on_head =
                                            [&](const HttpHead& head) {
                                              seen.push_back(std::to_string(head.status));
                                              return HttpFlow::kContinue;
                                            },
                                        .on_body =
                                            [&](std::string_view bytes) {
                                              seen.emplace_back(bytes);
                                              first_seen.open();
                                              return HttpFlow::kContinue;
                                            }},
                                       {});
  ASSERT_TRUE(response) << response.error().message();
  EXPECT_THAT(seen, ElementsAre("200", "line1\n", "line2\n"));
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(response->body, "");
}

TEST(HttpClient, EndsAStreamWhenTheCallerHasEnough) {
  ScriptedServer server([](ScriptedConnection& c) {
    if (c.read_request() && c.send("HTTP/1.1 200 OK\r\n\r\nsome")) c.hold();
  });
  const auto client = make_client();
  const auto after_head = client->stream({.url = server.url()},
                                         {.on_head = [](const HttpHead&) { return HttpFlow::kStop; },
                                          .on_body = [](std::string_view) { return HttpFlow::kContinue; }},
                                         {});
  const auto after_body =
      client->stream({.url = server.url()}, {.on_body = [](std::string_view) { return HttpFlow::kStop; }}, {});
  EXPECT_TRUE(after_head);
  EXPECT_TRUE(after_body);
  EXPECT_TRUE(server.await_finished(2)) << "both connections are closed";
}

TEST(HttpClient, ReturnsTheErrorOfAStreamsHandler) {
  ScriptedServer server(echo());
  const auto client = make_client();
  const auto response =
      client->stream({.url = server.url()},
                     {.on_body = [](std::string_view) -> Result<HttpFlow> { return fail(Code::kGone, "410"); }}, {});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code(), Code::kGone);
}

TEST(HttpClient, ErrorsWorkWithTheHouseMacros) {
  const auto call = [](HttpClient& client) -> Result<int> {
    TRY_ASSIGN(const HttpResponse response, "list pods", client.send({.url = "gopher://h/"}, {}));
    return response.status;
  };
  const auto client = make_client();
  const Result<int> status = call(*client);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message(), testing::StartsWith("list pods: GET gopher://h/: "));
}

}  // namespace
}  // namespace landfall::io
