#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "api/names.h"
#include "cli/app.h"
#include "cli/cluster.h"
#include "cli/find_objects.h"
#include "cli/get_command.h"
#include "cli/test_run.h"
#include "json/json.h"
#include "testkit/scripted_server.h"
#include "testkit/temp_dir.h"
#include "testkit/test_certificates.h"

namespace landfall::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using testkit::reply;
using testkit::ScriptedConnection;
using testkit::ScriptedRequest;
using testkit::ScriptedServer;

void add_some(const Command& root) {
  const Command backup = root.group("backup", "Backups");
  backup.alias("backups");
  add_get(backup, "get", {.noun = kBackups, .headers = {"NAME"}, .cells = [](const json::Json&, const Context&) {
                            return std::vector<std::string>{"x"};
                          }});
  const Command create = backup.leaf("create", "Create one");
  create.action([](const Context& context, const GlobalFlags& flags) -> Status {
    TRY_ASSIGN(const auto cluster, "", Cluster::of(flags, context));
    const kube::Resource backups(cluster->client(), api::kBackup.resource(), "velero");
    TRY("create backup x", backups.create({{"metadata", {{"name", "x"}}}}, {}));
    return {};
  });
}

// Command lines for a cluster that does not do what one hopes for.
class Errors : public testing::Test {
 protected:
  std::string err(const std::vector<std::string>& words, const std::string& server,
                  const std::string& program = "landfall") {
    std::vector<std::string> all = words;
    if (!server.empty()) {
      const std::string path = directory_.path() / "config";
      std::ofstream(path) << R"({"apiVersion":"v1","kind":"Config","current-context":"prod",)"
                          << R"("contexts":[{"name":"prod","context":{"cluster":"c","user":"u"}}],)"
                          << R"("clusters":[{"name":"c","cluster":{"server":")" << server << R"("}}],)"
                          << R"("users":[{"name":"u","user":{"token":"t"}}]})";
      all.insert(all.end(), {"--kubeconfig", path});
    }
    const Ran ran =
        run_with(add_some, all, {.program = program, .environment = Environment({{"HOME", directory_.path()}})});
    EXPECT_EQ(ran.code, 1);
    EXPECT_EQ(ran.out, "");
    EXPECT_EQ(std::ranges::count(ran.err, '\n'), 1) << ran.err;
    return ran.err;
  }
  static ScriptedServer::Script always(std::string answer) {
    return ScriptedServer::answering([answer = std::move(answer)](const ScriptedRequest&) { return answer; });
  }

  testkit::TempDir directory_;
};

TEST_F(Errors, SuggestTheCommandThatWasMeant) {
  EXPECT_EQ(err({"bakcup", "get"}, ""), "Error: unknown command: bakcup; did you mean backup? See 'landfall --help'\n");
  EXPECT_EQ(err({"backup", "gte"}, ""),
            "Error: unknown command: gte; did you mean get? See 'landfall backup --help'\n");
  EXPECT_EQ(err({"backup", "sail"}, ""), "Error: unknown command: sail. See 'landfall backup --help'\n");
}

TEST_F(Errors, SuggestTheFlagThatWasMeantAlsoOneOfEveryCommand) {
  EXPECT_EQ(err({"backup", "get", "--selectr=a=b"}, ""),
            "Error: unknown flag: --selectr=a=b; did you mean --selector? See 'landfall backup get --help'\n");
  EXPECT_THAT(err({"backup", "get", "--kubecontxt", "x"}, ""), HasSubstr("did you mean --kubecontext?"));
}

TEST_F(Errors, OfCommandsBelowAnAliasNameTheirFlags) {
  EXPECT_THAT(err({"backups", "get", "--selectr=x"}, ""), HasSubstr("did you mean --selector?"));
}

TEST_F(Errors, CallAnArgumentTooManyByItsName) {
  EXPECT_EQ(err({"backup", "create", "x"}, ""), "Error: unexpected argument: x. See 'landfall backup create --help'\n");
}

TEST_F(Errors, SayWhereAKubeconfigWasLookedFor) {
  EXPECT_THAT(err({"backup", "get"}, ""), AllOf(StartsWith("Error: no cluster is configured: "),
                                                HasSubstr("/.kube/config"), HasSubstr("KUBERNETES_SERVICE_HOST")));
}

TEST_F(Errors, NameTheClusterThatRefuses) {
  EXPECT_THAT(err({"backup", "get"}, "https://127.0.0.1:1"),
              AllOf(StartsWith("Error: list backups: the cluster https://127.0.0.1:1 (context prod of "),
                    HasSubstr(") cannot be reached: cannot connect: Connection refused; see that it runs"),
                    HasSubstr("--kubecontext")));
}

TEST_F(Errors, NameTheClusterWhoseHostIsUnknown) {
  EXPECT_THAT(err({"backup", "get"}, "https://prod.example.invalid:6443"),
              AllOf(HasSubstr("the cluster https://prod.example.invalid:6443 ("),
                    HasSubstr("cannot be reached: cannot resolve the host name")));
}

TEST_F(Errors, NameTheClusterThatIsNotTrusted) {
  const testkit::TestCertificates certificates;
  const auto identity = certificates.server();
  const ScriptedServer server(always(reply(200)), testkit::ScriptedTls{identity.certificate, identity.key});
  EXPECT_THAT(err({"backup", "get"}, server.url("")),
              AllOf(HasSubstr("is not trusted: the certificate of \"127.0.0.1\""), HasSubstr("unknown authority"),
                    HasSubstr("certificate-authority-data")));
}

TEST_F(Errors, SayWhoMayNotDoWhat) {
  const ScriptedServer server(always(
      reply(403, R"({"kind":"Status","code":403,"reason":"Forbidden","message":"backups.velero.io is forbidden: )"
                 R"(User \"jane\" cannot list resource \"backups\" in API group \"velero.io\" in the namespace )"
                 R"(\"velero\""})")));
  EXPECT_THAT(err({"backup", "get"}, server.url("")),
              AllOf(HasSubstr("User \"jane\" cannot list resource \"backups\""), HasSubstr("(RBAC)")));
}

TEST_F(Errors, SayWhoseCredentialsAreNotAccepted) {
  const ScriptedServer server(
      always(reply(401, R"({"kind":"Status","code":401,"reason":"Unauthorized","message":"Unauthorized"})")));
  EXPECT_THAT(err({"backup", "get"}, server.url("")),
              AllOf(HasSubstr("context prod of "), HasSubstr("does not accept these credentials; log in again")));
}

TEST_F(Errors, SayThatNothingIsInstalledHoweverOneMeetsIt) {
  const ScriptedServer server(always(reply(404, "404 page not found\n")));
  for (const char* verb : {"get", "create"}) {
    EXPECT_THAT(err({"backup", verb}, server.url("")), HasSubstr("run 'landfall install' first")) << verb;
  }
}

TEST_F(Errors, CalledAsVeleroBeginAsVelerosDo) {
  EXPECT_THAT(err({"backup", "get"}, "https://127.0.0.1:1", "velero"),
              StartsWith("velero: list backups: the cluster https://127.0.0.1:1"));
}

TEST_F(Errors, ShowNoTokens) { EXPECT_THAT(err({"backup", "get"}, "https://127.0.0.1:1"), Not(HasSubstr("\"t\""))); }

}  // namespace
}  // namespace landfall::cli
