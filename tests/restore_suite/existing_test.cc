#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/access.h"
#include "json/parse.h"
#include "restore_suite/props.h"
#include "restore_suite/rehearsal.h"
#include "restore_suite/test_cluster.h"

namespace landfall::restore_suite {
namespace {

using json::Json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Script with_policy(const std::string& policy) {
  Script script;
  if (!policy.empty()) script.restore_spec["existingResourcePolicy"] = policy;
  return script;
}

Json applied_by(Json object, const std::string& manager, const std::string& operation) {
  object["metadata"]["managedFields"] = Json::array({{{"manager", manager},
                                                      {"operation", operation},
                                                      {"apiVersion", "v1"},
                                                      {"time", "2025-01-01T00:00:00Z"},
                                                      {"fieldsType", "FieldsV1"},
                                                      {"fieldsV1", {{"f:data", {{"f:key", Json::object()}}}}}}});
  return object;
}

std::string restore_label(const Json& object) {
  return json::string_or(object, {"metadata", "labels", "velero.io/restore-name"}, "");
}

TEST(Existing, NothingIsOverwrittenWithoutThePolicyUpdate) {
  const auto archive =
      archive_of(items_of({config_map("shop", "same"), config_map("shop", "other", "backup's"), namespace_of("shop")}));
  for (const std::string policy : {"", "none"}) {
    TestCluster cluster;
    cluster.make_namespace("shop");
    cluster.make(config_map("shop", "same"));
    cluster.make(config_map("shop", "other", "somebody's"));
    const auto before = cluster.versions();
    const Outcome outcome = restore_all(cluster.client(), archive, with_policy(policy));

    EXPECT_EQ(cluster.versions(), before);
    EXPECT_EQ(outcome.last.items.outcomes.unchanged, 1);
    EXPECT_EQ(outcome.last.items.outcomes.skipped, 1);
    EXPECT_EQ(outcome.results.at("errors"), Json::object());
    EXPECT_THAT(json::dump(outcome.results.at("warnings").at("namespaces").at("shop")),
                AllOf(HasSubstr("ConfigMap shop/other already exists and differs"), HasSubstr("data.key"),
                      HasSubstr("existingResourcePolicy: update")));
    EXPECT_EQ(outcome.resource_list.at("v1/ConfigMap"), Json::array({"shop/other(failed)", "shop/same(skipped)"}));
  }
}

TEST(Existing, UpdateMakesItWhatTheBackupHas) {
  TestCluster cluster;
  cluster.make_namespace("shop");
  Json live = with_label(config_map("shop", "other", "somebody's"), "only", "here");
  live["data"]["more"] = "goes";
  cluster.make(live);
  cluster.make(config_map("shop", "same"));
  const Json untouched = cluster.get("configmaps", "shop", "same");
  const auto archive = archive_of(items_of({config_map("shop", "same"), config_map("shop", "other", "backup's")}));
  const Outcome outcome = restore_all(cluster.client(), archive, with_policy("update"));

  const Json other = cluster.get("configmaps", "shop", "other");
  EXPECT_EQ(other.at("data"), Json({{"key", "backup's"}}));
  EXPECT_FALSE(json::has(other, {"metadata", "labels", "only"}));
  EXPECT_EQ(restore_label(other), "restore");
  // The one that is the same gets the labels and nothing else.
  Json same = cluster.get("configmaps", "shop", "same");
  EXPECT_EQ(restore_label(same), "restore");
  EXPECT_EQ(same.at("data"), untouched.at("data"));
  EXPECT_EQ(outcome.last.items.outcomes.updated, 1);
  EXPECT_EQ(outcome.last.items.outcomes.unchanged, 1);
  EXPECT_EQ(outcome.resource_list.at("v1/ConfigMap"), Json::array({"shop/other(updated)", "shop/same(skipped)"}));
  EXPECT_EQ(outcome.results.at("warnings"), Json::object());
}

TEST(Existing, LabelsOfAnEarlierRestoreAreNoDifference) {
  TestCluster cluster;
  cluster.make_namespace("shop");
  Json live = with_label(config_map("shop", "a"), "velero.io/restore-name", "last-year");
  cluster.make(with_label(live, "velero.io/backup-name", "older"));
  const Outcome outcome = restore_all(cluster.client(), archive_of(items_of({config_map("shop", "a")})), {});
  EXPECT_EQ(outcome.last.items.outcomes.unchanged, 1) << outcome.results;
  EXPECT_EQ(restore_label(cluster.get("configmaps", "shop", "a")), "last-year");
}

TEST(Existing, AnUpdateThatIsRefusedIsAWarningAndTheLabelsAreTried) {
  TestCluster cluster;
  cluster.make_namespace("shop");
  Json live = config_map("shop", "a", "somebody's");
  live["immutable"] = true;
  cluster.make(live);
  const Outcome outcome =
      restore_all(cluster.client(), archive_of(items_of({config_map("shop", "a", "backup's")})), with_policy("update"));
  const Json after = cluster.get("configmaps", "shop", "a");
  EXPECT_EQ(after.at("data").at("key"), "somebody's");
  EXPECT_EQ(restore_label(after), "restore");
  EXPECT_EQ(outcome.last.items.outcomes.skipped, 1) << outcome.results;
  EXPECT_THAT(json::dump(outcome.results.at("warnings")), HasSubstr("cannot be updated"));
  EXPECT_EQ(outcome.results.at("errors"), Json::object());
}

TEST(Existing, AServiceAccountGetsWhatItLacksWhateverThePolicy) {
  Json stored =
      with_annotation(with_label(object_of("v1", "ServiceAccount", "shop", "clerk"), "a", "backup's"), "n", "1");
  stored["imagePullSecrets"] = Json::array({{{"name", "registry"}}, {{"name", "mirror"}}});
  for (const std::string policy : {"", "none", "update"}) {
    TestCluster cluster;
    cluster.make_namespace("shop");
    Json live = with_label(object_of("v1", "ServiceAccount", "shop", "clerk"), "a", "live");
    live["imagePullSecrets"] = Json::array({{{"name", "mirror"}}, {{"name", "own"}}});
    cluster.make(live);
    const Outcome outcome = restore_all(cluster.client(), archive_of(items_of({stored})), with_policy(policy));

    const Json after = cluster.get("serviceaccounts", "shop", "clerk");
    EXPECT_EQ(after.at("imagePullSecrets"),
              Json::array({{{"name", "mirror"}}, {{"name", "own"}}, {{"name", "registry"}}}));
    EXPECT_EQ(after.at("metadata").at("labels").at("a"), "live");
    EXPECT_EQ(after.at("metadata").at("annotations").at("n"), "1");
    EXPECT_EQ(outcome.last.items.outcomes.updated, 1);
    EXPECT_EQ(outcome.results.at("warnings"), Json::object());
    EXPECT_EQ(outcome.resource_list.at("v1/ServiceAccount"), Json::array({"shop/clerk(updated)"}));
  }
}

TEST(Existing, ManagedFieldsArePutBackWhereSomebodyApplies) {
  TestCluster cluster;
  const auto archive = archive_of(items_of({applied_by(config_map("shop", "argo"), "argocd", "Apply"),
                                            applied_by(config_map("shop", "plain"), "kubectl", "Update")}));
  const auto managers = [&](const std::string& name) {
    std::vector<std::string> names;
    const Json live = cluster.get("configmaps", "shop", name);
    for (const Json& one : live.at("metadata").at("managedFields")) {
      names.push_back(one.at("manager").get<std::string>());
    }
    return names;
  };
  const Outcome outcome = restore_all(cluster.client(), archive, {});
  EXPECT_EQ(outcome.results.at("errors"), Json::object());
  EXPECT_THAT(managers("argo"), ElementsAre("argocd"));
  EXPECT_THAT(managers("plain"), ElementsAre("landfall"));

  cluster.remove("configmaps", "shop", "plain");
  Script always{.with_tools = [](restore::RestoreTools& tools) {
    tools.options.managed_fields = restore::ManagedFields::kAlways;
  }};
  restore_all(cluster.client(), archive, always);
  EXPECT_THAT(managers("plain"), ElementsAre("kubectl"));
}

TEST(Existing, AServiceWhosePortIsTakenByItselfIsThere) {
  TestCluster cluster;
  cluster.make_namespace("shop");
  Json stored = service("shop", "web");
  stored["spec"]["type"] = "NodePort";
  stored["spec"]["ports"][0]["nodePort"] = 30123;
  cluster.make(stored);
  const auto before = cluster.versions();
  Script script{.restore_spec = {{"preserveNodePorts", true}}};
  const Outcome outcome = restore_all(cluster.client(), archive_of(items_of({stored})), script);
  EXPECT_EQ(outcome.results.at("errors"), Json::object());
  EXPECT_EQ(outcome.last.items.outcomes.failed, 0);
  EXPECT_EQ(cluster.versions(), before);

  // Taken by another one, it cannot be made, and the hint says what to do.
  Json second = stored;
  second["metadata"]["name"] = "second";
  const Outcome other = restore_all(cluster.client(), archive_of(items_of({second})), script);
  EXPECT_EQ(other.last.items.outcomes.failed, 1);
  EXPECT_THAT(json::dump(other.results.at("errors")),
              AllOf(HasSubstr("already allocated"), HasSubstr("another Service has that node port")));
}

}  // namespace
}  // namespace landfall::restore_suite
