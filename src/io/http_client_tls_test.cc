#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <string>

#include "io/http_client.h"
#include "io/http_tls.h"
#include "testkit/scripted_server.h"
#include "testkit/temp_dir.h"
#include "testkit/test_certificates.h"

namespace landfall::io {
namespace {

using ::testing::HasSubstr;
using testkit::CertificateAndKey;
using testkit::reply;
using testkit::ScriptedConnection;
using testkit::ScriptedRequest;
using testkit::ScriptedServer;
using testkit::ScriptedTls;
using testkit::TestCertificates;

std::string encrypted_key() {
  EVP_PKEY* key = EVP_EC_gen("P-256");
  BIO* bio = BIO_new(BIO_s_mem());
  const unsigned char passphrase[] = {'x'};
  PEM_write_bio_PrivateKey(bio, key, EVP_aes_128_cbc(), passphrase, sizeof passphrase, nullptr, nullptr);
  char* data = nullptr;
  const auto size = BIO_get_mem_data(bio, &data);
  std::string pem(data, static_cast<std::size_t>(size));
  BIO_free(bio);
  EVP_PKEY_free(key);
  return pem;
}

class HttpTls : public testing::Test {
 protected:
  static ScriptedTls with(const CertificateAndKey& pair) {
    return {.certificate_pem = pair.certificate, .key_pem = pair.key};
  }
  static HttpResult<HttpResponse> get(const std::string& url, HttpTlsOptions tls) {
    return HttpClient::create({.tls = std::move(tls)}).value()->send({.url = url}, {});
  }
  // Localhost by name: the certificate's DNS names are checked.
  static std::string by_name(const ScriptedServer& server) {
    return "https://localhost:" + std::to_string(server.port()) + "/path";
  }
  static ScriptedServer::Script ok() {
    return ScriptedServer::answering([](const ScriptedRequest&) { return reply(200, "ok"); });
  }

