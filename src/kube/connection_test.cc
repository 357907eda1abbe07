#include "kube/connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/manual_clock.h"
#include "base/rfc3339.h"
#include "io/fake_process.h"
#include "kube/identity_headers.h"
#include "testkit/scripted_server.h"
#include "testkit/temp_dir.h"
#include "testkit/test_certificates.h"

namespace landfall::kube {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

class ConnectionTest : public testing::Test {
 protected:
  static Config config(const std::string& server = "https://10.0.0.1:6443/") {
    Config config;
    config.origin = "context x of /c";
    config.server = server;
    return config;
  }

  // A plugin that counts its runs: tokens "run 1", "run 2" …, each good for `lifetime` from now.
  Config config_with_plugin() {
    processes_.add("login", [this](io::FakeProcess& process) -> Result<int> {
      ++runs_;
      if (plugin_fails_) {
        process.err("not today\n");
        return 1;
      }
      const std::string expiry =
          lifetime_ ? R"(,"expirationTimestamp":")" + format_rfc3339(plugin_clock_.wall_now() + *lifetime_) + "\"" : "";
      process.out(R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":{"token":"run )" +
                  std::to_string(runs_) + "\"" + expiry + "}}");
      return 0;
    });
    Config with = config();
    with.exec = ExecPlugin{.api_version = "client.authentication.k8s.io/v1", .command = "login"};
    return with;
  }

  std::unique_ptr<Connection> connect(Config with) {
    auto connection = Connection::create(std::move(with), Environment(), processes_, clock_, Logger());
    EXPECT_TRUE(connection) << connection.error().message();
    return connection ? *std::move(connection) : nullptr;
  }
  std::string refusal(Config with) {
    auto connection = Connection::create(std::move(with), Environment(), processes_, clock_, Logger());
    return connection ? "no error" : connection.error().message();
  }
  static std::string authorization(Connection& connection) {
    const auto identity = connection.identity({});
    return identity ? std::string((*identity)->headers.get("Authorization").value_or("none"))
                    : identity.error().message();
  }

  // Certificates are made for the real date.
  ManualClock clock_{system_clock().wall_now()};
  ManualClock plugin_clock_{system_clock().wall_now()};
  io::FakeProcessRunner processes_;
  testkit::TempDir dir_;
  int runs_ = 0;
  bool plugin_fails_ = false;
  std::optional<Duration> lifetime_ = hours(1);
};

TEST_F(ConnectionTest, SendsTheHeadersOfItsUser) {
  Config with = config();
  with.token = "t";
  with.impersonate = {
      .user = "carl", .uid = "17", .groups = {"dev", "ops"}, .extra = {{"example.com/Scope 100%", {"view", "edit"}}}};
  const auto connection = connect(with);

  EXPECT_EQ(connection->server(), "https://10.0.0.1:6443");
  EXPECT_THAT(
      (*connection->identity({}))->headers.fields(),
      ElementsAre(Pair("Authorization", "Bearer t"), Pair("Impersonate-User", "carl"), Pair("Impersonate-Uid", "17"),
                  Pair("Impersonate-Group", "dev"), Pair("Impersonate-Group", "ops"),
                  Pair("Impersonate-Extra-example.com%2FScope%20100%25", "view"),
                  Pair("Impersonate-Extra-example.com%2FScope%20100%25", "edit")));
  EXPECT_FALSE(connection->reject(*connection->identity({}))) << "there is no other identity to be had";

  Config basic = config();
  basic.username = "ann";
  basic.password = "s:cret";
  EXPECT_EQ(authorization(*connect(basic)), "Basic YW5uOnM6Y3JldA==");

  Config evil = config();
  evil.token = "hidden\r\nEvil: 1";
  EXPECT_EQ(refusal(evil), "context x of /c: token: holds a line break or another control character");
  evil.token_file = dir_.write("token", evil.token);
  EXPECT_EQ(refusal(evil),
            "context x of /c: tokenFile " + evil.token_file + ": holds a line break or another control character");
}

