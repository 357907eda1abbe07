// Actions that ask the server, but for those on CSI snapshots.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "item_actions/restore_actions.h"
#include "item_actions/restore_data_upload_action.h"
#include "item_actions/restore_image_action.h"
#include "item_actions/restore_secret_action.h"
#include "item_actions/restore_storage_class_action.h"
#include "item_actions/test_restore_input.h"
#include "selection/test_discovery.h"

namespace landfall::item_actions {
namespace {

using json::Json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kConfigMaps = "/api/v1/namespaces/velero/configmaps";

Json config_of(const std::string& action, Json data, const std::string& name = "settings") {
  Json config = {{"metadata", {{"name", name}}}, {"data", std::move(data)}};
  config["metadata"]["labels"] = {{"velero.io/plugin-config", ""}, {action, "RestoreItemAction"}};
  return config;
}

std::map<std::string, Json> with_configs(Json configs) {
  return {{kConfigMaps, TestCluster::list(std::move(configs))}};
}

std::shared_ptr<PluginConfigs> configs_of(const TestCluster& cluster) {
  return std::make_shared<PluginConfigs>(*cluster.client, "velero");
}

const char* const kImages = "velero.io/change-image-name";
const char* const kClasses = "velero.io/change-storage-class";

TEST(RestoreImageAction, RenamesImagesWhereverAPodSpecIs) {
  const TestCluster cluster(with_configs(Json::array(
      {config_of(kImages,
                 {{"a", " old.example.com , new.example.com "}, {"b", "no comma"}, {"c", ",empty"}, {"d", "gone,"}}),
       config_of("velero.io/other", {{"a", "old.example.com,wrong"}}, "other")})));
  const auto action = make_restore_image_action(configs_of(cluster));
  const Json before = yaml(R"(
containers: [{image: old.example.com/web:1}, {name: x}, {image: 7}, {image: gone}]
initContainers: [{image: old.example.com/old.example.com/init}]
)");
  const Json after = yaml(R"(
containers: [{image: new.example.com/web:1}, {name: x}, {image: 7}, {image: gone}]
initContainers: [{image: new.example.com/new.example.com/init}]
)");
  EXPECT_EQ(changed_by(*action, {{"kind", "Pod"}, {"spec", before}})["spec"], after);
  EXPECT_EQ(changed_by(*action, {{"kind", "Deployment"}, {"spec", {{"template", {{"spec", before}}}}}})["spec"],
            Json({{"template", {{"spec", after}}}}));
  Json cron = {{"kind", "CronJob"}};
  cron["spec"]["jobTemplate"]["spec"]["template"]["spec"] = before;
  EXPECT_EQ(changed_by(*action, cron)["spec"]["jobTemplate"]["spec"]["template"]["spec"], after);
  const Json other = yaml("{kind: Pod, spec: {containers: [{image: other}]}}");
  EXPECT_EQ(run(*action, other, other).value().changed, nullptr);
  const Json odd = yaml("{kind: Pod, spec: {containers: none}}");
  EXPECT_FALSE(run(*action, odd, odd));
  EXPECT_EQ(cluster.server.requests().size(), 1U);
  EXPECT_THAT(cluster.server.requests()[0].target, HasSubstr("labelSelector=velero.io%2Fplugin-config"));
}

TEST(RestoreImageAction, TheFirstRuleThatFitsCounts) {
  const TestCluster cluster(
      with_configs(Json::array({config_of(kImages, {{"1", "5000,3000"}, {"2", "host:5000,other"}})})));
  const auto action = make_restore_image_action(configs_of(cluster));
  EXPECT_EQ(changed_by(*action, yaml("{kind: Pod, spec: {containers: [{image: 'host:5000/a'}]}}")),
            yaml("{kind: Pod, spec: {containers: [{image: 'host:3000/a'}]}}"));
}

TEST(PluginConfigs, AreListedOnceForAllActions) {
  const TestCluster cluster(with_configs(Json::array()));
  const auto configs = configs_of(cluster);
  const auto images = make_restore_image_action(configs);
  const auto classes = make_restore_storage_class_action(*cluster.client, configs);
  for (int i = 0; i < 3; ++i) {
    const Json item = yaml("{kind: Pod, spec: {storageClassName: fast, containers: [{image: a}]}}");
    EXPECT_EQ(run(*images, item, item).value().changed, nullptr);
    EXPECT_EQ(run(*classes, item, item).value().changed, nullptr);
  }
  EXPECT_EQ(cluster.server.requests().size(), 1U);
}

TEST(PluginConfigs, TwoForOneActionAreAnError) {
  const TestCluster cluster(with_configs(Json::array({config_of(kImages, {}, "one"), config_of(kImages, {}, "two")})));
  const auto configs = configs_of(cluster);
  const auto found = configs->of(kImages, {});
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message(), HasSubstr("one, two"));
  EXPECT_TRUE(configs->of(kClasses, {}));
}

TEST(PluginConfigs, AListThatFailsFailsEveryItemAndIsNotTriedForEach) {
  const TestCluster cluster({});
  const auto action = make_restore_image_action(configs_of(cluster));
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(run(*action, Json::object(), Json::object()));
  EXPECT_EQ(cluster.server.requests().size(), 1U);
}

TEST(RestoreStorageClassAction, ChangesClaimsVolumesAndTheTemplatesOfStatefulSets) {
  auto objects = with_configs(Json::array({config_of(kClasses, {{"old", "new"}, {"lost", "nowhere"}})}));
  objects["/apis/storage.k8s.io/v1/storageclasses/new"] = yaml("{metadata: {name: new}}");
  const TestCluster cluster(std::move(objects));
  const auto action = make_restore_storage_class_action(*cluster.client, configs_of(cluster));
  EXPECT_EQ(changed_by(*action, yaml("{kind: PersistentVolumeClaim, spec: {storageClassName: old}}")),
            yaml("{kind: PersistentVolumeClaim, spec: {storageClassName: new}}"));
  EXPECT_EQ(changed_by(*action, yaml(R"(
kind: StatefulSet
spec: {volumeClaimTemplates: [{spec: {storageClassName: old}}, {spec: {storageClassName: other}}, {spec: {}}]}
)")),
            yaml(R"(
kind: StatefulSet
spec: {volumeClaimTemplates: [{spec: {storageClassName: new}}, {spec: {storageClassName: other}}, {spec: {}}]}
)"));
  const Json other = yaml("{kind: PersistentVolume, spec: {storageClassName: ''}}");
  EXPECT_EQ(run(*action, other, other).value().changed, nullptr);
  EXPECT_EQ(cluster.server.requests().size(), 2U);  // the ConfigMaps and the class, once each

  const Json lost = yaml("{kind: PersistentVolume, spec: {storageClassName: lost}}");
  const auto result = run(*action, lost, lost);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Code::kNotFound);
  EXPECT_THAT(result.error().message(), HasSubstr("storage class nowhere"));
}

TEST(RestoreSecretAction, SkipsTokensThatTheClusterMakesAndEmptiesOthers) {
  const TestCluster cluster({{"/api/v1/namespaces/shop/serviceaccounts",
                              TestCluster::list(yaml("[{metadata: {name: robot}}, {metadata: {name: a-token-b}}]"))}});
  const auto action = make_restore_secret_action(*cluster.client);
  const auto token = [](const char* name) {
    Json secret = yaml(R"(
type: kubernetes.io/service-account-token
metadata: {namespace: shop, annotations: {kubernetes.io/service-account.uid: u, kubernetes.io/service-account.name: robot}}
data: {token: t, ca.crt: c, namespace: n}
)");
    secret["metadata"]["name"] = name;
    return secret;
  };
  EXPECT_TRUE(run(*action, token("robot-token-x"), token("robot-token-x")).value().skip);
  EXPECT_TRUE(run(*action, token("a-token-b-token-c"), token("a-token-b-token-c")).value().skip);
  for (const char* name : {"mine", "robot-tok", "a-token-c", "-token-"}) {
    const auto result = run(*action, token(name), token(name)).value();
    EXPECT_FALSE(result.skip) << name;
    EXPECT_EQ((*result.changed)["data"], yaml("{namespace: n}"));
    EXPECT_EQ((*result.changed)["metadata"]["annotations"], yaml("{kubernetes.io/service-account.name: robot}"));
  }
  EXPECT_EQ(cluster.server.requests().size(), 1U);
}

TEST(RestoreSecretAction, LeavesOtherSecretsAloneWithoutAskingAnyone) {
  const TestCluster cluster({});
  const auto action = make_restore_secret_action(*cluster.client);
  const Json secret = yaml("{type: Opaque, metadata: {name: robot-token-x}, data: {token: t}}");
  const auto result = run(*action, secret, secret).value();
  EXPECT_FALSE(result.skip);
  EXPECT_EQ(result.changed, nullptr);
  EXPECT_THAT(cluster.server.requests(), IsEmpty());
}

Json upload() {
  return yaml(R"(
metadata: {name: nightly-abcde, namespace: velero}
spec: {sourceNamespace: shop, sourcePVC: data, datamover: ""}
status: {snapshotID: s1, nodeOS: linux, progress: {totalBytes: 42}, dataMoverResult: {k: v}}
)");
}

const std::map<std::string, Json> kBackup = {
    {"/apis/velero.io/v1/namespaces/velero/backups/nightly", yaml("{spec: {storageLocation: default}}")}};

std::unique_ptr<extension::RestoreItemAction> upload_action(const TestCluster& cluster) {
  return make_restore_data_upload_action(*cluster.client, "velero",
                                         std::make_shared<BackupLookup>(*cluster.client, "velero", "nightly"));
}

TEST(RestoreDataUploadAction, LeavesItsResultInAConfigMapAndSkips) {
  const TestCluster cluster(kBackup);
  const auto action = upload_action(cluster);
  // What counts is the object of the backup: the status of the other is gone.
  EXPECT_TRUE(run(*action, Json::object(), upload()).value().skip);
  const auto request = cluster.server.requests().at(1);
  EXPECT_EQ(request.method + " " + request.target, std::string("POST ") + kConfigMaps);
  const Json made = json::parse(request.body).value();
  EXPECT_THAT(json::string_or(made, {"metadata", "name"}, ""), testing::StartsWith("nightly-abcde-"));
  EXPECT_EQ(made["metadata"]["labels"], yaml(R"(
velero.io/restore-uid: r-1
velero.io/pvc-namespace-name: shop.data
velero.io/resource-usage: DataUpload
)"));
  EXPECT_EQ(json::parse(json::string_or(made, {"data", "r-1"}, "")).value(), yaml(R"(
{backupStorageLocation: default, sourceNamespace: shop, snapshotID: s1, nodeOS: linux, snapshotSize: 42, dataMoverResult: {k: v}}
)"));
}

TEST(RestoreDataUploadAction, AResultFromBeforeACrashWillDo) {
  int status = 409;
  const TestCluster cluster(kBackup, [&](const testkit::ScriptedRequest&) {
    const char* reason = status == 409 ? "AlreadyExists" : "Forbidden";
    return testkit::reply(status, std::string(R"({"kind":"Status","reason":")") + reason + R"("})");
  });
  const auto action = upload_action(cluster);
  EXPECT_TRUE(run(*action, Json::object(), upload()).value().skip);
  status = 403;
  EXPECT_FALSE(run(*action, Json::object(), upload()));
}

TEST(RestoreDataUploadAction, FailsWithoutItsBackup) {
  const TestCluster cluster({});
  const auto result = run(*upload_action(cluster), Json::object(), upload());
  ASSERT_FALSE(result);
  EXPECT_THAT(result.error().message(), HasSubstr("get the Backup nightly"));
}

std::vector<std::string> names_for(const api::RestoreSpec& spec, bool has_csi) {
  const TestCluster cluster({});
  std::vector<std::string> names;
  const RestoreActionContext context{
      .client = *cluster.client, .name_space = "velero", .spec = spec, .has_csi = has_csi};
  for (const auto& action : built_in_restore_actions(context, selection::test_discovery()))
    names.push_back(action->name());
  EXPECT_THAT(cluster.server.requests(), IsEmpty());
  return names;
}

TEST(BuiltInRestoreActions, ComeInVelerosOrder) {
  const std::vector<std::string_view> all = built_in_restore_action_names();
  EXPECT_TRUE(std::ranges::is_sorted(all));
  EXPECT_EQ(names_for({.namespace_mapping = {{"a", "b"}}}, true), std::vector<std::string>(all.begin(), all.end()));
}

TEST(BuiltInRestoreActions, LeaveOutWhatWouldDoNothing) {
  std::vector<std::string> expected;
  for (const std::string_view name : built_in_restore_action_names()) {
    if (!name.ends_with("role-bindings") && !name.starts_with("velero.io/csi-")) expected.emplace_back(name);
  }
  EXPECT_EQ(names_for({}, false), expected);
}

}  // namespace
}  // namespace landfall::item_actions
