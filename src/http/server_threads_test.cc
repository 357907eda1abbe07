#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "http/router.h"
#include "http/server.h"
#include "http/test_server.h"

namespace landfall::http {
namespace {

using testing::Answer;
using testing::echo;
using ::testing::HasSubstr;
using testing::Signal;
using testing::TestClient;
using testing::TestServer;

TEST(Server, AnswersRequestAfterRequestOnOneConnection) {
  TestServer server(echo);
  TestClient client = server.connect();
  for (int i = 0; i < 3; ++i) {
    const Answer answer = client.ask("POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi");
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.body, "POST /x hi");
    EXPECT_EQ(answer.headers.get("Date"), "Tue, 01 Jan 2030 00:00:00 GMT");
    EXPECT_FALSE(answer.headers.contains("Connection"));
  }
  EXPECT_EQ(server.server.open_connections(), 1U);
}

TEST(Server, AnswersPipelinedRequestsInTheirOrder) {
  // The first answer comes later than the handler of the second could.
  std::jthread later;
  TestServer server([&](const Request& request, const std::shared_ptr<Responder>& responder) {
    if (request.path != "/slow") return responder->send(text(200, request.path));
    later = std::jthread([responder] { responder->send(text(200, "/slow")); });
  });
  TestClient client = server.connect();
  std::string requests;
  for (const std::string path : {"/slow", "/a", "/slow", "/b"})
    requests += "GET " + path + " HTTP/1.1\r\nHost: h\r\n\r\n";
  client.send(requests);
  for (const std::string path : {"/slow", "/a", "/slow", "/b"}) EXPECT_EQ(client.read_answer().body, path);
}

TEST(Server, WorksThroughADeepPipeline) {
  Signal<std::shared_ptr<Responder>> first;
  TestServer server([&](const Request& request, const std::shared_ptr<Responder>& responder) {
    if (request.path == "/first") return first.set(responder);
    responder->send(text(200, "ok"));
  });
  TestClient client = server.connect();
  std::string requests = "GET /first HTTP/1.1\r\nHost: h\r\n\r\n";
  static constexpr int kMore = 2000;
  for (int i = 0; i < kMore; ++i) requests += "GET /more HTTP/1.1\r\nHost: h\r\n\r\n";
  std::jthread sender([&] { client.send(requests); });
  first.wait()->send(text(200, "first"));
  EXPECT_EQ(client.read_answer().body, "first");
  for (int i = 0; i < kMore; ++i) ASSERT_EQ(client.read_answer().body, "ok");
}

TEST(Server, GivesTheHandlerTheWholeRequest) {
  Signal<Request> got;
  TestServer server([&](Request request, const std::shared_ptr<Responder>& responder) {
    got.set(std::move(request));
    responder->send(text(200, ""));
  });
  server.connect().ask(
      "PATCH /a%20b/c?x=1&x=2 HTTP/1.1\r\nHost: h\r\nAccept: a\r\naccept: b\r\n"
      "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
  const Request request = got.wait();
  EXPECT_EQ(request.method, "PATCH");
  EXPECT_EQ(request.path, "/a b/c");
  EXPECT_EQ(request.raw_path, "/a%20b/c");
  EXPECT_EQ(request.query.all("x"), (std::vector<std::string_view>{"1", "2"}));
  EXPECT_EQ(request.headers.all("ACCEPT"), (std::vector<std::string_view>{"a", "b"}));
  EXPECT_EQ(request.body, "abc");
  EXPECT_EQ(request.peer.address, "127.0.0.1");
  EXPECT_NE(request.peer.port, 0);
  EXPECT_EQ(request.peer.identity, nullptr);
}

TEST(Server, TakesAnAnswerLaterFromAnotherThread) {
  Signal<std::shared_ptr<Responder>> waiting;
  TestServer server([&](const Request&, const std::shared_ptr<Responder>& responder) { waiting.set(responder); });
  TestClient client = server.connect();
  client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  waiting.wait()->send(text(202, "later"));
  EXPECT_EQ(client.read_answer().body, "later");
}

TEST(Server, AnswersHeadWithTheHeadOnly) {
  TestServer server([](const Request& request, const std::shared_ptr<Responder>& responder) {
    if (request.path == "/whole") return responder->send(text(200, "12345"));
    responder->begin(
        {.status = 200, .headers = {}, .content_length = request.path == "/long" ? std::optional(7) : std::nullopt});
    EXPECT_EQ(responder->write("1234567"), request.method == "HEAD" ? WriteResult::kClosed : WriteResult::kTaken);
    responder->finish();
  });
  TestClient client = server.connect();
  client.send("HEAD /whole HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(client.read_answer(true).headers.get("Content-Length"), "5");
  client.send("HEAD /long HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(client.read_answer(true).headers.get("Content-Length"), "7");
  client.send("HEAD /chunked HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(client.read_answer(true).headers.get("Transfer-Encoding"), "chunked");
  EXPECT_EQ(client.ask("GET /long HTTP/1.1\r\nHost: h\r\n\r\n").body, "1234567");
}

TEST(Server, WritesNoBodyForNoContent) {
  TestServer server([](const Request&, const std::shared_ptr<Responder>& responder) {
    responder->send({.status = 204, .headers = {}, .body = "not to be seen"});
  });
  TestClient client = server.connect();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(client.ask("GET / HTTP/1.1\r\nHost: h\r\n\r\n").status, 204);
}

TEST(Server, ServesAnOldClientAndCloses) {
  TestServer server([](const Request& request, const std::shared_ptr<Responder>& responder) {
    if (request.path == "/whole") return responder->send(text(200, "whole"));
    responder->begin({});
    (void)responder->write("a");
    (void)responder->write("b");
    responder->finish();
  });
  TestClient client = server.connect();
  const Answer whole = client.ask("GET /whole HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_EQ(whole.headers.get("Connection"), "keep-alive");
  const Answer streamed = client.ask("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_EQ(streamed.headers.get("Connection"), "close");
  EXPECT_FALSE(streamed.headers.contains("Transfer-Encoding"));
  EXPECT_EQ(streamed.body, "ab");
}

TEST(Server, ClosesWhenEitherSideAsksForIt) {
  TestServer server([](const Request& request, const std::shared_ptr<Responder>& responder) {
    Response response = text(200, "ok");
    if (request.path == "/bye") response.headers.add("Connection", "close");
    responder->send(std::move(response));
  });
  TestClient asked = server.connect();
  EXPECT_EQ(asked.ask("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n").headers.get("Connection"), "close");
  EXPECT_TRUE(asked.at_end());
  TestClient told = server.connect();
  EXPECT_EQ(told.ask("GET /bye HTTP/1.1\r\nHost: h\r\n\r\n").headers.get("Connection"), "close");
  EXPECT_TRUE(told.at_end());
}

TEST(Server, AnswersAClientThatHasClosedItsSide) {
  Signal<std::shared_ptr<Responder>> waiting;
  Signal<bool> closed;
  TestServer server([&](const Request&, const std::shared_ptr<Responder>& responder) {
    responder->on_close([&] { closed.set(true); });
    waiting.set(responder);
  });
  TestClient client = server.connect();
  client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  client.close_sending();
  EXPECT_TRUE(closed.wait());
  waiting.wait()->send(text(200, "still here"));
  EXPECT_EQ(client.read_answer().body, "still here");
  EXPECT_TRUE(client.at_end());
}

TEST(Server, SaysContinueBeforeABodyThatWaitsForIt) {
  TestServer server(echo);
  TestClient client = server.connect();
  client.send("PUT /x HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.read_answer().status, 100);
  EXPECT_EQ(client.ask("hi").body, "PUT /x hi");
  // Who does not wait for it needs none.
  EXPECT_EQ(client.ask("PUT /y HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\nho").body,
            "PUT /y ho");
}

TEST(Server, AsksForAdmissionBeforeTheBody) {
  ServerOptions options;
  options.admit = [](const Request& head) -> Admission {
    if (head.path == "/secret") return {.body_bytes = 0, .refusal = error_answer(401, "who are you?")};
    if (head.path == "/throws") throw std::runtime_error("no");
    return {.body_bytes = head.path == "/large" ? 100U : 5U};
  };
  TestServer server(echo, std::move(options));
  const auto put = [&](const std::string& path, std::size_t bytes) {
    return server.connect().ask("PUT " + path + " HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(bytes) +
                                "\r\n\r\n" + std::string(bytes, 'x'));
  };
  EXPECT_EQ(put("/secret", 3).status, 401);
  EXPECT_EQ(put("/large", 100).status, 200);
  EXPECT_EQ(put("/large", 101).status, 413);
  EXPECT_EQ(put("/small", 5).status, 200);
  EXPECT_EQ(put("/small", 6).status, 413);
  EXPECT_EQ(put("/throws", 1).status, 500);
}

TEST(Server, TellsAClientThatWaitsForContinueThatItIsRefused) {
  ServerOptions options;
  options.limits.body_bytes = 10;
  TestServer server(echo, std::move(options));
  TestClient client = server.connect();
  const Answer answer = client.ask("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 11\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(answer.status, 413);
  EXPECT_EQ(answer.headers.get("Connection"), "close");
  EXPECT_TRUE(client.at_end());
}

TEST(Server, DeliversTheRefusalOfABodyThatIsAlreadyOnItsWay) {
  ServerOptions options;
  options.limits.body_bytes = 10;
  TestServer server(echo, std::move(options));
  TestClient client = server.connect();
  client.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n");
  client.send(std::string(1'000'000, 'x'));
  const Answer answer = client.read_answer();
  EXPECT_EQ(answer.status, 413);
  EXPECT_EQ(answer.body, "the body is larger than 10 bytes\n");
}

TEST(Server, RefusesABadRequestWithAShortSentence) {
  TestServer server(echo);
  TestClient client = server.connect();
  const Answer answer = client.ask("GET /a/../b HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(answer.status, 400);
  EXPECT_EQ(answer.body, "the path has a \"..\" segment\n");
  EXPECT_EQ(answer.headers.get("Content-Type"), "text/plain; charset=utf-8");
  EXPECT_TRUE(client.at_end());
}

TEST(Server, AnswersForAHandlerThatForgetsTo) {
  TestServer server([](const Request&, const std::shared_ptr<Responder>&) {});
  TestClient client = server.connect();
  EXPECT_EQ(client.ask("GET /forgotten HTTP/1.1\r\nHost: h\r\n\r\n").status, 500);
  EXPECT_TRUE(server.sink->comes("error=the handler gave no answer"));
  EXPECT_TRUE(server.sink->has("path=/forgotten"));
  EXPECT_EQ(client.ask("GET / HTTP/1.1\r\nHost: h\r\n\r\n").status, 500);
}

TEST(Server, AnswersForAHandlerThatDropsItsResponderOnAnotherThread) {
  std::jthread later;
  TestServer server([&](const Request&, const std::shared_ptr<Responder>& responder) {
    later = std::jthread([held = responder]() mutable { held.reset(); });
  });
  EXPECT_EQ(server.connect().ask("GET / HTTP/1.1\r\nHost: h\r\n\r\n").status, 500);
}

TEST(Server, AnswersForAHandlerThatThrows) {
  TestServer server([](const Request& request, const std::shared_ptr<Responder>& responder) {
    if (request.path == "/begun") {
      responder->begin({});
      (void)responder->write("half");
    }
    if (request.path == "/odd") throw 7;
    throw std::runtime_error("secret reason");
  });
  const Answer answer = server.connect().ask("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.body, "internal error\n");
  EXPECT_TRUE(server.sink->comes("a handler threw method=GET path=/ error=secret reason"));
  EXPECT_EQ(server.connect().ask("GET /odd HTTP/1.1\r\nHost: h\r\n\r\n").status, 500);
  EXPECT_TRUE(server.connect().ask("GET /begun HTTP/1.1\r\nHost: h\r\n\r\n").truncated);
}

TEST(Server, RefusesHeadersThatAHandlerMustNotSend) {
  TestServer server([](const Request& request, const std::shared_ptr<Responder>& responder) {
    Response response = text(200, "body");
    response.headers.add("X-Name", std::string(*request.query.get("name")));
    responder->send(std::move(response));
  });
  TestClient client = server.connect();
  const Answer answer = client.ask("GET /?name=a%0d%0aSet-Cookie:%20b HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(answer.status, 500);
  EXPECT_FALSE(answer.headers.contains("Set-Cookie"));
  EXPECT_TRUE(answer.body.empty());
  EXPECT_TRUE(server.sink->comes("the value of header X-Name has a control character"));
  EXPECT_TRUE(client.at_end());
}

TEST(Server, IgnoresASecondAnswer) {
  TestServer server([](const Request&, const std::shared_ptr<Responder>& responder) {
    responder->send(text(200, "first"));
    responder->send(text(500, "second"));
    responder->begin({});
    EXPECT_EQ(responder->write("third"), WriteResult::kClosed);
  });
  TestClient client = server.connect();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(client.ask("GET / HTTP/1.1\r\nHost: h\r\n\r\n").body, "first");
}

TEST(Server, ReportsFinishedRequests) {
  Signal<FinishedRequest> finished;
  ServerOptions options;
  options.on_finished = [&](const FinishedRequest& request) { finished.set(request); };
  const Router router = *Router::make({{.method = "PUT", .pattern = "/backups/{name}", .handler = echo}});
  TestServer server(router, std::move(options));
  server.connect().ask("PUT /backups/x HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi");
  const FinishedRequest request = finished.wait();
  EXPECT_EQ(request.method, "PUT");
  EXPECT_EQ(request.route, "/backups/{name}");
  EXPECT_EQ(request.status, 200);
  EXPECT_EQ(request.bytes_received, 2U);
  EXPECT_GT(request.bytes_sent, 17U);
  EXPECT_TRUE(request.complete);
  EXPECT_TRUE(server.sink->has("debug request method=PUT path=/backups/x client=127.0.0.1"));
}

TEST(Server, NamesItsThreads) {
  Signal<std::string> name;
  ServerOptions options;
  options.name = "sandbox-api";
  options.threads = 1;
  TestServer server(
      [&](const Request&, const std::shared_ptr<Responder>& responder) {
        char text_of_name[16] = {};
        pthread_getname_np(pthread_self(), text_of_name, sizeof(text_of_name));
        name.set(text_of_name);
        responder->send(text(200, ""));
      },
      std::move(options));
  server.connect().ask("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(name.wait(), "sandbox-api-0");
}

TEST(ServerStart, NamesTheAddressAndPortThatAreTaken) {
  TestServer first(echo);
  Server second({.port = first.server.port()}, echo, first.clock, {});
  const Status started = second.start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code(), Code::kAlreadyExists);
  EXPECT_THAT(started.error().message(),
              HasSubstr("listen on 127.0.0.1:" + std::to_string(first.server.port()) + ": Address already in use"));
  EXPECT_EQ(first.server.url(), "http://127.0.0.1:" + std::to_string(first.server.port()));
}

TEST(ServerStart, RefusesAnAddressThatIsNotOurs) {
  for (const std::string address : {"203.0.113.7", "no.such.host", "::zz"}) {
    Server server({.address = address, .port = 8080}, echo, system_clock(), {});
    const Status started = server.start();
    ASSERT_FALSE(started) << address;
    EXPECT_EQ(started.error().code(), Code::kInvalid);
    EXPECT_THAT(started.error().message(), HasSubstr("listen on " + address + ":8080: "));
  }
}

TEST(ServerStart, ListensOnAllInterfacesAndShowsIpv4ClientsAsSuch) {
  Signal<Request> got;
  TestServer server(
      [&](Request request, const std::shared_ptr<Responder>& responder) {
        got.set(std::move(request));
        responder->send(text(200, ""));
      },
      {.address = ""});
  server.connect().ask("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(got.wait().peer.address, "127.0.0.1");
}

}  // namespace
}  // namespace landfall::http
