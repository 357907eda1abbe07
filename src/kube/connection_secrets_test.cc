// Secrets are planted wherever a configuration can hold one, everything that can go wrong does, and nothing that was
// said or logged may show them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/encoding.h"
#include "base/manual_clock.h"
#include "base/random.h"
#include "base/rfc3339.h"
#include "io/fake_process.h"
#include "io/log_sink.h"
#include "kube/client.h"
#include "kube/connection.h"
#include "kube/kubeconfig.h"
#include "testkit/scripted_server.h"
#include "testkit/temp_dir.h"
#include "testkit/test_certificates.h"

namespace landfall::kube {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kSecret = "Pl4nted";
constexpr std::size_t kInside = 100;  // somewhere in the middle of a key
constexpr const char* kV1 = "client.authentication.k8s.io/v1";

class ConnectionSecrets : public testing::Test {
 protected:
  ConnectionSecrets() : pair_(authority_.client("ann")), key_line_(pair_.key.substr(kInside, 16)) {}

  void TearDown() override { expect_no_secret(sink_->text()); }

  void expect_no_secret(const std::string& text) const {
    for (const std::string& secret : {std::string(kSecret), base64_encode(kSecret).substr(0, 8), key_line_,
                                      base64_encode(pair_.key).substr(kInside, 16)}) {
      EXPECT_THAT(text, Not(HasSubstr(secret)));
    }
  }
  // One sentence.
  void expect_clean(const std::string& text) const {
    expect_no_secret(text);
    EXPECT_THAT(text, Not(HasSubstr("\n")));
    EXPECT_FALSE(text.empty());
  }

  static Config config() {
    Config config;
    config.origin = "context x of /c";
    config.server = "https://127.0.0.1:1";
    return config;
  }
  Config config_with_plugin(io::FakeProcessRunner::Program program) {
    processes_.add("login", std::move(program));
    Config with = config();
    with.exec = ExecPlugin{.api_version = kV1, .command = "login", .env = {{"PASSWORD", secret("env")}}};
    return with;
  }
  static std::string secret(const std::string& what) { return kSecret + ("-" + what); }

  // What it says when it can be created and asked for an identity, and then even used: the first error.
  std::string first_error(const Config& with) {
    auto connection = Connection::create(with, Environment(), processes_, clock_, log_);
    if (!connection) {
      return connection.error().message();
    }
    const auto identity = (*connection)->identity({});
    if (!identity) {
      return identity.error().message();
    }
    const auto answer = (*identity)->http->send({.url = (*connection)->server(), .headers = (*identity)->headers}, {});
    return answer ? "no error" : answer.error().message();
  }

  testkit::TestCertificates authority_;
  testkit::CertificateAndKey pair_;
  std::string key_line_;
  testkit::TempDir dir_;
  ManualClock clock_{system_clock().wall_now()};
  io::FakeProcessRunner processes_;
  std::shared_ptr<io::MemoryLogSink> sink_ = std::make_shared<io::MemoryLogSink>();
  Logger log_{clock_, sink_, LogLevel::kTrace};
};

TEST_F(ConnectionSecrets, StayHiddenInAHalfWrittenKubeconfig) {
  const std::string text = R"(apiVersion: v1
kind: Config
current-context: x
contexts: [{name: x, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1', proxy-url: 'http://u:Pl4nted-proxy@127.0.0.1:1'}}]
users:
- name: u
  user:
    as: carl
    password: Pl4nted-password
    client-certificate-data: )" +
                           base64_encode(pair_.certificate) + "\n    client-key-data: " + base64_encode(pair_.key) +
                           "\n    username: ann\n";
  int errors = 0;
  // Every seventh length, and each of the last hundred.
  for (std::size_t size = 0; size < text.size(); size += size + 100 < text.size() ? 7U : 1U) {
    Kubeconfig file;
    const Status added = file.add_text("/home/ann/.kube/config", text.substr(0, size));
    const Result<Config> config = added ? file.config_for("") : tl::unexpected(added.error());
    const std::string said = config ? first_error(*config) : config.error().message();
    errors += config ? 0 : 1;
    expect_clean(said);
    if (!config) {
      EXPECT_THAT(said, HasSubstr("kubeconfig /home/ann/.kube/config")) << size;
    }
  }
  EXPECT_GT(errors, 100);
}

TEST_F(ConnectionSecrets, StayHiddenWhenTheyCannotBeUsed) {
  const std::string bad = secret("x") + "\r\nEvil: 1";
  std::vector<Config> all(9, config());
  all[0].token = bad;
  all[1].token_file = dir_.write("token", bad);
  all[2].client_certificate.data = all[2].client_key.data = secret("certificate");
  all[3].client_certificate.data = pair_.certificate;
  all[3].client_key.data = "-----BEGIN PRIVATE KEY-----\n" + secret("key") + "\n-----END PRIVATE KEY-----\n";
  all[4].client_certificate.data = pair_.certificate;
  all[4].client_key.file = dir_.write("key", pair_.key.substr(0, pair_.key.size() - 40));
  all[5].certificate_authority.data = secret("authority");
  all[6].server = "https://ann:" + secret("server") + "@h";
  all[7].proxy_url = "http://ann:" + secret("proxy") + "@127.0.0.1:1";
  all[8].impersonate.user = bad;
  for (const Config& one : all) {
    const std::string said = first_error(one);
    expect_clean(said);
    EXPECT_NE(said, "no error");
  }
}

TEST_F(ConnectionSecrets, StayHiddenWhenAPluginTalks) {
  const std::string token = secret("token");
  const std::string outputs[] = {
      token,
      token + ": " + token,
      "{\"" + token + "\": ",
      std::string(R"({"kind":"ExecCredential","apiVersion":")") + kV1 + R"(","status":{"token":")" + token +
          R"(\n1"}})",
      std::string(R"({"kind":"ExecCredential","apiVersion":")") + kV1 + R"(","status":")" + token + "\"}",
      std::string(R"({"kind":"ExecCredential","apiVersion":")") + kV1 + R"(","status":{"clientKeyData":")" + token +
          R"("}})",
      std::string(2U << 20U, 'x') + token,
  };
  for (const std::string& output : outputs) {
    const std::string said = first_error(config_with_plugin([&](io::FakeProcess& process) {
      process.out(output);
      return 0;
    }));
    expect_clean(said);
    EXPECT_THAT(said, HasSubstr("exec plugin \"login\": "));
  }
  const std::string said = first_error(config_with_plugin([&](io::FakeProcess& process) {
    process.out(token);
    process.err("login: the password " + process.call.env.at("PASSWORD") + " is wrong\n");
    return 1;
  }));
  EXPECT_THAT(said, HasSubstr("exit status 1: login: the password *** is wrong"));
  expect_clean(said);
}

