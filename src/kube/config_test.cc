#include "kube/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testkit/temp_dir.h"

namespace landfall::kube {
namespace {

using testing::HasSubstr;

std::string kubeconfig(const std::string& server) {
  return "current-context: x\n"
         "contexts: [{name: x, context: {cluster: c}}, {name: other, context: {cluster: d}}]\n"
         "clusters: [{name: c, cluster: {server: 'https://" +
         server + "'}}, {name: d, cluster: {server: 'https://" + server + "-other'}}]\n";
}

// What came of it, in a form that can be compared: the server or the error.
std::string outcome(const Result<Config>& config) { return config ? config->server : config.error().message(); }

Environment pod_environment(const std::string& host, const std::string& port) {
  return Environment(
      std::map<std::string, std::string>{{"KUBERNETES_SERVICE_HOST", host}, {"KUBERNETES_SERVICE_PORT", port}});
}

TEST(LoadConfig, PrefersTheNamedFileThenTheVariableThenTheHome) {
  const testkit::TempDir dir;
  const std::string named = dir.write("named", kubeconfig("named"));
  const std::string listed = dir.write("listed", kubeconfig("listed"));
  dir.write("home/.kube/config", kubeconfig("home"));
  const std::string home = dir.path() / "home";
  const std::string list = ":" + (dir.path() / "missing").string() + ":" + listed + ":" + listed;
  const Environment both({{"KUBECONFIG", list}, {"HOME", home}});

  EXPECT_EQ(outcome(load_config({.kubeconfig = named, .context = ""}, both)), "https://named");
  EXPECT_EQ(outcome(load_config({.kubeconfig = named, .context = "other"}, both)), "https://named-other");
  EXPECT_EQ(outcome(load_config({.kubeconfig = "", .context = "other"}, both)), "https://listed-other");
  EXPECT_EQ(outcome(load_config({}, both)), "https://listed");
  EXPECT_EQ(outcome(load_config({}, Environment({{"HOME", home}}))), "https://home");
}

TEST(LoadConfig, SaysWhatItLookedFor) {
  const testkit::TempDir dir;
  const std::string missing = dir.path() / "missing";
  const std::string empty = dir.write("empty", "");
  const std::string broken = dir.write("broken", "a: [");
  const Environment list({{"KUBECONFIG", missing + ":" + empty}});

  EXPECT_THAT(outcome(load_config({.kubeconfig = missing, .context = ""}, {})),
              HasSubstr("kubeconfig: open " + missing + ": No such file"));
  EXPECT_THAT(outcome(load_config({.kubeconfig = dir.path(), .context = ""}, {})), HasSubstr("Is a directory"));
  EXPECT_THAT(outcome(load_config({.kubeconfig = empty, .context = ""}, {})),
              HasSubstr("kubeconfig " + empty + ": current-context: is not set"));
  EXPECT_THAT(outcome(load_config({}, list)),
              HasSubstr("no cluster is configured: there is no kubeconfig with anything in it (looked for " + missing +
                        ", " + empty + "), and this is not a pod"));
  EXPECT_THAT(outcome(load_config({}, {})), HasSubstr("neither KUBECONFIG nor HOME is set"));
  EXPECT_THAT(outcome(load_config({.kubeconfig = "", .context = "prod"}, list)),
              HasSubstr("context \"prod\": there is no kubeconfig"));
  EXPECT_THAT(outcome(load_config({}, Environment({{"KUBECONFIG", empty + ":" + broken}}))),
              HasSubstr("kubeconfig " + broken + ": line "));
}

TEST(InClusterConfig, IsTheServiceAccountOfThePod) {
  const testkit::TempDir dir;
  const std::filesystem::path account = "var/run/secrets/kubernetes.io/serviceaccount";
  const std::string token = dir.write(account / "token", "t");
  const std::string ca = dir.write(account / "ca.crt", "c");
  dir.write(account / "namespace", "shop\n");

  const auto config = in_cluster_config(pod_environment("fd00::1", "443"), dir.path());

  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->server, "https://[fd00::1]:443");
  EXPECT_EQ(config->token_file, token);
  EXPECT_EQ(config->certificate_authority.file, ca);
  EXPECT_EQ(config->namespace_name, "shop");
}

TEST(InClusterConfig, IsNotFoundOutsideAPod) {
  const testkit::TempDir dir;
  const Environment pod = pod_environment("10.0.0.1", "443");
  const Environment half = pod_environment("10.0.0.1", "");

  const auto without_token = in_cluster_config(pod, dir.path());
  ASSERT_FALSE(without_token);
  EXPECT_EQ(without_token.error().code(), Code::kNotFound);
  EXPECT_THAT(without_token.error().message(), HasSubstr("has no service account token"));

  dir.write("var/run/secrets/kubernetes.io/serviceaccount/token", "t");
  EXPECT_EQ(outcome(in_cluster_config(pod, dir.path())), "https://10.0.0.1:443");
  EXPECT_EQ(in_cluster_config(half, dir.path()).error().code(), Code::kNotFound);
}

}  // namespace
}  // namespace landfall::kube