  TestCertificates certificates_;
};

TEST_F(HttpTls, TrustsAServerOfTheGivenAuthority) {
  ScriptedServer server(ok(), with(certificates_.server()));
  for (const std::string& url : {server.url(), by_name(server)}) {
    const auto response = get(url, {.ca_pem = certificates_.ca()});
    ASSERT_TRUE(response) << response.error().message();
    EXPECT_EQ(response->body, "ok");
  }
}

TEST_F(HttpTls, ReadsAuthoritiesFromAFileAndAddsThoseGiven) {
  const TestCertificates other;
  const testkit::TempDir directory;
  const std::string file = directory.write("ca.crt", "a comment\n" + certificates_.ca());
  ScriptedServer server(ok(), with(certificates_.server()));
  EXPECT_TRUE(get(server.url(), {.ca_file = file}));
  EXPECT_TRUE(get(server.url(), {.ca_pem = other.ca(), .ca_file = file}));
  EXPECT_TRUE(get(server.url(), {.ca_pem = other.ca() + certificates_.ca()}));
}

TEST_F(HttpTls, FindsTheSystemsAuthoritiesByTheVariable) {
  const testkit::TempDir directory;
  const std::string file = directory.write("bundle.crt", certificates_.ca());
  ScriptedServer server(ok(), with(certificates_.server()));
  const std::map<std::string, std::string> variables = {{"SSL_CERT_FILE", file}};
  const auto client = HttpClient::create({.environment = Environment(variables)}).value();
  EXPECT_TRUE(client->send({.url = server.url()}, {}));
  std::filesystem::remove(file);
  EXPECT_TRUE(client->send({.url = server.url()}, {})) << "they are read once";

  const auto late = HttpClient::create({.environment = Environment(variables)}).value();
  const auto response = late->send({.url = server.url()}, {});
  ASSERT_FALSE(response);
  EXPECT_THAT(response.error().message(), HasSubstr("SSL_CERT_FILE"));
  EXPECT_FALSE(response.error().request_may_have_been_sent());
}

TEST_F(HttpTls, RefusesACertificateInOneSentenceThatNamesTheHost) {
  const TestCertificates unknown;
  const CertificateAndKey future = certificates_.issue(
      {.names = {"localhost"}, .valid_from = std::chrono::hours(1), .valid_until = std::chrono::hours(2)});
  const CertificateAndKey not_a_server = certificates_.issue({.names = {"localhost"}, .for_client = true});
  const std::pair<CertificateAndKey, const char*> cases[] = {
      {certificates_.expired_server(), "has expired"},
      {future, "is not valid yet; is the clock of this machine right?"},
      {unknown.server(), "is signed by an unknown authority"},
      {certificates_.server({"other.test", "10.0.0.1"}), "is for another host"},
      {not_a_server, "is not meant for a server"},
  };
  for (const auto& [certificate, reason] : cases) {
    ScriptedServer server(ok(), with(certificate));
    const auto response = get(by_name(server), {.ca_pem = certificates_.ca()});
    ASSERT_FALSE(response) << reason;
    EXPECT_EQ(response.error().code(), Code::kUnauthenticated);
    EXPECT_FALSE(response.error().request_may_have_been_sent());
    EXPECT_EQ(response.error().message(),
              "GET " + by_name(server) + ": the certificate of \"localhost\" " + std::string(reason));
    EXPECT_TRUE(server.requests().empty());
  }
}

TEST_F(HttpTls, DoesNotTrustTheSystemsAuthoritiesBesideTheGivenOnes) {
  // A server of an unknown authority stays unknown whatever the system trusts; and without any, nothing is trusted.
  ScriptedServer server(ok(), with(certificates_.server()));
  const auto response = get(server.url(), {});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code(), Code::kUnauthenticated) << response.error().message();
}

TEST_F(HttpTls, SkipsVerificationOnlyWhenTold) {
  ScriptedServer server(ok(), with(certificates_.expired_server({"other.test"})));
  EXPECT_TRUE(get(server.url(), {.skip_verification = true}));
}

TEST_F(HttpTls, VerifiesAgainstAnotherNameButConnectsToTheAddress) {
  ScriptedServer server(ok(), with(certificates_.server({"kubernetes.test"})));
  const auto response = get(server.url("/api"), {.ca_pem = certificates_.ca(), .server_name = "kubernetes.test"});
  ASSERT_TRUE(response) << response.error().message();
  EXPECT_EQ(server.requests().at(0).header("host"), "127.0.0.1:" + std::to_string(server.port()));
  EXPECT_EQ(server.requests().at(0).target, "/api");

  const auto wrong = get(server.url(), {.ca_pem = certificates_.ca(), .server_name = "other.test"});
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message(), HasSubstr("the certificate of \"other.test\" is for another host"));
}

TEST_F(HttpTls, ShowsAClientCertificate) {
  ScriptedTls tls = with(certificates_.server());
  tls.client_ca_pem = certificates_.ca();
  ScriptedServer server(ok(), tls);
  const CertificateAndKey client = certificates_.client("admin");
  const auto response =
      get(server.url(),
          {.ca_pem = certificates_.ca(), .client_certificate_pem = client.certificate, .client_key_pem = client.key});
  EXPECT_TRUE(response) << response.error().message();
}

TEST_F(HttpTls, SaysThatTheServerWantsAnotherClientCertificate) {
  const TestCertificates other;
  ScriptedTls tls = with(certificates_.server());
  tls.client_ca_pem = certificates_.ca();
  ScriptedServer server(ok(), tls);
  const CertificateAndKey wrong = other.client("admin");
  const HttpTlsOptions none = {.ca_pem = certificates_.ca()};
  const HttpTlsOptions unknown = {
      .ca_pem = certificates_.ca(), .client_certificate_pem = wrong.certificate, .client_key_pem = wrong.key};
  for (const HttpTlsOptions& options : {none, unknown}) {
    const auto response = get(server.url(), options);
    ASSERT_FALSE(response);
    EXPECT_EQ(response.error().code(), Code::kUnauthenticated) << response.error().message();
    EXPECT_THAT(response.error().message(), HasSubstr("wants a client certificate, or does not accept ours"));
  }
}

TEST_F(HttpTls, RefusesAnOldProtocol) {
  ScriptedTls tls = with(certificates_.server());
  tls.only_tls_1_1 = true;
  ScriptedServer server(ok(), tls);
  const auto response = get(server.url(), {.ca_pem = certificates_.ca()});
  ASSERT_FALSE(response);
  EXPECT_THAT(response.error().message(), HasSubstr("TLS handshake"));
}