TEST_F(ConnectionSecrets, StayHiddenInTheLog) {
  bool fails = false;
  const auto with_plugin = Connection::create(
      config_with_plugin([&](io::FakeProcess& process) {
        process.out(fails ? secret("garbage")
                          : std::string(R"({"kind":"ExecCredential",)") + R"("apiVersion":")" + kV1 +
                                R"(","status":{"token":")" + secret("token") + R"(","expirationTimestamp":")" +
                                format_rfc3339(clock_.wall_now() + hours(1)) + "\"}}");
        return 0;
      }),
      Environment(), processes_, clock_, log_);
  Config files = config();
  files.token_file = dir_.write("token", secret("file"));
  files.client_certificate.file = dir_.write("ann.crt", pair_.certificate);
  files.client_key.file = dir_.write("ann.key", pair_.key);
  const auto with_files = Connection::create(files, Environment(), processes_, clock_, log_);
  ASSERT_TRUE(with_plugin && with_files);
  ASSERT_TRUE((*with_plugin)->identity({}) && (*with_files)->identity({}));

  fails = true;
  dir_.write("token", secret("file") + "\r\nEvil: 1");
  dir_.write("ann.key", secret("key"));
  clock_.advance(minutes(59) + seconds(30));
  EXPECT_TRUE((*with_plugin)->identity({}));
  EXPECT_TRUE((*with_files)->identity({}));
  std::filesystem::remove(dir_.path() / "token");
  clock_.advance(seconds(1));
  EXPECT_TRUE((*with_files)->identity({}));

  EXPECT_THAT(sink_->entries(), testing::SizeIs(2)) << "each once";
}

TEST_F(ConnectionSecrets, StayHiddenWhenTheServerRefuses) {
  testkit::ScriptedServer server(testkit::ScriptedServer::answering([](const testkit::ScriptedRequest& request) {
    return testkit::reply(request.target == "/busy" ? 503 : 401, "go away");
  }));
  Config with = config();
  with.server = server.url("");
  with.token = secret("token");
  with.impersonate.user = secret("user");
  auto connection = Connection::create(with, Environment(), processes_, system_clock(), log_);
  ASSERT_TRUE(connection) << connection.error().message();
  SeededRandom random(1);
  Client client(**connection, {.max_retries = 1}, system_clock(), random, log_);
  for (const char* path : {"/busy", "/refused"}) {
    const auto answer = client.call({.path = path}, {});
    ASSERT_FALSE(answer);
    expect_clean(answer.error().message());
  }
  EXPECT_FALSE(sink_->entries().empty()) << "the second try was not logged";
}

}  // namespace
}  // namespace landfall::kube
