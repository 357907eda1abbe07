// Every way to sign in that a kubeconfig knows, against a real kube-apiserver.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <memory>

#include "base/clock.h"
#include "base/random.h"
#include "io/file.h"
#include "io/process.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "kube/client.h"
#include "kube/config.h"
#include "kube/connection.h"
#include "real/real_components.h"
#include "testkit/temp_dir.h"
#include "testkit/test_certificates.h"

namespace landfall::kube {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kReview = R"({"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"})";

std::string pki(const std::string& name) { return real_component("LANDFALL_REAL_PKI") + "/" + name; }

// The error of what is one, in place of its value.
template <class T>
std::string error_of(const Result<T>& result) {
  return result ? "no error" : result.error().message();
}

class KubeConnect : public testing::Test {
 protected:
  // A kubeconfig with one user, as it would lie in someone's home. What stands in it is flow style YAML.
  std::string kubeconfig(const std::string& user, const std::string& cluster = "") {
    return dir_.write("config",
                      "current-context: here\ncontexts: [{name: here, context: {cluster: c, user: u}}]\n" +
                          ("clusters: [{name: c, cluster: {server: \"" + real_component("LANDFALL_REAL_API") + "\", ") +
                          (cluster.empty() ? "certificate-authority: " + pki("ca.crt") : cluster) +
                          "}}]\nusers: [{name: u, user: {" + user + "}}]\n");
  }

  Status open(const std::string& file) {
    const Environment environment = Environment::of_process();
    TRY_ASSIGN(Config config, "", load_config({.kubeconfig = file}, environment));
    TRY_ASSIGN(connection_, "",
               Connection::create(std::move(config), environment, *processes_, system_clock(), Logger()));
    client_ = std::make_unique<Client>(*connection_, ClientOptions{.timeout = std::chrono::seconds(20)}, system_clock(),
                                       random_, Logger());
    return {};
  }

  Result<json::Json> get(const std::string& path) {
    TRY_ASSIGN(const Answer answer, "", client_->call({.path = path}, {}));
    return json::parse(answer.body);
  }

  // The user that the server takes us for, or the error.
  std::string user_of(const std::string& file) {
    const Status opened = open(file);
    if (!opened) {
      return opened.error().message();
    }
    const auto answer = client_->call(
        {.method = "POST", .path = "/apis/authentication.k8s.io/v1/selfsubjectreviews", .body = kReview}, {});
    const auto review = answer ? json::parse(answer->body) : tl::unexpected(answer.error());
    return review ? json::string_or(*review, {"status", "userInfo", "username"}, "nobody") : review.error().message();
  }

  // A plugin that counts its runs and hands out what stands in the file `answer`.
  std::string plugin() {
    const std::string path = dir_.write("login",
                                        "#!/bin/sh\ncd \"${0%/*}\" || exit 2\necho run >> runs\n"
                                        "printf '%s' \"$KUBERNETES_EXEC_INFO\" > info\ncat answer\n");
    ::chmod(path.c_str(), S_IRWXU);
    return "exec: {apiVersion: client.authentication.k8s.io/v1, command: ./login, interactiveMode: Never, "
           "provideClusterInfo: true, env: [{name: COLOUR, value: red}]}";
  }
  void let_plugin_answer(const std::string& status) const {
    dir_.write("answer",
               R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":)" + status + "}");
  }