TEST_F(HttpTls, SaysWhenTheServerDoesNotSpeakTls) {
  ScriptedServer server([](ScriptedConnection& c) {
    if (c.read_some()) c.send(reply(400, "this is not TLS"));
  });
  std::string url = server.url();
  url.replace(0, 4, "https");
  const auto response = get(url, {.ca_pem = certificates_.ca()});
  ASSERT_FALSE(response);
  EXPECT_THAT(response.error().message(), HasSubstr("the server does not speak TLS on this port"));
}

TEST_F(HttpTls, ReusesItsConnection) {
  ScriptedServer server(ok(), with(certificates_.server()));
  const auto client = HttpClient::create({.tls = {.ca_pem = certificates_.ca()}}).value();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(client->send({.url = server.url()}, {}));
  }
  EXPECT_EQ(server.connections(), 1);
}

TEST_F(HttpTls, FallsBackWhenTheServerDoesNotSpeakHttp2) {
  ScriptedServer server(ok(), with(certificates_.server()));
  const auto client = HttpClient::create({.tls = {.ca_pem = certificates_.ca()}, .http2 = true}).value();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(client->send({.url = server.url()}, {}));
  }
  EXPECT_EQ(server.connections(), 1);
}

TEST_F(HttpTls, AResetDuringAnUploadIsAnErrorAndNoSignal) {
  ScriptedServer server(
      [](ScriptedConnection& c) {
        if (c.read_head() && c.read_bytes(100'000)) c.reset();
      },
      with(certificates_.server()));
  const std::string bytes(32UL << 20U, 'x');
  const auto client = HttpClient::create({.tls = {.ca_pem = certificates_.ca()}}).value();
  const auto response = client->send({.method = "PUT", .url = server.url(), .body = HttpBody::view(bytes)}, {});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code(), Code::kUnavailable) << response.error().message();
}

TEST_F(HttpTls, RefusesMaterialItCannotUseAndNamesTheField) {
  const CertificateAndKey one = certificates_.client("one");
  const CertificateAndKey two = certificates_.client("two");
  std::string damaged = certificates_.ca();
  damaged[damaged.size() / 2] = '!';
  const std::pair<HttpTlsOptions, const char*> cases[] = {
      {{.ca_pem = "not PEM"}, "tls: authorities: there is no PEM certificate in it"},
      {{.ca_pem = certificates_.ca() + damaged}, "tls: authorities: certificate 2 of the PEM text is damaged"},
      {{.ca_file = "/nowhere/ca.crt"}, "/nowhere/ca.crt"},
      {{.client_certificate_pem = one.certificate}, "one of them is missing"},
      {{.client_certificate_pem = one.certificate, .client_key_pem = two.key}, "does not belong to"},
      {{.client_certificate_pem = "x", .client_key_pem = one.key}, "tls: client certificate: "},
      {{.client_certificate_pem = one.certificate, .client_key_pem = "x"}, "tls: client key: there is no usable"},
      {{.server_name = "not a name"}, "tls: server name \"not a name\""},
  };
  for (const auto& [options, reason] : cases) {
    const auto client = HttpClient::create({.tls = options});
    ASSERT_FALSE(client) << reason;
    EXPECT_THAT(client.error().message(), HasSubstr(reason));
  }
}

TEST_F(HttpTls, DoesNotAskForThePassphraseOfAnEncryptedKey) {
  const std::string encrypted = encrypted_key();
  const auto client = HttpClient::create(
      {.tls = {.client_certificate_pem = certificates_.client("x").certificate, .client_key_pem = encrypted}});
  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().message(), "tls: client key: it is encrypted with a passphrase; give it without one");
}

TEST_F(HttpTls, KnowsWhenACertificateExpires) {
  const CertificateAndKey pair = certificates_.issue({.valid_until = std::chrono::hours(10)});
  const Result<WallTime> expiry = certificate_expiry(pair.certificate);
  ASSERT_TRUE(expiry);
  const Duration left = *expiry - system_clock().wall_now();
  EXPECT_GT(left, std::chrono::hours(9));
  EXPECT_LE(left, std::chrono::hours(10));
  EXPECT_FALSE(certificate_expiry("nothing"));
}

}  // namespace
}  // namespace landfall::io
