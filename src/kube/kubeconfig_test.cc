#include "kube/kubeconfig.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/strings.h"

namespace landfall::kube {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::Pair;

Result<Config> read(std::string_view text, const std::string& context = "") {
  Kubeconfig file;
  TRY("", file.add_text("/home/ann/.kube/config", text));
  return file.config_for(context);
}

// A whole file around the lines of one user or one cluster, indented by four.
std::string with_user(const std::string& user) {
  return "clusters: [{name: c, cluster: {server: 'https://h'}}]\n"
         "contexts: [{name: x, context: {cluster: c, user: bob}}]\n"
         "current-context: x\n"
         "users:\n- name: bob\n  user:\n" +
         user;
}

std::string with_cluster(const std::string& cluster) {
  return "contexts: [{name: x, context: {cluster: c}}]\n"
         "current-context: x\n"
         "clusters:\n- name: c\n  cluster:\n" +
         cluster;
}

TEST(Kubeconfig, ReadsEverythingThatAContextRefersTo) {
  const auto config = read(R"(
apiVersion: v1
kind: Config
preferences: {colors: true}
current-context: other
extensions: [{name: whatever, extension: {a: 1}}]
contexts:
- name: other
  context: {cluster: missing, user: missing}
- name: prod
  context: {cluster: prod, user: ann, namespace: shop, extensions: []}
clusters:
- name: prod
  cluster:
    server: https://10.0.0.1:6443/prefix/
    certificate-authority: pki/../ca.crt
    tls-server-name: kubernetes
    proxy-url: socks5://proxy:1080
    disable-compression: true
    future-field: [1, 2]
users:
- name: ann
  user:
    client-certificate-data: |
      Y2Vy
      dA==
    client-certificate: /abs/ann.crt
    client-key: ann.key
    tokenFile: ./token
    as: carl
    as-uid: "17"
    as-groups: [dev, ops]
    as-user-extra: {scopes: [view, edit]}
)",
                           "prod");
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->origin, "context prod of /home/ann/.kube/config");
  EXPECT_EQ(config->server, "https://10.0.0.1:6443/prefix");
  EXPECT_EQ(config->certificate_authority.file, "/home/ann/.kube/ca.crt");
  EXPECT_EQ(config->tls_server_name, "kubernetes");
  EXPECT_EQ(config->proxy_url, "socks5://proxy:1080");
  EXPECT_TRUE(config->disable_compression);
  EXPECT_FALSE(config->insecure_skip_tls_verify);
  EXPECT_EQ(config->namespace_name, "shop");
  EXPECT_EQ(config->client_certificate.data, "cert");
  EXPECT_EQ(config->client_certificate.file, "/abs/ann.crt");
  EXPECT_EQ(config->client_key.file, "/home/ann/.kube/ann.key");
  EXPECT_EQ(config->token_file, "/home/ann/.kube/token");
  EXPECT_EQ(config->impersonate.user, "carl");
  EXPECT_EQ(config->impersonate.uid, "17");
  EXPECT_THAT(config->impersonate.groups, ElementsAre("dev", "ops"));
  EXPECT_THAT(config->impersonate.extra, ElementsAre(Pair("scopes", ElementsAre("view", "edit"))));
}

TEST(Kubeconfig, ReadsJson) {
  const auto config = read(R"({"current-context":"x","contexts":[{"name":"x","context":{"cluster":"c","user":"u"}}],
	"clusters":[{"name":"c","cluster":{"server":"https://h","insecure-skip-tls-verify":true}}],
	"users":[{"name":"u","user":{"username":"ann","password":"secret"}}]})");
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_TRUE(config->insecure_skip_tls_verify);
  EXPECT_EQ(config->username, "ann");
  EXPECT_EQ(config->password, "secret");
}

