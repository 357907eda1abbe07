#include "control/restore_preparation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "control/synced_objects.h"
#include "control/test_restore_runner.h"
#include "json/access.h"

namespace landfall::control {
namespace {

using json::Json;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;

class RestorePreparation : public ::testing::Test {
 protected:
  RestorePreparation() {
    cluster_.create_location("default");
    backup("done", "Completed");
  }

  void backup(const std::string& name, const std::string& phase, const Json& metadata = Json::object(),
              const std::string& location = "default", const std::string& started = "2030-01-01T00:00:00Z") {
    Json whole = {{"name", name}};
    whole.update(metadata);
    cluster_.create(api::kBackup, {{"metadata", whole},
                                   {"spec", {{"storageLocation", location}}},
                                   {"status", {{"phase", phase}, {"startTimestamp", started}}}});
  }
  void config_map(const std::string& name, const std::string& text) {
    cluster_.create({"", "v1", "configmaps"}, "velero", {{"metadata", {{"name", name}}}, {"data", {{"key", text}}}});
  }
  // What the Restore is refused for.
  std::vector<std::string> problems(const Json& spec) {
    const std::string name = "r" + std::to_string(++count_);
    runner_.create(name, spec);
    TestRestoreRunner::must(runner_.run(name));
    const Json restore = cluster_.get(api::kRestore, name);
    EXPECT_EQ(json::string_or(restore, {"status", "phase"}, ""), "FailedValidation") << restore.dump(1);
    EXPECT_FALSE(json::has(restore, {"status", "startTimestamp"}));
    return json::string_list_at(restore, {"status", "validationErrors"}).value();
  }

