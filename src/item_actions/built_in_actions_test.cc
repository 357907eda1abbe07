#include "item_actions/built_in_actions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "item_actions/crd_remap_action.h"
#include "item_actions/pod_action.h"
#include "item_actions/pv_action.h"
#include "item_actions/service_account_action.h"
#include "json/json.h"
#include "json/parse.h"
#include "kube/test_client.h"
#include "selection/test_discovery.h"
#include "testkit/scripted_server.h"

namespace landfall::item_actions {
namespace {

using extension::BackupActionResult;
using json::Json;
using k8s::ObjectRef;
using selection::Scope;
using selection::test_resource;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testkit::reply;
using testkit::ScriptedRequest;
using testkit::ScriptedServer;

const Json kBackup = {{"metadata", {{"name", "nightly"}}}};

constexpr const char* kRbac = "rbac.authorization.k8s.io";
constexpr const char* kExtensions = "apiextensions.k8s.io";

kube::Discovery serving(std::vector<kube::ApiResource> resources, std::map<k8s::GroupVersion, Error> failures = {}) {
  std::vector<kube::ApiGroup> groups;
  for (const kube::ApiResource& resource : resources) groups.push_back({resource.id.group, {resource.id.version}});
  return {std::move(groups), std::move(resources), std::move(failures)};
}

kube::Discovery with_rbac() {
  return serving({test_resource(kRbac, "v1", "clusterrolebindings", "ClusterRoleBinding", Scope::kCluster)});
}

kube::Discovery with_beta_definitions() {
  return serving({test_resource(kExtensions, "v1beta1", "customresourcedefinitions", "CustomResourceDefinition",
                                Scope::kCluster)});
}

// A server that gives this answer to everything.
struct Answering {
  explicit Answering(std::string answer)
      : server(ScriptedServer::answering([answer = std::move(answer)](const ScriptedRequest&) { return answer; })),
        client(server.url()) {}
  ScriptedServer server;
  kube::TestClient client;
};

Json claim() {
  return json::parse(R"({
    "apiVersion": "v1", "kind": "PersistentVolumeClaim",
    "metadata": {"name": "data", "namespace": "shop", "labels": {
      "app": "db", "velero.io/backup-name": "older", "velero.io/restore-name": "r",
      "velero.io/volume-snapshot-name": "s"}},
    "spec": {"volumeName": "pv-1", "storageClassName": "fast", "unknownField": 1,
      "dataSource": {"name": "s"}, "dataSourceRef": {"name": "s"},
      "selector": {"matchLabels": {"velero.io/dynamic-pv-restore": "x", "tier": "db"}}},
    "status": {"phase": "Bound"}})")
      .value();
}

BackupActionResult run(extension::BackupItemAction&& action, const Json& item) {
  return action.execute(item, kBackup, {}).value();
}

TEST(PodAction, TakesPriorityClassAndClaimsAlong) {
  const Json pod = json::parse(R"({"metadata": {"name": "db-0", "namespace": "shop"}, "spec": {
      "priorityClassName": "high", "volumes": [
        {"name": "a", "persistentVolumeClaim": {"claimName": "data"}}, {"name": "b", "emptyDir": {}},
        {"name": "c", "persistentVolumeClaim": {"claimName": ""}}]}})")
                       .value();
  const BackupActionResult result = run(PodAction(), pod);
  EXPECT_EQ(result.changed, nullptr);
  EXPECT_THAT(result.additional, ElementsAre(ObjectRef{{"scheduling.k8s.io", "priorityclasses"}, "", "high"},
                                             ObjectRef{{"", "persistentvolumeclaims"}, "shop", "data"}));
}

TEST(PodAction, APodOfOddShapeHasNothingToTakeAlong) {
  EXPECT_THAT(run(PodAction(), {{"spec", {{"volumes", "none"}, {"priorityClassName", 3}}}}).additional, IsEmpty());
  EXPECT_THAT(run(PodAction(), {{"spec", {{"volumes", {1, nullptr}}}}}).additional, IsEmpty());
}

