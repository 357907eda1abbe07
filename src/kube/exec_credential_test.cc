#include "kube/exec_credential.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/manual_clock.h"
#include "base/rfc3339.h"
#include "io/fake_process.h"
#include "testkit/test_certificates.h"

namespace landfall::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kV1 = "client.authentication.k8s.io/v1";

Config config_with_plugin() {
  Config config;
  config.server = "https://10.0.0.1:6443";
  config.tls_server_name = "kubernetes";
  config.exec = ExecPlugin{.api_version = kV1,
                           .command = "/opt/bin/login",
                           .args = {"token", "--fast"},
                           .env = {{"PROFILE", "plugin"}},
                           .install_hint = "get it\nfrom \x1b[1mhttps://example.com",
                           .provide_cluster_info = false,
                           .cluster_config = R"({"audience":"a"})"};
  return config;
}

std::string answer(const std::string& status) {
  return std::string(R"({"kind":"ExecCredential","apiVersion":")") + kV1 + R"(","status":)" + status + "}";
}

TEST(ExecCredential, RunsThePluginWithItsEnvironmentAndReadsTheToken) {
  ManualClock clock;
  io::FakeProcessRunner processes;
  processes.add("login", [](io::FakeProcess& process) {
    process.out(answer(R"({"token":"t0k3n","expirationTimestamp":"2030-01-01T01:00:00Z"})") + "\n");
    return 0;
  });
  Config config = config_with_plugin();
  const Environment environment({{"PATH", "/bin"}, {"PROFILE", "ours"}});

  const auto credential =
      run_exec_plugin({.config = config, .environment = environment, .processes = processes, .clock = clock}, "CA", {});

  ASSERT_TRUE(credential) << credential.error().message();
  EXPECT_EQ(credential->token, "t0k3n");
  EXPECT_EQ(credential->expires, clock.wall_now() + std::chrono::hours(1));
  const auto call = processes.calls().at(0);
  EXPECT_THAT(call.argv, ElementsAre("/opt/bin/login", "token", "--fast"));
  EXPECT_EQ(call.input, "");
  EXPECT_EQ(call.env.at("PATH"), "/bin");
  EXPECT_EQ(call.env.at("PROFILE"), "plugin");
  EXPECT_EQ(call.env.at("KUBERNETES_EXEC_INFO"),
            R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","spec":{"interactive":false}})");
}

TEST(ExecCredential, TellsThePluginAboutTheClusterWhenItAsks) {
  Config config = config_with_plugin();
  config.exec->provide_cluster_info = true;
  config.proxy_url = "http://proxy:3128";
  EXPECT_EQ(exec_info(config, *config.exec, "CA"),
            R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","spec":{"cluster":{)"
            R"("certificate-authority-data":"Q0E=","config":{"audience":"a"},"proxy-url":"http://proxy:3128",)"
            R"("server":"https://10.0.0.1:6443","tls-server-name":"kubernetes"},"interactive":false}})");
}

TEST(ExecCredential, ReadsACertificateAndKnowsWhenItEnds) {
  const testkit::TestCertificates authority;
  const auto client = authority.client("ann");
  const auto escaped = [](std::string pem) {
    for (std::size_t at = 0; (at = pem.find('\n', at)) != std::string::npos; at += 2) {
      pem.replace(at, 1, "\\n");
    }
    return pem;
  };
  const auto credential =
      parse_exec_credential(kV1, answer("{\"clientCertificateData\":\"" + escaped(client.certificate) +
                                        "\",\"clientKeyData\":\"" + escaped(client.key) + "\"}"));
  ASSERT_TRUE(credential) << credential.error().message();
  EXPECT_EQ(credential->certificate, client.certificate);
  EXPECT_EQ(credential->key, client.key);
  EXPECT_LT(credential->expires, system_clock().wall_now() + std::chrono::hours(25));

  const auto other =
      parse_exec_credential(kV1, answer("{\"clientCertificateData\":\"" + escaped(client.certificate) +
                                        "\",\"clientKeyData\":\"" + escaped(authority.client("bob").key) + "\"}"));
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message(), HasSubstr("clientKeyData: tls: the client key does not belong"));
}

TEST(ExecCredential, TakesATimeFarAwayAsNever) {
  for (const char* expiry : {"9999-12-31T23:59:59Z", "2262-01-01T00:00:00Z", "0001-01-01T00:00:00Z"}) {
    const auto credential =
        parse_exec_credential(kV1, answer(std::string(R"({"token":"t","expirationTimestamp":")") + expiry + "\"}"));
    ASSERT_TRUE(credential) << credential.error().message();
    EXPECT_EQ(credential->expires, WallTime::max()) << expiry;
  }
}

TEST(ExecCredential, RefusesAnAnswerThatIsOfNoUse) {
  const struct {
    std::string output;
    std::string message;
  } cases[] = {
      {"", "kind: "},
      {"secret", "kind: "},
      {"{\"kind\":\"secret", "line 1"},
      {R"({"kind":"Pod","apiVersion":"v1"})", "kind: expected ExecCredential"},
      {R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1","status":{"token":"secret"}})",
       "apiVersion: the kubeconfig expects client.authentication.k8s.io/v1, got"},
      {answer("null"), "status: there is neither a token nor a certificate in it"},
      {answer(R"({"token":7})"), "status.token: expected a string"},
      {answer(R"({"token":"secret\nEvil: 1"})"), "status.token: holds a line break"},
      {answer(R"({"token":"secret","expirationTimestamp":"tomorrow"})"), "status.expirationTimestamp: "},
      {answer(R"({"token":"secret","expirationTimestamp":"9999-13-31T23:59:59Z"})"), "status.expirationTimestamp: "},
      {answer(R"({"clientKeyData":"secret"})"), "clientCertificateData and clientKeyData go together"},
      {answer(R"({"clientCertificateData":"secret","clientKeyData":"secret"})"), "status: clientCertificateData: "},
  };
  for (const auto& one : cases) {
    const auto credential = parse_exec_credential(kV1, one.output);
    ASSERT_FALSE(credential) << one.output;
    EXPECT_THAT(credential.error().message(), HasSubstr(one.message)) << one.output;
    EXPECT_THAT(credential.error().message(), Not(HasSubstr("secret"))) << one.output;
  }
}

TEST(ExecCredential, ExplainsAPluginThatDoesNotWork) {
  ManualClock clock;
  io::FakeProcessRunner processes;
  Config config = config_with_plugin();
  const Environment environment;
  const auto run = [&] {
    const auto credential =
        run_exec_plugin({.config = config, .environment = environment, .processes = processes, .clock = clock}, "", {});
    return credential ? Error(Code::kInternal, "no error") : credential.error();
  };

  EXPECT_EQ(run(), Error(Code::kUnauthenticated,
                         "exec plugin \"/opt/bin/login\": the program is not installed: get it "
                         "from [1mhttps://example.com"));

  processes.add("login", [](io::FakeProcess& process) {
    process.out("secret");
    process.err("some\nplease log in\x1b[0m first\n");
    return 3;
  });
  EXPECT_EQ(run(),
            Error(Code::kUnauthenticated, "exec plugin \"/opt/bin/login\": exit status 3: please log in [0m first"));

  config.exec->env = {{"PASSWORD", "first line\nlast line"}, {"SHORT", "login"}};
  processes.add("login", [](io::FakeProcess& process) {
    process.err("login: told first line, last line, last line; " + std::string(1000, 'x') + "\n");
    return 3;
  });
  EXPECT_THAT(run().message(), HasSubstr("exit status 3: login: told ***, ***, ***; xxx"));
  EXPECT_LT(run().message().size(), 600U);

  processes.add("login", [](io::FakeProcess&) -> Result<int> { return fail(Code::kTimeout, "not done in time"); });
  EXPECT_EQ(run(), Error(Code::kUnavailable, "exec plugin \"/opt/bin/login\": it was not done within a minute"));

  processes.add("login", [](io::FakeProcess& process) {
    process.out(std::string((std::size_t{1} << 20U) + 1, 'x'));
    return 0;
  });
  EXPECT_THAT(run().message(), HasSubstr("more than 1048576 bytes"));
}

}  // namespace
}  // namespace landfall::kube
