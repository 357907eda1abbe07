#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "io/http_client.h"
#include "testkit/scripted_server.h"
#include "testkit/test_certificates.h"

namespace landfall::io {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testkit::reply;
using testkit::ScriptedConnection;
using testkit::ScriptedRequest;
using testkit::ScriptedServer;
using testkit::ScriptedTls;

std::string at(const ScriptedServer& server, const std::string& before = "http://") {
  return before + "127.0.0.1:" + std::to_string(server.port());
}

std::unique_ptr<HttpClient> through(const std::string& proxy, HttpTlsOptions tls = {}) {
  return HttpClient::create({.tls = std::move(tls), .proxy = HttpProxy::fixed(proxy).value()}).value();
}

TEST(HttpClientProxy, GetsThePlainRequestWithItsWholeUrl) {
  ScriptedServer proxy(ScriptedServer::answering([](const auto&) { return reply(200, "by proxy"); }));
  const std::map<std::string, std::string> variables = {{"HTTP_PROXY", at(proxy)}, {"NO_PROXY", "direct.test"}};
  const auto client =
      HttpClient::create({.proxy = HttpProxy::from_environment(Environment(variables)).value()}).value();

  EXPECT_EQ(client->send({.url = "http://service.test/x?y"}, {})->body, "by proxy");
  EXPECT_EQ(proxy.requests().at(0).target, "http://service.test/x?y");
  EXPECT_FALSE(proxy.requests().at(0).has_header("proxy-authorization"));

  const auto direct = client->send({.url = "http://direct.test/"}, {});
  EXPECT_FALSE(direct) << "its name does not exist, and the proxy is not asked";
  EXPECT_EQ(proxy.requests().size(), 1U);
}

TEST(HttpClientProxy, IsToldWhoWeAre) {
  ScriptedServer proxy(ScriptedServer::answering([](const auto&) { return reply(200, ""); }));
  ASSERT_TRUE(through(at(proxy, "http://user:p%40ss@"))->send({.url = "http://service.test/"}, {}));
  EXPECT_EQ(proxy.requests().at(0).header("proxy-authorization"), "Basic dXNlcjpwQHNz");  // user:p@ss
}

TEST(HttpClientProxy, OpensATunnelForTlsAndSeesNoHeadersOfTheRequest) {
  const testkit::TestCertificates certificates;
  const auto pair = certificates.server({"service.test"});
  // The proxy and the server behind it in one: after the CONNECT it goes on as service.test.
  ScriptedServer proxy(
      [](ScriptedConnection& c) {
        if (!c.read_request() || !c.send("HTTP/1.1 200 OK\r\nX-Proxy: yes\r\n\r\n") || !c.start_tls()) return;
        while (const auto request = c.read_request()) {
          c.send(reply(200, "tunnelled " + request->target));
        }
      },
      ScriptedTls{.certificate_pem = pair.certificate, .key_pem = pair.key, .from_start = false});
  const auto client = through(at(proxy), {.ca_pem = certificates.ca()});

  for (int i = 0; i < 2; ++i) {
    const auto response =
        client->send({.url = "https://service.test/x", .headers = {{"Authorization", "Bearer secret"}}}, {});
    ASSERT_TRUE(response) << response.error().message();
    EXPECT_EQ(response->body, "tunnelled /x");
    EXPECT_FALSE(response->headers.has("x-proxy"));
  }

  const ScriptedRequest connect = proxy.requests().at(0);
  EXPECT_EQ(connect.method, "CONNECT");
  EXPECT_EQ(connect.target, "service.test:443");
  EXPECT_FALSE(connect.has_header("authorization"));
  EXPECT_EQ(proxy.connections(), 1);
}

TEST(HttpClientProxy, ThatRefusesTheTunnelIsNamed) {
  ScriptedServer proxy(ScriptedServer::answering([](const ScriptedRequest& request) {
    return reply(request.header("proxy-authorization").empty() ? 407 : 403, "go away");
  }));
  const auto unknown = through(at(proxy))->send({.method = "POST", .url = "https://service.test/"}, {});
  const auto refused =
      through(at(proxy, "http://u:secret@"))->send({.method = "POST", .url = "https://service.test/"}, {});

  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code(), Code::kUnauthenticated);
  EXPECT_THAT(unknown.error().message(), HasSubstr("the proxy answered CONNECT with status 407"));
  EXPECT_FALSE(unknown.error().request_may_have_been_sent());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Code::kUnavailable);
  EXPECT_THAT(refused.error().message(), Not(HasSubstr("secret")));
}