TEST(Kubeconfig, ReadsAnExecPlugin) {
  const auto config = read(R"(
current-context: x
contexts: [{name: x, context: {cluster: c, user: bob}}]
clusters:
- name: c
  cluster:
    server: https://h
    extensions:
    - {name: other, extension: 1}
    - {name: client.authentication.k8s.io/exec, extension: {audience: a}}
users:
- name: bob
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: bin/login
      args: [token, --cluster, prod]
      env: [{name: PROFILE, value: p}, {name: EMPTY}]
      installHint: get it
      provideClusterInfo: true
      interactiveMode: IfAvailable
)");
  ASSERT_TRUE(config) << config.error().message();
  ASSERT_TRUE(config->exec);
  EXPECT_EQ(config->exec->api_version, "client.authentication.k8s.io/v1");
  EXPECT_EQ(config->exec->command, "/home/ann/.kube/bin/login");
  EXPECT_THAT(config->exec->args, ElementsAre("token", "--cluster", "prod"));
  EXPECT_THAT(config->exec->env, ElementsAre(Pair("EMPTY", ""), Pair("PROFILE", "p")));
  EXPECT_EQ(config->exec->install_hint, "get it");
  EXPECT_TRUE(config->exec->provide_cluster_info);
  EXPECT_EQ(config->exec->cluster_config, R"({"audience":"a"})");
}

TEST(Kubeconfig, LeavesAProgramWithoutASlashToThePath) {
  const auto config = read(with_user("    exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: aws}\n"));
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->exec->command, "aws");
}

TEST(Kubeconfig, TakesATokenFromABlockOfText) {
  const auto config = read(with_user("    token: |\n      abc\n"));
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->token, "abc");
}

TEST(Kubeconfig, TakesTheFirstOfSeveralEntriesAsAWhole) {
  Kubeconfig merged;
  ASSERT_TRUE(merged.add_text("/empty", "# nothing here\n"));
  ASSERT_TRUE(merged.add_text("/a/config", R"(
current-context: ""
contexts: [{name: x, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: 'https://a', certificate-authority: ca}}]
)"));
  ASSERT_TRUE(merged.add_text("/b/config", R"(
current-context: x
contexts: [{name: x, context: {cluster: c, user: u, namespace: of-b}}]
clusters: [{name: c, cluster: {server: 'https://b', tls-server-name: of-b}}]
users: [{name: u, user: {tokenFile: token}}]
)"));
  const auto config = merged.config_for("");
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->server, "https://a");
  EXPECT_EQ(config->tls_server_name, "");
  EXPECT_EQ(config->namespace_name, "");
  EXPECT_EQ(config->certificate_authority.file, "/a/ca");
  EXPECT_EQ(config->token_file, "/b/token");
  EXPECT_EQ(config->origin, "context x of /a/config with its user in /b/config");
}

TEST(Kubeconfig, UsesNoCredentialsOverPlainHttp) {
  const auto config = read(R"(
current-context: x
contexts: [{name: x, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: 'localhost:8080/'}}]
users: [{name: u, user: {token: secret, as: carl}}]
)");
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->server, "http://localhost:8080");
  EXPECT_EQ(config->token, "");
  EXPECT_EQ(config->impersonate.user, "carl");
}

struct Refusal {
  std::string text;
  std::string message;  // what the error says, all of it or a part
};