TEST(PvAction, ABoundClaimTakesItsVolumeAlongAndIsCleaned) {
  const BackupActionResult result = run(PvAction(), claim());
  EXPECT_THAT(result.additional, ElementsAre(ObjectRef{{"", "persistentvolumes"}, "", "pv-1"}));
  Json expected = claim();
  expected["metadata"]["labels"] = {{"app", "db"}};
  expected["spec"] = {{"volumeName", "pv-1"}, {"storageClassName", "fast"}, {"unknownField", 1}};
  ASSERT_NE(result.changed, nullptr);
  EXPECT_EQ(*result.changed, expected);
}

TEST(PvAction, KeepsTheSelectorOfAClaimForAVolumeMadeByHand) {
  Json item = claim();
  item["spec"]["storageClassName"] = "";
  EXPECT_EQ((*run(PvAction(), item).changed)["spec"]["selector"], Json({{"matchLabels", {{"tier", "db"}}}}));
  // Without a class the default one counts, which makes volumes.
  item["spec"].erase("storageClassName");
  EXPECT_FALSE(run(PvAction(), item).changed->at("spec").contains("selector"));
}

TEST(PvAction, KeepsTheLabelOfThisBackup) {
  Json item = claim();
  item["metadata"]["labels"]["velero.io/backup-name"] = "nightly";
  EXPECT_EQ((*run(PvAction(), item).changed)["metadata"]["labels"],
            Json({{"app", "db"}, {"velero.io/backup-name", "nightly"}}));
}

TEST(PvAction, LeavesAClaimAloneThatIsCleanOrNotBound) {
  Json clean = claim();
  clean["metadata"].erase("labels");
  clean["spec"] = {{"volumeName", "pv-1"}};
  EXPECT_EQ(run(PvAction(), clean).changed, nullptr);
  EXPECT_EQ(run(PvAction(), clean).additional.size(), 1U);

  Json pending = claim();
  pending["status"]["phase"] = "Pending";
  EXPECT_EQ(run(PvAction(), pending).changed, nullptr);
  EXPECT_THAT(run(PvAction(), pending).additional, IsEmpty());
}

std::string bindings() {
  return reply(200, R"({"kind": "ClusterRoleBindingList", "apiVersion": "rbac.authorization.k8s.io/v1",
    "metadata": {"resourceVersion": "5"}, "items": [
    {"metadata": {"name": "b2"}, "roleRef": {"kind": "ClusterRole", "name": "view"}, "subjects": [
      {"kind": "User", "name": "robot", "namespace": "shop"},
      {"kind": "ServiceAccount", "name": "robot", "namespace": "shop"},
      {"kind": "ServiceAccount", "name": "robot", "namespace": "shop"}]},
    {"metadata": {"name": "b1"}, "roleRef": {"kind": "ClusterRole", "name": "view"}, "subjects": [
      {"kind": "ServiceAccount", "name": "robot", "namespace": "shop"}]},
    {"metadata": {"name": "b3"}, "roleRef": {"kind": "ClusterRole", "name": "edit"}, "subjects": [
      {"kind": "ServiceAccount", "name": "robot", "namespace": "bank"}, {"kind": "User", "name": "human"}]},
    {"metadata": {"name": "b4"}, "roleRef": {"kind": "ClusterRole", "name": "admin"}}]})");
}

Json account(const char* name_space, const char* name) {
  return {{"metadata", {{"name", name}, {"namespace", name_space}}}};
}

TEST(ServiceAccountAction, TakesBindingsAndRolesAlongAndListsThemOnce) {
  const Answering api(bindings());
  ServiceAccountAction action(*api.client, with_rbac());
  const k8s::GroupResource binding{kRbac, "clusterrolebindings"};
  const k8s::GroupResource role{kRbac, "clusterroles"};
  EXPECT_THAT(action.execute(account("shop", "robot"), kBackup, {})->additional,
              ElementsAre(ObjectRef{binding, "", "b1"}, ObjectRef{binding, "", "b2"}, ObjectRef{role, "", "view"}));
  EXPECT_THAT(action.execute(account("bank", "robot"), kBackup, {})->additional,
              ElementsAre(ObjectRef{binding, "", "b3"}, ObjectRef{role, "", "edit"}));
  EXPECT_THAT(action.execute(account("bank", "human"), kBackup, {})->additional, IsEmpty());
  EXPECT_EQ(api.server.requests().size(), 1U);
}

