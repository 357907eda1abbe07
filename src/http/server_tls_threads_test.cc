#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/test_server.h"
#include "testkit/test_certificates.h"

namespace landfall::http {
namespace {

using std::chrono::milliseconds;
using testing::Answer;
using testing::ClientTls;
using testing::echo;
using ::testing::HasSubstr;
using testing::Signal;
using testing::TestClient;
using testing::TestServer;
using testkit::CertificateAndKey;
using testkit::TestCertificates;

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";

const TestCertificates& certificates() {
  static const TestCertificates all;
  return all;
}

ServerOptions options_for(const CertificateAndKey& server, ClientCertificates clients = ClientCertificates::kIgnored) {
  ServerOptions options;
  options.tls = TlsOptions{.certificate_pem = server.certificate,
                           .key_pem = server.key,
                           .client_ca_pem = certificates().ca(),
                           .client_certificates = clients};
  return options;
}

ClientTls trusting() { return {.ca_pem = certificates().ca(), .certificate_pem = "", .key_pem = ""}; }

ClientTls showing(const CertificateAndKey& own) {
  return {.ca_pem = certificates().ca(), .certificate_pem = own.certificate, .key_pem = own.key};
}

// Who the server says the client is; nothing when it does not answer.
std::optional<std::string> served_as(const TestServer& server, const ClientTls& tls) {
  TestClient client = server.connect();
  if (!client.start_tls(tls)) return std::nullopt;
  // With TLS 1.3 a client learns only from its first read that its certificate was refused.
  const Answer answer = client.ask(kGet);
  if (answer.truncated) return std::nullopt;
  return answer.body;
}

void name_the_client(const Request& request, const std::shared_ptr<Responder>& responder) {
  std::string who = "nobody";
  if (request.peer.identity) {
    who = request.peer.identity->common_name;
    for (const std::string& group : request.peer.identity->organizations) who += " " + group;
  }
  responder->send(text(200, who));
}

TEST(ServerTls, ServesRequestsAndStreams) {
  TestServer server(
      [](const Request& request, const std::shared_ptr<Responder>& responder) {
        if (request.path == "/") return responder->send(text(200, std::string(300'000, 'x')));
        responder->begin({});
        for (int i = 0; i < 10; ++i) (void)responder->write(std::string(1000, 'y'));
        responder->finish();
      },
      options_for(certificates().server()));
  TestClient client = server.connect();
  ASSERT_TRUE(client.start_tls(trusting()));
  EXPECT_EQ(client.protocol(), "http/1.1");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(client.ask(kGet).body, std::string(300'000, 'x'));
    EXPECT_EQ(client.ask("GET /stream HTTP/1.1\r\nHost: h\r\n\r\n").body, std::string(10'000, 'y'));
  }
  EXPECT_EQ(client.ask("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n").status, 200);
  EXPECT_TRUE(client.at_end());
  EXPECT_EQ(server.server.url(), "https://127.0.0.1:" + std::to_string(server.server.port()));
}

TEST(ServerTls, TakesLargeBodies) {
  TestServer server(
      [](const Request& request, const std::shared_ptr<Responder>& responder) {
        responder->send(text(200, std::to_string(request.body.size())));
      },
      options_for(certificates().server()));
  TestClient client = server.connect();
  ASSERT_TRUE(client.start_tls(trusting()));
  client.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 2000000\r\n\r\n");
  EXPECT_EQ(client.ask(std::string(2'000'000, 'x')).body, "2000000");
}

TEST(ServerTls, KnowsTheClientByItsCertificate) {
  TestServer server(name_the_client, options_for(certificates().server(), ClientCertificates::kRequired));
  EXPECT_EQ(served_as(server, showing(certificates().client("alice", {"system:masters", "ops"}))),
            "alice system:masters ops");
}

TEST(ServerTls, RefusesAClientWithoutACertificateWhenOneIsRequired) {
  TestServer server(name_the_client, options_for(certificates().server(), ClientCertificates::kRequired));
  EXPECT_EQ(served_as(server, trusting()), std::nullopt);
  EXPECT_TRUE(server.sink->comes("info TLS handshake failed client=127.0.0.1"));
}

TEST(ServerTls, TakesAClientWithoutACertificateWhenItIsOptional) {
  TestServer server(name_the_client, options_for(certificates().server(), ClientCertificates::kOptional));
  EXPECT_EQ(served_as(server, trusting()), "nobody");
  EXPECT_EQ(served_as(server, showing(certificates().client("bob"))), "bob");
}

TEST(ServerTls, RefusesACertificateOfAnotherAuthority) {
  const TestCertificates others;
  for (const ClientCertificates mode : {ClientCertificates::kOptional, ClientCertificates::kRequired}) {
    TestServer server(name_the_client, options_for(certificates().server(), mode));
    EXPECT_EQ(served_as(server, showing(others.client("mallory"))), std::nullopt);
  }
}

TEST(ServerTls, RefusesAServersCertificateAsAClients) {
  TestServer server(name_the_client, options_for(certificates().server(), ClientCertificates::kOptional));
  EXPECT_EQ(served_as(server, showing(certificates().server())), std::nullopt);
}

TEST(ServerTls, SurvivesClientsThatDoNotSpeakTls) {
  TestServer server(echo, options_for(certificates().server()));
  TestClient plain = server.connect();
  plain.send(kGet);
  plain.read_to_end();  // an alert, then the end
  TestClient distrustful = server.connect();
  const TestCertificates others;
  EXPECT_FALSE(distrustful.start_tls({.ca_pem = others.ca(), .certificate_pem = "", .key_pem = ""}));
  distrustful.close();
  TestClient good = server.connect();
  ASSERT_TRUE(good.start_tls(trusting()));
  EXPECT_EQ(good.ask(kGet).status, 200);
}

TEST(ServerTls, ClosesAHandshakeThatGoesNowhere) {
  TestServer server(echo, options_for(certificates().server()));
  TestClient silent = server.connect();
  silent.send("\x16\x03\x01");
  server.advance_until([&] { return silent.readable(milliseconds(10)); });
  EXPECT_TRUE(silent.at_end());
}

TEST(ServerTls, NoticesAStreamsClientThatGoes) {
  Signal<bool> gone;
  TestServer server(
      [&](const Request&, const std::shared_ptr<Responder>& responder) {
        responder->on_close([&gone, responder] { gone.set(true); });
        responder->begin({});
      },
      options_for(certificates().server()));
  TestClient client = server.connect();
  ASSERT_TRUE(client.start_tls(trusting()));
  client.send(kGet);
  EXPECT_EQ(client.read_answer(true).status, 200);
  client.close();
  EXPECT_TRUE(gone.wait());
  while (server.server.open_connections() > 0) std::this_thread::yield();
}

TEST(ServerTls, DeliversARefusalWhileTheBodyIsOnItsWay) {
  ServerOptions options = options_for(certificates().server());
  options.limits.body_bytes = 10;
  TestServer server(echo, std::move(options));
  TestClient client = server.connect();
  ASSERT_TRUE(client.start_tls(trusting()));
  client.send("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 200000\r\n\r\n");
  client.send(std::string(200'000, 'x'));
  EXPECT_EQ(client.read_answer().status, 413);
}

TEST(ServerTls, RefusesToStartWithKeysThatDoNotFit) {
  const CertificateAndKey one = certificates().server();
  const CertificateAndKey other = certificates().server();
  const auto start_with = [&](const CertificateAndKey& own, const std::string& ca) {
    ServerOptions options = options_for(own, ClientCertificates::kOptional);
    options.tls->client_ca_pem = ca;
    options.name = "api";
    return Server(std::move(options), echo, system_clock(), {}).start();
  };
  EXPECT_TRUE(start_with(one, certificates().ca()));
  const Status swapped = start_with({one.certificate, other.key}, certificates().ca());
  ASSERT_FALSE(swapped);
  EXPECT_EQ(swapped.error().code(), Code::kInvalid);
  EXPECT_THAT(swapped.error().message(), HasSubstr("TLS for api: the server's key does not fit its certificate"));
  EXPECT_FALSE(start_with({"nonsense", one.key}, certificates().ca()));
  EXPECT_FALSE(start_with({one.certificate, ""}, certificates().ca()));
  EXPECT_FALSE(start_with(one, "nonsense"));
}

}  // namespace
}  // namespace landfall::http