TEST_F(ConnectionTest, ReadsATokenFileAgain) {
  Config with = config();
  with.token = "static";
  with.token_file = dir_.write("token", "one\n");
  const auto connection = connect(with);
  EXPECT_EQ(authorization(*connection), "Bearer one");
  const auto first = *connection->identity({});

  dir_.write("token", "another\n");
  EXPECT_EQ(*connection->identity({}), first) << "looked at the file although no time has passed";
  clock_.advance(seconds(1));
  EXPECT_EQ(authorization(*connection), "Bearer another");
  EXPECT_EQ((*connection->identity({}))->http, first->http) << "a new token needs no new connections";

  // What a file system that does not tell looks like: same size, same times.
  const auto path = dir_.path() / "token";
  const auto modified = std::filesystem::last_write_time(path);
  dir_.write("token", "aNOTHER\n");
  std::filesystem::last_write_time(path, modified);
  clock_.jump_wall(-hours(1000));
  clock_.advance(minutes(1));
  EXPECT_EQ(authorization(*connection), "Bearer aNOTHER");

  // Gone, or half written: what it held before is better than nothing.
  dir_.write("token", "");
  clock_.advance(minutes(2));
  EXPECT_EQ(authorization(*connection), "Bearer aNOTHER");
  std::filesystem::remove(path);
  clock_.advance(minutes(2));
  EXPECT_EQ(authorization(*connection), "Bearer aNOTHER");
  dir_.write("token", "back");
  clock_.advance(seconds(1));
  EXPECT_EQ(authorization(*connection), "Bearer back");
}

TEST_F(ConnectionTest, ReadsATokenFileAtOnceWhenItIsRejected) {
  Config with = config();
  with.token_file = dir_.write("token", "one");
  const auto connection = connect(with);
  const auto first = *connection->identity({});
  dir_.write("token", "two");

  EXPECT_TRUE(connection->reject(first));
  EXPECT_EQ(authorization(*connection), "Bearer two");

  const auto second = *connection->identity({});
  EXPECT_FALSE(connection->reject(second)) << "it was read just now";
  EXPECT_TRUE(connection->reject(first)) << "it has been replaced already";
  clock_.advance(seconds(1));
  EXPECT_TRUE(connection->reject(second));
  EXPECT_EQ(*connection->identity({}), second);
}

TEST_F(ConnectionTest, NamesTheFieldOfWhatItCannotUse) {
  const testkit::TestCertificates authority;
  const auto ann = authority.client("ann");
  const auto old =
      authority.issue({.common_name = "ann", .for_client = true, .valid_from = hours(-48), .valid_until = hours(-24)});
  const std::string missing = dir_.path() / "missing";

  Config with = config();
  with.token_file = missing;
  EXPECT_EQ(refusal(with), "context x of /c: tokenFile " + missing + ": No such file or directory");
  with = config();
  with.certificate_authority.file = missing;
  EXPECT_EQ(refusal(with), "context x of /c: certificate-authority " + missing + ": No such file or directory");
  with = config();
  with.certificate_authority.data = "rubbish";
  EXPECT_THAT(refusal(with), HasSubstr("certificate-authority-data: certificate: there is no PEM certificate in it"));
  with = config();
  with.client_certificate.data = ann.certificate;
  with.client_key.data = "rubbish";
  EXPECT_THAT(refusal(with), HasSubstr("client-key-data: tls: client key: there is no usable PEM private key in it"));
  with.client_key.data = authority.client("bob").key;
  EXPECT_THAT(refusal(with),
              HasSubstr("client-key-data: tls: the client key does not belong to the client certificate"));
  with.client_certificate = {.data = "", .file = dir_.write("old.crt", old.certificate)};
  with.client_key.data = old.key;
  EXPECT_THAT(refusal(with),
              HasSubstr("context x of /c: client-certificate " + with.client_certificate.file +
                        ": the certificate expired on " + format_rfc3339(clock_.wall_now() - hours(24)).substr(0, 10)));
  with = config();
  with.server = "gopher://h";
  EXPECT_THAT(refusal(with), HasSubstr("context x of /c: server: the scheme"));
  with = config();
  with.proxy_url = "ftp://h";
  EXPECT_THAT(refusal(with), HasSubstr("proxy-url: proxy: the scheme"));
}

TEST_F(ConnectionTest, ShowsItsCertificateAndTakesUpANewOne) {
  const testkit::TestCertificates authority;
  const auto ann = authority.client("ann");
  const auto server_pair = authority.server();
  testkit::ScriptedServer server(
      testkit::ScriptedServer::answering([](const auto&) { return testkit::reply(200); }),
      testkit::ScriptedTls{
          .certificate_pem = server_pair.certificate, .key_pem = server_pair.key, .client_ca_pem = authority.ca()});
  Config with = config(server.url());
  with.certificate_authority.file = dir_.write("ca.crt", authority.ca());
  with.client_certificate.file = dir_.write("ann.crt", ann.certificate);
  with.client_key.file = dir_.write("ann.key", ann.key);
  const auto connection = connect(with);
  const auto first = *connection->identity({});
  const auto get = [&](const Identity& identity) {
    const auto response = identity.http->send({.url = connection->server() + "/version"}, {});
    return response ? std::to_string(response->status) : response.error().message();
  };
  EXPECT_EQ(get(*first), "200");

  // The key comes second: until then the old pair is used.
  const auto renewed = authority.client("ann");
  dir_.write("ann.crt", renewed.certificate);
  clock_.advance(seconds(1));
  EXPECT_EQ(*connection->identity({}), first);
  dir_.write("ann.key", renewed.key);
  clock_.advance(seconds(1));
  const auto second = *connection->identity({});
  EXPECT_NE(second->http, first->http);
  EXPECT_EQ(second->tls.client_certificate_pem, renewed.certificate);
  EXPECT_EQ(get(*second), "200");

  // Another authority: the server is not the one we know any more.
  dir_.write("ca.crt", testkit::TestCertificates().ca());
  clock_.advance(seconds(1));
  EXPECT_THAT(get(**connection->identity({})), HasSubstr("certificate"));
}