  TestCluster cluster_;
  TestRestoreRunner runner_{cluster_};
  int count_ = 0;
};

TEST_F(RestorePreparation, RefusesWhatNamesNoBackupThatCanBeRestored) {
  backup("running", "InProgress");
  backup("finalizing", "Finalizing");
  backup("going", "Deleting");
  backup("half", "Completed", {{"annotations", {{std::string(kSyncIncomplete), "true"}}}});
  backup("astray", "Completed", Json::object(), "gone");
  cluster_.create_location("away");
  cluster_.objects(api::kBackupStorageLocation)
      .patch("away", kube::PatchType::kMerge, {{"status", {{"phase", "Unavailable"}, {"message", "no route"}}}}, {})
      .value();
  backup("far", "Completed", Json::object(), "away");

  EXPECT_THAT(problems(Json::object()), ElementsAre(HasSubstr("name what to restore")));
  EXPECT_THAT(problems({{"backupName", "done"}, {"scheduleName", "daily"}}), ElementsAre(HasSubstr("not both")));
  EXPECT_THAT(problems({{"backupName", "none"}}), ElementsAre("backup none does not exist"));
  EXPECT_THAT(problems({{"backupName", "../etc"}}), ElementsAre(HasSubstr("spec.backupName: ")));
  EXPECT_THAT(problems({{"backupName", "running"}}), ElementsAre(HasSubstr("is not finished yet (phase InProgress)")));
  EXPECT_THAT(problems({{"backupName", "finalizing"}}), ElementsAre(HasSubstr("is not finished yet")));
  EXPECT_THAT(problems({{"backupName", "going"}}), ElementsAre("backup going is being deleted"));
  EXPECT_THAT(problems({{"backupName", "half"}}), ElementsAre(HasSubstr("not completely read from its bucket")));
  EXPECT_THAT(problems({{"backupName", "astray"}}), ElementsAre(HasSubstr("\"gone\" of the backup does not exist")));
  EXPECT_THAT(problems({{"backupName", "far"}}),
              ElementsAre("backup storage location away is not available: no route"));
}

TEST_F(RestorePreparation, RefusesFiltersThatContradictThemselves) {
  const auto with = [&](Json spec) {
    spec["backupName"] = "done";
    return problems(spec);
  };
  EXPECT_THAT(with({{"includedResources", {"pods"}}, {"excludedResources", {"pods"}}}),
              ElementsAre(HasSubstr("included/excluded resources")));
  EXPECT_THAT(with({{"includedNamespaces", {"shop"}}, {"excludedNamespaces", {"shop"}}}),
              ElementsAre(HasSubstr("included/excluded namespaces")));
  EXPECT_THAT(with({{"includedResources", {"nodes"}}}), ElementsAre(HasSubstr("\"nodes\" are never restored")));
  EXPECT_THAT(with({{"labelSelector", {{"matchLabels", {{"a", "b"}}}}},
                    {"orLabelSelectors", Json::array({{{"matchLabels", {{"a", "b"}}}}})}}),
              ElementsAre(HasSubstr("labelSelector and orLabelSelectors")));
  EXPECT_THAT(with({{"namespaceMapping", {{"shop", "Not A Name"}}}}), ElementsAre(HasSubstr("namespaceMapping")));
  EXPECT_THAT(with({{"existingResourcePolicy", "overwrite"}}),
              ElementsAre("spec.existingResourcePolicy: \"overwrite\" is neither none nor update"));
  EXPECT_THAT(with({{"itemOperationTimeout", "-1h"}}), ElementsAre(HasSubstr("spec.itemOperationTimeout")));
  // All of it at once, not one after the other.
  EXPECT_THAT(problems({{"existingResourcePolicy", "overwrite"}, {"includedResources", {"nodes"}}}),
              IsSupersetOf({HasSubstr("neither none nor update"), HasSubstr("never restored"),
                            HasSubstr("name what to restore")}));
}

TEST_F(RestorePreparation, RefusesModifiersPoliciesAndHooksThatCannotBeRead) {
  config_map("broken", "version: v1\nresourceModifierRules: 7\n");
  config_map("volumes", "version: v1\nvolumePolicies:\n- conditions: {capacity: '0,10Gi'}\n  action: {type: skip}\n");
  const auto with = [&](Json spec) {
    spec["backupName"] = "done";
    return problems(spec);
  };
  EXPECT_THAT(with({{"resourceModifier", {{"kind", "ConfigMap"}, {"name", "none"}}}}),
              ElementsAre("resource modifiers: ConfigMap velero/none does not exist"));
  EXPECT_THAT(with({{"resourceModifier", {{"kind", "configmap"}, {"name", "broken"}}}}),
              ElementsAre(HasSubstr("resource modifiers: ConfigMap velero/broken: ")));
  EXPECT_THAT(with({{"resourcePolicy", {{"kind", "Secret"}, {"name", "x"}}}}),
              ElementsAre(HasSubstr("spec.resourcePolicy.kind: Secret is not known")));
  EXPECT_THAT(with({{"resourcePolicy", {{"kind", "ConfigMap"}, {"name", "volumes"}}}}),
              ElementsAre(HasSubstr("resource policies: ")));
  const Json nameless = {{"name", "h"},
                         {"postHooks", Json::array({{{"init", {{"initContainers", {{{"image", "busybox"}}}}}}}})}};
  EXPECT_THAT(with({{"hooks", {{"resources", Json::array({nameless})}}}}),
              ElementsAre(HasSubstr("spec.hooks.resources[0]")));
}

TEST_F(RestorePreparation, ARefusedRestoreIsCounted) {
  problems({{"backupName", "none"}});
  const std::string metrics = cluster_.metrics().text();
  EXPECT_THAT(metrics, HasSubstr("velero_restore_validation_failed_total{schedule=\"\"} 1"));
  EXPECT_THAT(metrics, HasSubstr("velero_restore_attempt_total{schedule=\"\"} 1"));
}

TEST_F(RestorePreparation, AScheduleMeansItsNewestCompletedBackup) {
  const Json daily = {{"labels", {{"velero.io/schedule-name", "daily"}}}};
  EXPECT_THAT(problems({{"scheduleName", "daily"}}), ElementsAre("schedule daily has no backups"));
  backup("daily-1", "PartiallyFailed", daily, "default", "2030-01-01T00:00:00Z");
  EXPECT_THAT(problems({{"scheduleName", "daily"}}), ElementsAre(HasSubstr("has no backup that is Completed")));
  backup("daily-2", "Completed", daily, "default", "2030-01-02T00:00:00Z");
  backup("daily-4", "Completed", daily, "default", "2030-01-04T00:00:00Z");
  backup("daily-3", "Completed", daily, "default", "2030-01-03T00:00:00Z");
  backup("daily-5", "InProgress", daily, "default", "2030-01-05T00:00:00Z");

  kube::DiscoveryCache discovery(cluster_.client());
  const auto prepared = prepare_restore(cluster_.context(), TestRestoreRunner::built_in(), discovery,
                                        runner_.create("r", {{"scheduleName", "daily"}}), false, {});
  ASSERT_TRUE(prepared) << prepared.error().message();
  EXPECT_THAT(prepared->problems, ElementsAre());
  EXPECT_EQ(prepared->restore["spec"]["backupName"].get<std::string>(), "daily-4");

  // When a server goes on with it, both are there, and it is still that backup.
  backup("daily-6", "Completed", daily, "default", "2030-01-06T00:00:00Z");
  const auto again =
      prepare_restore(cluster_.context(), TestRestoreRunner::built_in(), discovery, prepared->restore, true, {});
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_THAT(again->problems, ElementsAre());
  EXPECT_EQ(again->backup["metadata"]["name"].get<std::string>(), "daily-4");
}

TEST_F(RestorePreparation, WritesInWhatFollowsFromTheBackup) {
  backup("nightly-1", "Failed", {{"labels", {{"velero.io/schedule-name", "nightly"}}}});
  kube::DiscoveryCache discovery(cluster_.client());
  const auto prepared = prepare_restore(
      cluster_.context(), TestRestoreRunner::built_in(), discovery,
      runner_.create("r", {{"backupName", "nightly-1"}, {"excludedResources", {"secrets"}}}), false, {});
  ASSERT_TRUE(prepared) << prepared.error().message();
  EXPECT_THAT(prepared->problems, ElementsAre()) << "the phase of a finished backup does not matter";
  const Json& spec = prepared->restore["spec"];
  EXPECT_EQ(spec["scheduleName"].get<std::string>(), "nightly");
  EXPECT_EQ(spec["itemOperationTimeout"].get<std::string>(), "4h0m0s");
  EXPECT_EQ(spec["excludedResources"][0].get<std::string>(), "secrets");
  EXPECT_THAT(spec["excludedResources"], Contains(Json("backuprepositories.velero.io")));
  EXPECT_EQ(spec["excludedResources"].size(), 10U);
}

}  // namespace
}  // namespace landfall::control
