#include "built_in_plugins/built_in_plugins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "item_actions/built_in_actions.h"
#include "item_actions/restore_actions.h"
#include "json/json.h"
#include "plugin_kit/test_process.h"
#include "testkit/scripted_server.h"
#include "velero/backup_item_action.grpc.pb.h"
#include "velero/plugin_lister.grpc.pb.h"
#include "velero/restore_item_action.grpc.pb.h"

namespace landfall::built_in_plugins {
namespace {

using json::Json;
using plugin_kit::TestProcess;
using testing::Contains;
using testing::HasSubstr;

constexpr const char* kProgram = "built_in_plugins_program";

std::vector<std::string> listed(TestProcess& process) {
  grpc::ClientContext context;
  generated::ListPluginsResponse response;
  EXPECT_TRUE(generated::PluginLister::NewStub(process.channel())->ListPlugins(&context, {}, &response).ok());
  std::vector<std::string> all;
  for (const auto& one : response.plugins()) all.push_back(one.kind() + " " + one.name());
  return all;
}

std::pair<grpc::Status, Json> backed_up(TestProcess& process, const std::string& plugin, const Json& item) {
  grpc::ClientContext context;
  generated::ExecuteRequest request;
  request.set_plugin(plugin);
  request.set_item(item.dump());
  request.set_backup(R"({"metadata":{"name":"b","uid":"1"}})");
  generated::ExecuteResponse response;
  const auto status = generated::BackupItemAction::NewStub(process.channel())->Execute(&context, request, &response);
  Json named = Json::array();
  for (const auto& one : response.additional_items()) named.push_back(one.resource() + " " + one.name());
  return {status, named};
}

// What a cluster with pods and nothing else says about itself.
std::string cluster_answer(const testkit::ScriptedRequest& request) {
  if (request.target.starts_with("/api/v1")) {
    return testkit::reply(200, R"({"kind":"APIResourceList","groupVersion":"v1","resources":[
      {"name":"pods","namespaced":true,"kind":"Pod","verbs":["get","list"]}]})");
  }
  if (request.target.starts_with("/apis/velero.io")) return testkit::reply(200, R"({"kind":"List","items":[]})");
  if (request.target.starts_with("/apis")) return testkit::reply(200, R"({"kind":"APIGroupList","groups":[]})");
  if (request.target.starts_with("/api")) return testkit::reply(200, R"({"kind":"APIVersions","versions":["v1"]})");
  return testkit::reply(404, R"({"kind":"Status","code":404,"reason":"NotFound"})");
}

std::string kubeconfig(const testkit::TempDir& directory, const std::string& server) {
  return directory.write("config", R"({"apiVersion":"v1","kind":"Config","current-context":"c",
    "clusters":[{"name":"c","cluster":{"server":")" +
                                       server + R"("}}],
    "users":[{"name":"c","user":{"token":"t"}}],
    "contexts":[{"name":"c","context":{"cluster":"c","user":"c"}}]})");
}

TEST(BuiltInPlugins, AreListedWithVelerosNamesAndWithoutACluster) {
  TestProcess process(kProgram, {"run-plugins", "--features=EnableCSI"}, {{"KUBECONFIG", "/nowhere"}});
  const std::vector<std::string> all = listed(process);
  for (const std::string_view name : item_actions::kBuiltInBackupActions) {
    EXPECT_THAT(all, Contains("BackupItemAction " + std::string(name)));
  }
  std::size_t count = item_actions::kBuiltInBackupActions.size() + 1;
  for (const std::string_view name : item_actions::built_in_restore_action_names()) {
    const bool is_second = name.find("/csi-") != std::string_view::npos;
    EXPECT_THAT(all, Contains((is_second ? "RestoreItemActionV2 " : "RestoreItemAction ") + std::string(name)));
    ++count;
  }
  EXPECT_THAT(all, Contains("RestoreItemAction velero.io/init-restore-hook"));
  EXPECT_EQ(all.size(), count);
  EXPECT_THAT(backed_up(process, "velero.io/pod", Json::object()).first.error_message(), HasSubstr("/nowhere"));
}

TEST(BuiltInPlugins, TakeNamesOfAnotherDomain) {
  TestProcess process(kProgram, {}, {{"LANDFALL_PLUGIN_DOMAIN", "landfall.dev"}});
  EXPECT_THAT(listed(process), Contains("BackupItemAction landfall.dev/pv"));
}

TEST(BuiltInPlugins, DoWhatTheyDoInTheServer) {
  const testkit::TempDir directory;
  const testkit::ScriptedServer server(testkit::ScriptedServer::answering(cluster_answer));
  TestProcess process(kProgram, {}, {{"KUBECONFIG", kubeconfig(directory, server.url(""))}});
  const Json pod = {{"apiVersion", "v1"},
                    {"kind", "Pod"},
                    {"metadata", {{"name", "db-0"}, {"namespace", "shop"}}},
                    {"spec", {{"volumes", {{{"name", "d"}, {"persistentVolumeClaim", {{"claimName", "data"}}}}}}}}};
  const auto [status, named] = backed_up(process, "velero.io/pod", pod);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_THAT(named, Contains("persistentvolumeclaims data"));

  const auto stub = generated::RestoreItemAction::NewStub(process.channel());
  grpc::ClientContext scope_context;
  generated::RestoreItemActionAppliesToRequest whom;
  whom.set_plugin("velero.io/job");
  generated::RestoreItemActionAppliesToResponse scope;
  ASSERT_TRUE(stub->AppliesTo(&scope_context, whom, &scope).ok());
  EXPECT_EQ(scope.resource_selector().included_resources(0), "jobs");

  const Json job = {
      {"apiVersion", "batch/v1"},
      {"kind", "Job"},
      {"metadata", {{"name", "j"}}},
      {"spec", {{"selector", {{"matchLabels", {{"controller-uid", "1"}}}}}, {"template", Json::object()}}}};
  grpc::ClientContext context;
  generated::RestoreItemActionExecuteRequest request;
  request.set_plugin("velero.io/job");
  request.set_item(job.dump());
  request.set_item_from_backup(job.dump());
  request.set_restore(R"({"metadata":{"name":"r","uid":"2"},"spec":{"backupName":"b"}})");
  generated::RestoreItemActionExecuteResponse response;
  const auto restored = stub->Execute(&context, request, &response);
  ASSERT_TRUE(restored.ok()) << restored.error_message();
  EXPECT_EQ(Json::parse(response.item())["spec"]["selector"]["matchLabels"].count("controller-uid"), 0);
}

TEST(BuiltInPlugins, KnowWhenTheyAreMeant) {
  const auto is_meant = [](std::vector<std::string> words) {
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    return is_called(static_cast<int>(pointers.size()), pointers.data());
  };
  EXPECT_TRUE(is_meant({"/usr/bin/landfall", "run-plugins", "--features="}));
  EXPECT_TRUE(is_meant({"/plugins/landfall-plugins", "--log-level=info"}));
  EXPECT_FALSE(is_meant({"landfall", "backup", "run-plugins"}));
  EXPECT_FALSE(is_meant({"landfall"}));
  EXPECT_FALSE(is_meant({}));
}

}  // namespace
}  // namespace landfall::built_in_plugins