TEST_F(ConnectionTest, SaysThatItsCertificateHasExpiredWhileRunning) {
  const testkit::TestCertificates authority;
  const auto ann = authority.client("ann");
  Config with = config();
  with.client_certificate.file = dir_.write("ann.crt", ann.certificate);
  with.client_key.file = dir_.write("ann.key", ann.key);
  const auto connection = connect(with);
  ASSERT_TRUE(connection->identity({}));

  clock_.advance(hours(30));
  const auto expired = connection->identity({});
  ASSERT_FALSE(expired);
  EXPECT_EQ(expired.error().code(), Code::kUnauthenticated);
  EXPECT_THAT(expired.error().message(),
              HasSubstr("client-certificate " + with.client_certificate.file + ": the certificate expired on 20"));

  const auto renewed = authority.issue({.common_name = "ann", .for_client = true, .valid_until = hours(1000)});
  dir_.write("ann.crt", renewed.certificate);
  dir_.write("ann.key", renewed.key);
  clock_.advance(seconds(1));
  EXPECT_TRUE(connection->identity({}));
  // Whoever has a token as well gets on without.
  Config both = with;
  both.token = "t";
  clock_.jump_wall(hours(2000));
  EXPECT_EQ(authorization(*connect(both)), "Bearer t");
  clock_.jump_wall(-hours(2000));
  // A wall clock that ran ahead comes back: good again, too.
  clock_.jump_wall(hours(2000));
  EXPECT_FALSE(connection->identity({}));
  clock_.jump_wall(-hours(2000));
  clock_.advance(seconds(1));
  EXPECT_TRUE(connection->identity({}));
}

TEST_F(ConnectionTest, AsksThePluginAgainShortlyBeforeItsTokenExpires) {
  const auto connection = connect(config_with_plugin());
  EXPECT_EQ(runs_, 0) << "creating a connection runs nothing";
  EXPECT_EQ(authorization(*connection), "Bearer run 1");
  clock_.advance(minutes(58));
  EXPECT_EQ(authorization(*connection), "Bearer run 1");
  plugin_clock_.advance(minutes(58));
  clock_.advance(seconds(61));
  EXPECT_EQ(authorization(*connection), "Bearer run 2");
  EXPECT_EQ(authorization(*connection), "Bearer run 2");
  EXPECT_EQ(runs_, 2);
}

TEST_F(ConnectionTest, KeepsATokenWithoutExpiryUntilItIsRejected) {
  lifetime_.reset();
  const auto connection = connect(config_with_plugin());
  const auto first = *connection->identity({});
  clock_.advance(hours(10000));
  EXPECT_EQ(*connection->identity({}), first);

  EXPECT_TRUE(connection->reject(first));
  EXPECT_EQ(authorization(*connection), "Bearer run 2");
  EXPECT_TRUE(connection->reject(first)) << "it has been replaced already";
  EXPECT_EQ(authorization(*connection), "Bearer run 2");

  const auto second = *connection->identity({});
  EXPECT_FALSE(connection->reject(second)) << "running the plugin in a loop would not help";
  EXPECT_EQ(*connection->identity({}), second);
  clock_.advance(seconds(10));
  EXPECT_TRUE(connection->reject(second));
  EXPECT_EQ(authorization(*connection), "Bearer run 3");
}

TEST_F(ConnectionTest, DoesNotRunABrokenPluginInALoop) {
  plugin_fails_ = true;
  const auto connection = connect(config_with_plugin());
  const std::string error = "context x of /c: exec plugin \"login\": exit status 1: not today";
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(authorization(*connection), error);
  }
  EXPECT_EQ(runs_, 1);
  clock_.advance(seconds(1));
  EXPECT_EQ(authorization(*connection), error);
  clock_.advance(seconds(1));
  EXPECT_EQ(authorization(*connection), error);
  EXPECT_EQ(runs_, 2) << "the second delay is longer than the first";
  for (int i = 0; i < 50; ++i) {
    clock_.advance(seconds(30));
    EXPECT_EQ(authorization(*connection), error);
  }
  EXPECT_EQ(runs_, 52) << "the delays are bounded";
  plugin_fails_ = false;
  clock_.advance(seconds(30));
  EXPECT_EQ(authorization(*connection), "Bearer run 53");
}