TEST(HttpClientProxy, LeadsToTheAddressWhenTheServerNameIsAnother) {
  const testkit::TestCertificates certificates;
  const auto pair = certificates.server({"kubernetes.test"});
  ScriptedServer proxy(
      [](ScriptedConnection& c) {
        if (c.read_request() && c.send("HTTP/1.1 200 OK\r\n\r\n") && c.start_tls() && c.read_request()) {
          c.send(reply(200, "ok"));
        }
      },
      ScriptedTls{.certificate_pem = pair.certificate, .key_pem = pair.key, .from_start = false});
  const auto client = through(at(proxy), {.ca_pem = certificates.ca(), .server_name = "kubernetes.test"});
  const auto response = client->send({.url = "https://10.0.0.1:6443/"}, {});
  ASSERT_TRUE(response) << response.error().message();
  EXPECT_EQ(proxy.requests().at(0).target, "10.0.0.1:6443");
  EXPECT_EQ(proxy.requests().at(1).header("host"), "10.0.0.1:6443");
}

TEST(HttpClientProxy, MaySpeakTlsItself) {
  const testkit::TestCertificates certificates;
  const auto pair = certificates.server();
  ScriptedServer proxy(ScriptedServer::answering([](const auto&) { return reply(200, "by proxy"); }),
                       ScriptedTls{.certificate_pem = pair.certificate, .key_pem = pair.key});
  const auto trusting = through(at(proxy, "https://"), {.ca_pem = certificates.ca()});
  const auto response = trusting->send({.url = "http://service.test/"}, {});
  ASSERT_TRUE(response) << response.error().message();
  EXPECT_EQ(response->body, "by proxy");

  const testkit::TestCertificates other;
  const auto doubting =
      through(at(proxy, "https://"), {.ca_pem = other.ca()})->send({.url = "http://service.test/"}, {});
  ASSERT_FALSE(doubting);
  EXPECT_EQ(doubting.error().code(), Code::kUnauthenticated);
  EXPECT_THAT(doubting.error().message(), HasSubstr("the certificate of the proxy is signed by an unknown authority"));
}

TEST(HttpClientProxy, SpeaksSocks5AndLetsTheProxyResolve) {
  std::string asked;
  ScriptedServer proxy([&](ScriptedConnection& c) {
    const auto greeting = c.read_bytes(2);  // version, number of methods
    if (!greeting || !c.read_bytes(static_cast<std::size_t>((*greeting)[1])) || !c.send(std::string("\x05\x00", 2))) {
      return;
    }
    const auto head = c.read_bytes(5);  // version, connect, 0, name, its length
    const auto name = head ? c.read_bytes(static_cast<std::size_t>((*head)[4])) : std::nullopt;
    if (!name || !c.read_bytes(2) || !c.send(std::string("\x05\x00\x00\x01\0\0\0\0\0\0", 10))) return;
    asked = *name;
    if (c.read_request()) c.send(reply(200, "through socks"));
  });
  const auto response = through(at(proxy, "socks5://"))->send({.url = "http://service.test/"}, {});
  ASSERT_TRUE(response) << response.error().message();
  EXPECT_EQ(response->body, "through socks");
  proxy.stop();
  EXPECT_EQ(asked, "service.test");
}

TEST(HttpClientProxy, ThatIsDownIsUnavailableAndNothingWasSent) {
  std::string address;
  {
    const ScriptedServer proxy([](ScriptedConnection&) {});
    address = at(proxy);
  }
  const auto response = through(address)->send({.method = "POST", .url = "http://service.test/"}, {});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code(), Code::kUnavailable);
  EXPECT_FALSE(response.error().request_may_have_been_sent());
}

}  // namespace
}  // namespace landfall::io