  testkit::TempDir dir_;
  SeededRandom random_{1};
  std::unique_ptr<io::ProcessRunner> processes_ = io::make_system_process_runner(system_clock());
  std::unique_ptr<Connection> connection_;
  std::unique_ptr<Client> client_;
};

TEST_F(KubeConnect, ReadsTheVersionAndANamespaceWithTheClustersOwnKubeconfig) {
  const Status opened = open(real_component("LANDFALL_REAL_KUBECONFIG"));
  ASSERT_TRUE(opened) << opened.error().message();
  const auto version = get("/version");
  ASSERT_TRUE(version) << version.error().message();
  EXPECT_EQ(json::string_or(*version, {"major"}, ""), "1");
  const auto space = get("/api/v1/namespaces/default");
  ASSERT_TRUE(space) << space.error().message();
  EXPECT_EQ(json::string_or(*space, {"metadata", "name"}, ""), "default");
}

TEST_F(KubeConnect, SignsInWithATokenAFileOrACertificate) {
  const std::string token_file = dir_.write("token", "viewertoken\n");
  EXPECT_EQ(user_of(kubeconfig("token: admintoken")), "admin");
  EXPECT_EQ(user_of(kubeconfig("token: admintoken, tokenFile: token")), "viewer") << "the file wins";
  EXPECT_EQ(user_of(kubeconfig("client-certificate: " + pki("admin.crt") + ", client-key: " + pki("admin.key"))),
            "certificate-admin");
  EXPECT_THAT(user_of(kubeconfig("token: nonsense")), HasSubstr("Unauthorized"));
}

TEST_F(KubeConnect, TakesUpARotatedToken) {
  dir_.write("token", "viewertoken");
  EXPECT_EQ(user_of(kubeconfig("tokenFile: token")), "viewer");
  const auto forbidden = get("/api/v1/namespaces/default");
  ASSERT_FALSE(forbidden);
  EXPECT_EQ(forbidden.error().code(), Code::kForbidden);

  // What the server refuses is read again at once, whatever the clock says.
  dir_.write("token", "expired");
  ASSERT_TRUE(open(dir_.path() / "config"));
  dir_.write("token", "admintoken");
  const auto space = get("/api/v1/namespaces/default");
  EXPECT_TRUE(space) << error_of(space);
}

TEST_F(KubeConnect, ActsAsSomeoneElse) {
  EXPECT_EQ(user_of(kubeconfig("token: admintoken, as: carl")), "carl");
  EXPECT_FALSE(get("/api/v1/namespaces/default"));
  EXPECT_EQ(user_of(kubeconfig("token: admintoken, as: carl, as-uid: '17', as-groups: ['system:masters', dev], "
                               "as-user-extra: {example.com/Scope: [view]}")),
            "carl");
  const auto space = get("/api/v1/namespaces/default");
  EXPECT_TRUE(space) << error_of(space);
  EXPECT_THAT(user_of(kubeconfig("token: viewertoken, as: carl")), HasSubstr("cannot impersonate resource"));
}

TEST_F(KubeConnect, AsksAPlugin) {
  let_plugin_answer(R"({"token":"viewertoken"})");
  EXPECT_EQ(user_of(kubeconfig(plugin())), "viewer");
  EXPECT_THAT(dir_.read("info"), HasSubstr("\"server\":\"" + real_component("LANDFALL_REAL_API") + "\""));
  EXPECT_FALSE(get("/api/v1/namespaces/default"));
  EXPECT_EQ(dir_.read("runs"), "run\n") << "its token is kept";

  // It has no end, but the server does not want it any more.
  let_plugin_answer(R"({"token":"nonsense"})");
  ASSERT_TRUE(open(dir_.path() / "config"));
  ASSERT_TRUE(connection_->identity({}));
  let_plugin_answer(R"({"token":"admintoken"})");
  const auto space = get("/api/v1/namespaces/default");
  EXPECT_TRUE(space) << error_of(space);
  EXPECT_EQ(dir_.read("runs"), "run\nrun\nrun\n");

  let_plugin_answer("\"Pl4nted");
  const std::string said = user_of(kubeconfig(plugin()));
  EXPECT_THAT(said, HasSubstr("exec plugin \"" + (dir_.path() / "login").string() + "\": its answer: "));
  EXPECT_THAT(said, Not(HasSubstr("Pl4nted")));
}

TEST_F(KubeConnect, ChecksWhoTheServerIs) {
  const std::string other = dir_.write("other.crt", testkit::TestCertificates().ca());
  const std::string ca = "certificate-authority: " + pki("ca.crt");
  EXPECT_THAT(user_of(kubeconfig("token: admintoken", "certificate-authority: other.crt")),
              HasSubstr("signed by an unknown authority"));
  EXPECT_THAT(user_of(kubeconfig("token: admintoken", ca + ", tls-server-name: elsewhere")),
              HasSubstr("is for another host"));
  EXPECT_EQ(user_of(kubeconfig("token: admintoken", ca + ", tls-server-name: kubernetes.default")), "admin");
  EXPECT_EQ(user_of(kubeconfig("token: admintoken", "insecure-skip-tls-verify: true")), "admin");
}

TEST_F(KubeConnect, NamesACertificateThatHasExpired) {
  const auto old = testkit::TestCertificates().issue({.common_name = "ann",
                                                      .for_client = true,
                                                      .valid_from = -std::chrono::hours(48),
                                                      .valid_until = -std::chrono::hours(24)});
  const std::string certificate = dir_.write("old.crt", old.certificate);
  dir_.write("old.key", old.key);
  const std::string file = kubeconfig("client-certificate: old.crt, client-key: old.key");
  EXPECT_THAT(user_of(file), StartsWith("context here of " + file + ": client-certificate " + certificate +
                                        ": the certificate expired on "));
  EXPECT_EQ(user_of(kubeconfig("client-certificate: old.crt, client-key: old.key, token: admintoken")), "admin")
      << "the token is good enough for the server";
}

}  // namespace
}  // namespace landfall::kube