TEST_F(ConnectionTest, UsesATokenToItsEndWhenItCannotBeRenewed) {
  const auto connection = connect(config_with_plugin());
  EXPECT_EQ(authorization(*connection), "Bearer run 1");
  plugin_fails_ = true;
  clock_.advance(minutes(59) + seconds(30));
  EXPECT_EQ(authorization(*connection), "Bearer run 1");
  EXPECT_EQ(authorization(*connection), "Bearer run 1");
  EXPECT_EQ(runs_, 2);
  clock_.advance(seconds(30));
  EXPECT_THAT(authorization(*connection), HasSubstr("not today"));
}

TEST_F(ConnectionTest, SurvivesJumpsOfTheWallClock) {
  const auto connection = connect(config_with_plugin());
  EXPECT_EQ(authorization(*connection), "Bearer run 1");

  // Ours is ahead of the plugin's: what it hands out looks expired, and is used all the same.
  clock_.jump_wall(hours(3));
  clock_.advance(seconds(10));
  EXPECT_EQ(authorization(*connection), "Bearer run 2");
  EXPECT_EQ(authorization(*connection), "Bearer run 2");
  clock_.advance(seconds(10));
  EXPECT_EQ(authorization(*connection), "Bearer run 3");

  // Ours is behind: the server refuses it in the end, and then it is renewed.
  clock_.jump_wall(-hours(300));
  clock_.advance(hours(2));
  const auto stale = *connection->identity({});
  EXPECT_EQ(stale->headers.get("Authorization"), "Bearer run 3");
  EXPECT_TRUE(connection->reject(stale));
  EXPECT_EQ(authorization(*connection), "Bearer run 4");
}

TEST_F(ConnectionTest, LeavesThePluginAloneWhenThereIsAToken) {
  Config with = config_with_plugin();
  with.token = "static";
  EXPECT_EQ(authorization(*connect(with)), "Bearer static");
  EXPECT_EQ(runs_, 0);
}

TEST_F(ConnectionTest, ShowsTheCertificateOfAPlugin) {
  const testkit::TestCertificates authority;
  Config with = config_with_plugin();
  const auto answer = [](const testkit::CertificateAndKey& pair) {
    const auto indent = [](std::string text) {
      for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 5) {
        text.replace(at, 1, "\n    ");
      }
      return "    " + text + "\n";
    };
    return "kind: ExecCredential\napiVersion: client.authentication.k8s.io/v1\nstatus:\n  clientCertificateData: |\n" +
           indent(pair.certificate) + "  clientKeyData: |\n" + indent(pair.key);
  };
  const auto first_pair = authority.client("ann");
  processes_.add("login", [&](io::FakeProcess& process) {
    process.out(answer(++runs_ == 1 ? first_pair : authority.client("ann")));
    return 0;
  });
  const auto connection = connect(with);
  const auto first = *connection->identity({});
  EXPECT_FALSE(first->headers.has("Authorization"));
  EXPECT_THAT(first->tls.client_certificate_pem, HasSubstr("BEGIN CERTIFICATE"));

  clock_.advance(hours(24));
  const auto second = *connection->identity({});
  EXPECT_EQ(runs_, 2) << "the end of the certificate counts as the end of the credential";
  EXPECT_NE(second->http, first->http);
}

TEST_F(ConnectionTest, GoesThroughTheProxyOfTheCluster) {
  testkit::ScriptedServer proxy(
      testkit::ScriptedServer::answering([](const auto&) { return testkit::reply(200, "from the proxy"); }));
  Config with = config("http://cluster.invalid:8080");
  with.proxy_url = proxy.url("");
  const auto connection = connect(with);
  const auto response = (*connection->identity({}))->http->send({.url = connection->server() + "/version"}, {});
  ASSERT_TRUE(response) << response.error().message();
  EXPECT_EQ(response->body, "from the proxy");
}

TEST(EscapeExtraKey, KeepsWhatMayStandInAHeader) {
  EXPECT_EQ(escape_extra_key("scopes"), "scopes");
  EXPECT_EQ(escape_extra_key("a!#$&'*+-.^_`|~9Z"), "a!#$&'*+-.^_`|~9Z");
  EXPECT_EQ(escape_extra_key("é:/%"), "%C3%A9%3A%2F%25");
}

}  // namespace
}  // namespace landfall::kube