TEST(ServiceAccountAction, AListThatFailsFailsEveryItemAndIsNotTriedForEach) {
  const Answering api(reply(403, R"({"kind":"Status","code":403,"reason":"Forbidden","message":"not for you"})"));
  ServiceAccountAction action(*api.client, with_rbac());
  for (int i = 0; i < 2; ++i) {
    const auto result = action.execute(account("shop", "robot"), kBackup, {});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code(), Code::kForbidden);
    EXPECT_THAT(result.error().message(), HasSubstr("list cluster role bindings"));
  }
  EXPECT_EQ(api.server.requests().size(), 1U);
}

TEST(ServiceAccountAction, AServerWithoutRbacIsNotAsked) {
  const Answering api(reply(500));
  ServiceAccountAction none(*api.client, serving({}));
  EXPECT_THAT(none.execute(account("shop", "robot"), kBackup, {})->additional, IsEmpty());
  // One that could not say what it serves may well have bindings.
  ServiceAccountAction unknown(
      *api.client, serving({}, {{k8s::GroupVersion{kRbac, "v1"}, Error(Code::kUnavailable, "503 from the server")}}));
  EXPECT_FALSE(unknown.execute(account("shop", "robot"), kBackup, {}));
  EXPECT_THAT(api.server.requests(), IsEmpty());
}

TEST(ServiceAccountAction, AStopLeavesTheListToTheNext) {
  const Answering api(bindings());
  ServiceAccountAction action(*api.client, with_rbac());
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = action.execute(account("shop", "robot"), kBackup, stop.get_token());
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code(), Code::kCancelled);
  EXPECT_EQ(action.execute(account("shop", "robot"), kBackup, {})->additional.size(), 3U);
}

Json definition(const char* version) {
  return {{"apiVersion", std::string(kExtensions) + "/" + version},
          {"kind", "CustomResourceDefinition"},
          {"metadata", {{"name", "gadgets.example.com"}}},
          {"spec", {{"versions", {{{"name", "v1"}, {"schema", {{"openAPIV3Schema", {{"type", "object"}}}}}}}}}}};
}

TEST(CrdRemapAction, StoresTheOldFormOfADefinitionThatWasMadeWithIt) {
  const Json beta = definition("v1beta1");
  const Answering api(reply(200, json::dump(beta)));
  CrdRemapAction action(*api.client, with_beta_definitions());
  Json no_schema = definition("v1");
  no_schema["spec"]["versions"][0].erase("schema");
  Json not_structural = definition("v1");
  not_structural["status"]["conditions"] = {{{"type", "NonStructuralSchema"}, {"status", "True"}}};
  Json preserving = definition("v1");
  preserving["spec"]["preserveUnknownFields"] = true;
  for (const Json& item : {no_schema, not_structural, preserving}) {
    const auto result = action.execute(item, kBackup, {});
    ASSERT_TRUE(result) << result.error().message();
    ASSERT_NE(result->changed, nullptr) << item.dump();
    EXPECT_EQ(*result->changed, beta);
  }
  EXPECT_THAT(api.server.requests().at(0).target,
              HasSubstr("/apis/apiextensions.k8s.io/v1beta1/customresourcedefinitions/gadgets.example.com"));
}

TEST(CrdRemapAction, LeavesAloneWhatIsGoodAsItIs) {
  const Answering api(reply(500));
  CrdRemapAction action(*api.client, with_beta_definitions());
  EXPECT_EQ(action.execute(definition("v1"), kBackup, {})->changed, nullptr);
  EXPECT_EQ(action.execute(definition("v1beta1"), kBackup, {})->changed, nullptr);
  EXPECT_THAT(api.server.requests(), IsEmpty());
}

std::vector<std::string> names_on(const kube::Discovery& discovery) {
  const Answering api(reply(500));
  std::vector<std::string> names;
  for (const auto& action : built_in_backup_actions(*api.client, discovery)) names.push_back(action->name());
  return names;
}

TEST(BuiltInBackupActions, ComeInVelerosOrderWithoutThoseThatWouldDoNothing) {
  EXPECT_THAT(names_on(with_beta_definitions()),
              ElementsAre("velero.io/crd-remap-version", "velero.io/pod", "velero.io/pv", "velero.io/service-account"));
  EXPECT_THAT(names_on(with_rbac()), ElementsAre("velero.io/pod", "velero.io/pv", "velero.io/service-account"));
}

}  // namespace
}  // namespace landfall::item_actions
