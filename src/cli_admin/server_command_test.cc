#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "cli/test_run.h"
#include "cli_admin/commands.h"
#include "testkit/scripted_server.h"
#include "testkit/temp_dir.h"

namespace landfall::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testkit::ScriptedRequest;
using testkit::ScriptedServer;

// An API server without our kinds: the server says so and ends.
class ServerCommand : public testing::Test {
 protected:
  ServerCommand() {
    std::ofstream(kubeconfig()) << "{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: "
                                   "{cluster: c, user: u}}], users: [{name: u, user: {token: hush}}], clusters: "
                                   "[{name: c, cluster: {server: '"
                                << api_.url("") << "'}}]}";
  }

  Ran server(const std::vector<std::string>& flags) const {
    std::vector<std::string> words = {"server",      "--kubeconfig",        kubeconfig(), "--metrics-address",
                                      "127.0.0.1:0", "--artifacts-address", "127.0.0.1:0"};
    words.insert(words.end(), flags.begin(), flags.end());
    return run_with(add_server_command, words);
  }

 private:
  std::string kubeconfig() const { return (directory_.path() / "kubeconfig").string(); }

  const testkit::TempDir directory_;
  ScriptedServer api_{ScriptedServer::answering([](const ScriptedRequest&) {
    const std::string body = R"({"kind":"Status","status":"Failure","reason":"NotFound","code":404})";
    return "HTTP/1.1 404 Not Found\r\ncontent-type: application/json\r\ncontent-length: " +
           std::to_string(body.size()) + "\r\n\r\n" + body;
  })};
};

TEST_F(ServerCommand, SaysWhatItRunsWithAndWhatTheClusterLacks) {
  const Ran ran = server({"--default-backup-ttl", "24h", "-n", "backups"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("backups.velero.io"), HasSubstr("landfall install --crds-only")));
  EXPECT_THAT(ran.out, AllOf(HasSubstr("namespace=backups"), HasSubstr("defaultBackupTTL=24h0m0s")));
  EXPECT_THAT(ran.out, Not(HasSubstr("hush")));
}

TEST_F(ServerCommand, LogsAsJsonAndOnlyWhatIsAskedFor) {
  const Ran ran = server({"--log-format", "json", "--features", "EnableMagic"});
  EXPECT_THAT(ran.out, HasSubstr("\"feature\":\"EnableMagic\",\"level\":\"warning\""));
  EXPECT_THAT(ran.out, HasSubstr("\"level\":\"info\""));
  EXPECT_THAT(server({"--log-level", "error"}).out, Not(HasSubstr("info")));
}

TEST_F(ServerCommand, TakesEveryFlagOfVelero) {
  const Ran ran = server({"--features=",
                          "--uploader-type=kopia",
                          "--plugin-dir=/plugins",
                          "--object-store-plugins=aws,gcp",
                          "--backup-sync-period=1m",
                          "--fs-backup-timeout=4h",
                          "--restore-only=false",
                          "--disable-controllers=gc,backup-repo",
                          "--restore-resource-priorities=namespaces,-,pods",
                          "--default-backup-storage-location=default",
                          "--store-validation-frequency=1m",
                          "--client-qps=100.5",
                          "--client-burst=100",
                          "--client-page-size=0",
                          "--profiler-address=localhost:6060",
                          "--terminating-resource-timeout=5m",
                          "--volume-group-snapshot-label-key=velero.io/volume-group",
                          "--default-repo-maintain-frequency=0",
                          "--garbage-collection-frequency=0",
                          "--item-operation-sync-frequency=0s",
                          "--default-volumes-to-fs-backup",
                          "--default-item-operation-timeout=4h",
                          "--resource-timeout=10m",
                          "--max-concurrent-k8s-connections=30",
                          "--default-snapshot-move-data=true",
                          "--disable-informer-cache",
                          "--schedule-skip-immediately",
                          "--default-volume-snapshot-locations=aws:one,gcp:two",
                          "--backup-repository-configmap=repositories",
                          "--repo-maintenance-job-configmap=jobs",
                          "--item-block-worker-count=1",
                          "--concurrent-backups=2",
                          "--global-backup-volume-policies-configmap=policies",
                          "--logtostderr=true",
                          "-v=2"});
  EXPECT_THAT(ran.err, HasSubstr("landfall install --crds-only"));
  EXPECT_THAT(ran.out, AllOf(HasSubstr("flag=--profiler-address"), HasSubstr("flag=--disable-informer-cache"),
                             HasSubstr("flag=--logtostderr"), HasSubstr("flag=\"-v,--v\""),
                             HasSubstr("flag=--repo-maintenance-job-configmap"), HasSubstr("controller=backup-repo"),
                             HasSubstr("concurrentBackups=2"), HasSubstr("garbageCollectionFrequency=1h0m0s")));
}

TEST_F(ServerCommand, NamesTheFlagThatIsWrong) {
  for (const auto& [flag, part] : std::vector<std::pair<std::string, std::string>>{
           {"--client-qps=many", "--client-qps"},
           {"--client-qps=-1", "--client-qps"},
           {"--client-qps=nan", "--client-qps"},
           {"--client-burst=0", "--client-burst"},
           {"--disable-controllers=backups", "\"backups\""},
           {"--default-volume-snapshot-locations=aws", "--default-volume-snapshot-locations"},
           {"--log-level=loud", "--log-level"},
           {"--default-backup-ttl=soon", "--default-backup-ttl"}}) {
    const Ran ran = server({flag});
    EXPECT_EQ(ran.code, 1) << flag;
    EXPECT_THAT(ran.err, HasSubstr(part)) << flag;
  }
}

}  // namespace
}  // namespace landfall::cli
