#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "api/definitions.h"
#include "cli/test_run.h"
#include "cli_admin/commands.h"
#include "json/json.h"
#include "json/parse.h"
#include "json/yaml.h"
#include "testkit/scripted_server.h"
#include "testkit/temp_dir.h"

namespace landfall::cli {
namespace {

using json::Json;
using testing::HasSubstr;
using testkit::ScriptedRequest;
using testkit::ScriptedServer;

TEST(Install, PrintsTheDefinitionsAsAList) {
  const Ran as_yaml = run_with(add_install_command, {"install", "--crds-only", "--dry-run", "-o", "yaml"});
  EXPECT_EQ(as_yaml.code, 0) << as_yaml.err;
  const Json list = json::parse_yaml(as_yaml.out).value();
  EXPECT_EQ(list["apiVersion"], "v1");
  EXPECT_EQ(list["kind"], "List");
  EXPECT_EQ(list["items"], Json(api::custom_resource_definitions()));

  const Ran as_json = run_with(add_install_command, {"install", "--crds-only", "--dry-run", "-o", "json"});
  EXPECT_EQ(json::parse(as_json.out).value(), list);
  EXPECT_EQ(run_with(add_install_command, {"install", "--crds-only", "--dry-run"}).out, as_yaml.out);
}

TEST(Install, SaysWhatItCannotDoYet) {
  const Ran ran = run_with(add_install_command, {"install", "--dry-run", "-o", "yaml"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, HasSubstr("--crds-only"));
  EXPECT_THAT(run_with(add_install_command, {"install", "--crds-only", "--dry-run", "-o", "table"}).err,
              HasSubstr("json|yaml"));
}

std::string answer(const Json& body, const std::string& status = "200 OK") {
  const std::string text = json::dump(body);
  return "HTTP/1.1 " + status + "\r\ncontent-type: application/json\r\ncontent-length: " + std::to_string(text.size()) +
         "\r\n\r\n" + text;
}

std::string write_kubeconfig(const testkit::TempDir& directory, const ScriptedServer& server) {
  const std::string path = (directory.path() / "kubeconfig").string();
  std::ofstream(path) << "{apiVersion: v1, kind: Config, current-context: c, contexts: [{name: c, context: "
                         "{cluster: c, user: u}}], users: [{name: u, user: {token: t}}], clusters: [{name: c, "
                         "cluster: {server: '"
                      << server.url("") << "'}}]}";
  return path;
}

TEST(Install, AppliesTheDefinitionsAndWaitsUntilTheyAreServed) {
  int looks = 0;
  ScriptedServer server(ScriptedServer::answering([&](const ScriptedRequest& request) {
    if (request.method == "PATCH") return answer(Json::object());
    const char* established = ++looks == 1 ? "False" : "True";
    return answer({{"status", {{"conditions", {{{"type", "Established"}, {"status", established}}}}}}});
  }));
  const testkit::TempDir directory;
  const Ran ran =
      run_with(add_install_command, {"install", "--crds-only", "--kubeconfig", write_kubeconfig(directory, server)});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("CustomResourceDefinition/backups.velero.io: applied\n"));
  const std::size_t kinds = api::custom_resource_definitions().size();
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), 2 * kinds + 1);
  EXPECT_THAT(requests[0].target, HasSubstr("/customresourcedefinitions/backups.velero.io?"));
  EXPECT_THAT(requests[0].target, HasSubstr("force=true"));
  EXPECT_EQ(json::parse(requests[0].body).value(), api::custom_resource_definitions()[0]);
}

TEST(Install, NamesTheDefinitionThatIsRefused) {
  ScriptedServer server(ScriptedServer::answering([](const ScriptedRequest&) {
    return answer(
        {{"kind", "Status"}, {"status", "Failure"}, {"message", "no rights"}, {"reason", "Forbidden"}, {"code", 403}},
        "403 Forbidden");
  }));
  const testkit::TempDir directory;
  const Ran ran =
      run_with(add_install_command, {"install", "--crds-only", "--kubeconfig", write_kubeconfig(directory, server)});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("CustomResourceDefinition backups.velero.io"));
  EXPECT_THAT(ran.err, HasSubstr("no rights"));
}

}  // namespace
}  // namespace landfall::cli