TEST(Kubeconfig, RefusesWhatIsWrongAndNamesThePlace) {
  const std::string bob = "kubeconfig /home/ann/.kube/config: users[0] \"bob\": ";
  const std::string c = "kubeconfig /home/ann/.kube/config: clusters[0] \"c\": ";
  const Refusal refusals[] = {
      {"a: [", "kubeconfig /home/ann/.kube/config: line "},
      {"{\"a\": 1,,}", "kubeconfig /home/ann/.kube/config: line 1, column "},
      {"just text", "kubeconfig /home/ann/.kube/config: expected an object, got a string"},
      {"kind: Secret", "kind: expected Config, got \"Secret\""},
      {"apiVersion: v2", "apiVersion: expected v1"},
      {"users: 3", "kubeconfig /home/ann/.kube/config: users: expected a list, got a number"},
      {"users: [null]", "users[0]: expected an object, got null"},
      {"users: [{name: 1}]", "users[0]: name: expected a string"},
      {"users: [{name: a, user: hi}]", "users[0] \"a\": user: expected an object"},
      {"users: [{name: a}, {name: b}, {name: a}]", "users[2]: the name \"a\" is taken by users[0]"},
      {"current-context: x", "/config: current-context: there is no context \"x\" (there are none)"},
      {"contexts: [{name: b}, {name: a}]", "current-context: is not set, name a context (there are: a, b)"},
      {"{current-context: x, contexts: [{name: a}, {name: x, context: {}}]}",
       "kubeconfig /home/ann/.kube/config: contexts[1] \"x\": names no cluster"},
      {"{current-context: x, contexts: [{name: x, context: {cluster: c}}]}",
       "contexts[0] \"x\": names the cluster \"c\", which is not in it"},
      {"{current-context: x, contexts: [{name: x, context: {cluster: c, user: bob}}], clusters: [{name: c}]}",
       "contexts[0] \"x\": names the user \"bob\", which is not in it"},
      {with_cluster("    tls-server-name: x\n"), c + "server: is missing"},
      {with_cluster("    server: ftp://h\n"), c + "server: the scheme \"ftp\" is not one of https and http"},
      {with_cluster("    server: https://u:hidden@h\n"), c + "server: a user in the URL is not supported"},
      {with_cluster("    server: https://\n"), c + "server: not a usable URL"},
      {with_cluster("    server: host/path\n"), c + "server: a URL such as"},
      {with_cluster("    server: https://h\n    insecure-skip-tls-verify: maybe\n"),
       c + "insecure-skip-tls-verify: expected true or false"},
      {with_cluster("    server: https://h\n    insecure-skip-tls-verify: true\n    certificate-authority: ca\n"),
       c + "certificate-authority and insecure-skip-tls-verify exclude each other"},
      {with_cluster("    server: https://h\n    proxy-url: ftp://u:hidden@p\n"), c + "proxy-url: proxy: the scheme"},
      {with_user("    client-certificate-data: 'aGlkZGVu!!!!'\n"), bob + "client-certificate-data: not base64: "},
      {with_user("    client-certificate: a.crt\n"), bob + "client-key or client-key-data: is missing"},
      {with_user("    token: 12345\n"), bob + "token: expected a string, got a number"},
      {with_user("    token: hidden\n    username: ann\n"), bob + "token and username exclude each other"},
      {with_user("    as-groups: [a]\n"), bob + "as-uid, as-groups and as-user-extra need a user"},
      {with_user("    as: a\n    as-user-extra: {k: v}\n"), bob + "as-user-extra.k: expected a list"},
      {with_user("    as: a\n    as-user-extra: [k]\n"), bob + "as-user-extra: expected an object"},
      {with_user("    auth-provider: {name: oidc, config: {id-token: hidden}}\n"),
       bob + "auth-provider: \"oidc\" is not supported, use an exec plugin instead"},
      {with_user("    exec: [a]\n"), bob + "exec: expected an object"},
      {with_user("    exec: {command: a}\n"), bob + "exec: apiVersion: is missing"},
      {with_user("    exec: {apiVersion: client.authentication.k8s.io/v1alpha1, command: a}\n"),
       bob + "exec: apiVersion: \"client.authentication.k8s.io/v1alpha1\" is not one of"},
      {with_user("    exec: {apiVersion: client.authentication.k8s.io/v1}\n"), bob + "exec: command: is missing"},
      {with_user("    exec: {apiVersion: client.authentication.k8s.io/v1, command: a, env: [{value: hidden}]}\n"),
       bob + "exec: env[0].name: "},
      {with_user("    exec: {apiVersion: client.authentication.k8s.io/v1, command: a, interactiveMode: Always}\n"),
       bob + "exec: interactiveMode: is Always, but plugins run without a terminal here"},
  };
  for (const Refusal& refusal : refusals) {
    const auto config = read(refusal.text);
    ASSERT_FALSE(config) << refusal.text;
    EXPECT_THAT(config.error().message(), HasSubstr(refusal.message)) << refusal.text;
    EXPECT_THAT(config.error().message(), Not(HasSubstr("hidden"))) << refusal.text;
    EXPECT_THAT(config.error().message(), Not(HasSubstr("aGlkZGVu"))) << refusal.text;
  }
}

TEST(Kubeconfig, SaysWhichContextsThereAre) {
  std::string text = "contexts:\n";
  for (int i = 100; i < 125; ++i) {
    text += "- name: c" + std::to_string(i) + "\n";
  }
  const auto config = read(text, "prod");
  ASSERT_FALSE(config);
  EXPECT_THAT(config.error().message(),
              HasSubstr("context \"prod\" is not in kubeconfig /home/ann/.kube/config (there are: c100, c101, "));
  EXPECT_THAT(config.error().message(), HasSubstr("c119 and 5 more)"));
}

}  // namespace
}  // namespace landfall::kube
