#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/backup.h"
#include "api/restore.h"
#include "api/schedule.h"
#include "api/storage_location.h"
#include "json/json.h"
#include "json/patch.h"
#include "json/yaml.h"

namespace landfall::api {
namespace {

using json::Json;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Json yaml(const char* text) { return json::parse_yaml(text).value(); }

TEST(BackupSpec, IsReadFromADocument) {
  const Json backup = yaml(R"(
spec:
  includedNamespaces: [shop]
  excludedClusterScopedResources: [nodes]
  labelSelector: {matchLabels: {app: web}}
  orLabelSelectors: [{matchLabels: {a: b}}, {}]
  includeClusterResources: null
  snapshotVolumes: false
  ttl: 24h0m0s
  orderedResources: {pods: shop/a}
  resourcePolicy: {kind: configmap, name: rules}
  uploaderConfig: {parallelFilesUpload: 4}
  hooks:
    resources:
    - name: freeze
      includedNamespaces: [shop]
      labelSelector: {matchLabels: {app: db}}
      pre: [{exec: {command: [sync], container: db, onError: Fail, timeout: 5s}}]
      post: [{exec: {command: [echo, done]}}]
  cancel: true
)");
  const auto spec = read_backup_spec(backup);
  ASSERT_TRUE(spec) << spec.error().message();
  EXPECT_THAT(spec->included_namespaces, ElementsAre("shop"));
  EXPECT_TRUE(spec->uses_new_filters());
  EXPECT_FALSE(spec->uses_old_filters());
  EXPECT_EQ(spec->selector->to_string(), "app=web");
  EXPECT_EQ(spec->or_selectors.size(), 2U);
  EXPECT_EQ(spec->include_cluster_resources, std::nullopt);
  EXPECT_EQ(spec->snapshot_volumes, false);
  EXPECT_EQ(spec->ttl, hours(24));
  EXPECT_EQ(spec->ordered_resources.at("pods"), "shop/a");
  EXPECT_EQ(spec->resource_policy->name, "rules");
  EXPECT_EQ(spec->parallel_files_upload, 4);
  EXPECT_TRUE(spec->cancel);
  ASSERT_EQ(spec->hooks.size(), 1U);
  EXPECT_EQ(spec->hooks[0].filter.selector->to_string(), "app=db");
  EXPECT_EQ(spec->hooks[0].pre.at(0).timeout, seconds(5));
  EXPECT_EQ(spec->hooks[0].pre.at(0).on_error, HookErrorMode::kFail);
  EXPECT_EQ(spec->hooks[0].post.at(0).on_error, std::nullopt);
  EXPECT_THAT(spec->hooks[0].post.at(0).command, ElementsAre("echo", "done"));
}

TEST(BackupSpec, NamesEveryProblemWithItsPath) {
  const Json backup = yaml(R"(
spec:
  ttl: soon
  includedNamespaces: shop
  excludedResources: [pods, 3]
  labelSelector: {matchExpressions: [{key: a, operator: Near}]}
  orLabelSelectors: [{}, {matchLabels: 3}]
  uploaderConfig: many
  hooks: {resources: [{name: a, pre: [{exec: {command: [], onError: Maybe}}]}]}
)");
  const auto spec = read_backup_spec(backup);
  ASSERT_FALSE(spec);
  EXPECT_EQ(spec.error().code(), Code::kInvalid);
  EXPECT_THAT(
      problems_of(spec.error()),
      ElementsAre(HasSubstr("spec.includedNamespaces: expected"), HasSubstr("spec.excludedResources[1]: expected"),
                  HasSubstr("spec.labelSelector: \"Near\" is not"),
                  HasSubstr("spec.orLabelSelectors[1]: matchLabels: expected"),
                  HasSubstr("spec.uploaderConfig: expected an object, got a string"),
                  HasSubstr("spec.hooks.resources[0].pre[0].exec.command: must have at least one word"),
                  HasSubstr("spec.hooks.resources[0].pre[0].exec.onError: \"Maybe\" is neither"),
                  HasSubstr("spec.ttl: ")));
  EXPECT_THAT(spec.error().message(), HasSubstr("; spec.ttl: "));
}

TEST(BackupSpec, MayBeMissing) {
  const auto spec = read_backup_spec(Json::object());
  ASSERT_TRUE(spec) << spec.error().message();
  EXPECT_EQ(spec->ttl, Duration::zero());
  EXPECT_EQ(spec->selector, std::nullopt);
  EXPECT_FALSE(read_backup_spec({{"spec", 3}}));
}

TEST(BackupDefaults, AreWrittenWhereNothingIsSaidAndNothingElseIsTouched) {
  const Json backup = yaml("{spec: {ttl: 0s, csiSnapshotTimeout: 1m0s, mine: kept}}");
  Json changed = backup;
  ASSERT_TRUE(apply_backup_defaults(changed, read_backup_spec(backup).value(), {.snapshot_move_data = true}));
  EXPECT_EQ(json::create_merge_patch(backup, changed), yaml(R"(
spec:
  ttl: 720h0m0s
  itemOperationTimeout: 4h0m0s
  includedNamespaces: ["*"]
  volumeGroupSnapshotLabelKey: velero.io/volume-group
  snapshotMoveData: true
  defaultVolumesToFsBackup: false
)"));
  Json again = changed;
  ASSERT_TRUE(apply_backup_defaults(again, read_backup_spec(changed).value(), {}));
  EXPECT_EQ(again, changed);
}

TEST(BackupDefaults, LetTheOlderNameOfFsBackupWin) {
  Json backup = yaml("{spec: {defaultVolumesToFsBackup: false, defaultVolumesToRestic: true}}");
  ASSERT_TRUE(apply_backup_defaults(backup, read_backup_spec(backup).value(), {}));
  EXPECT_EQ(backup["spec"]["defaultVolumesToFsBackup"], true);
}

TEST(RestoreSpec, IsReadFromADocument) {
  const Json restore = yaml(R"(
spec:
  backupName: nightly
  namespaceMapping: {shop: shop-copy}
  restorePVs: false
  restoreStatus: {includedResources: [widgets.example.com]}
  existingResourcePolicy: update
  resourceModifier: {kind: ConfigMap, name: change}
  preview: true
  hooks:
    resources:
    - name: warm
      postHooks:
      - init: {initContainers: [{name: seed, image: busybox, command: ["true"]}]}
      - exec: {command: [warm], execTimeout: 5s, waitTimeout: 1m, waitForReady: true}
)");
  const auto spec = read_restore_spec(restore);
  ASSERT_TRUE(spec) << spec.error().message();
  EXPECT_EQ(spec->backup_name, "nightly");
  EXPECT_EQ(spec->namespace_mapping.at("shop"), "shop-copy");
  EXPECT_EQ(spec->restore_volumes, false);
  EXPECT_THAT(spec->restore_status->included_resources, ElementsAre("widgets.example.com"));
  EXPECT_EQ(spec->existing_resource_policy, "update");
  EXPECT_TRUE(spec->preview);
  EXPECT_FALSE(spec->cancel);
  ASSERT_EQ(spec->hooks.size(), 1U);
  EXPECT_EQ(spec->hooks[0].init_containers.at(0)->at("image"), "busybox");
  EXPECT_EQ(spec->hooks[0].exec.at(0).wait_timeout, minutes(1));
  EXPECT_TRUE(spec->hooks[0].exec.at(0).wait_for_ready);

  Json defaulted = restore;
  ASSERT_TRUE(apply_restore_defaults(defaulted, *spec, {}));
  EXPECT_EQ(json::create_merge_patch(restore, defaulted), yaml("{spec: {itemOperationTimeout: 4h0m0s}}"));
}

TEST(RestoreSpec, RefusesAPreviewThatIsNoBoolean) {
  const Json restore = {{"spec", {{"preview", "true"}}}};
  const auto spec = read_restore_spec(restore);
  ASSERT_FALSE(spec);
  EXPECT_THAT(problems_of(spec.error()), ElementsAre(HasSubstr("spec.preview: expected true or false")));
}

TEST(Schedule, IsReadWithItsTemplate) {
  const Json schedule = yaml(R"(
spec: {schedule: "0 1 * * *", paused: true, template: {metadata: {labels: {tier: gold}}, ttl: 1x}}
status: {lastBackup: "2026-05-20T08:00:22Z"}
)");
  const auto read = read_schedule(schedule);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->cron, "0 1 * * *");
  EXPECT_TRUE(read->paused);
  EXPECT_TRUE(read->last_backup.has_value());
  const auto spec = read_backup_template(schedule);
  ASSERT_FALSE(spec);
  EXPECT_THAT(problems_of(spec.error()), ElementsAre(HasSubstr("spec.template.ttl: ")));
}

TEST(StorageLocation, KnowsHowOftenItIsLookedAt) {
  const auto location = [](const char* text) { return read_storage_location(yaml(text)).value(); };
  const StorageLocation plain = location("{spec: {provider: aws, objectStorage: {bucket: b}}}");
  EXPECT_EQ(plain.bucket, "b");
  EXPECT_FALSE(plain.is_available);
  EXPECT_FALSE(plain.is_read_only);
  EXPECT_EQ(plain.sync_every(minutes(1)), minutes(1));
  EXPECT_EQ(plain.sync_every(Duration::zero()), std::nullopt);
  const StorageLocation never = location("{spec: {backupSyncPeriod: 0s, validationFrequency: -1s}}");
  EXPECT_EQ(never.sync_every(minutes(1)), std::nullopt);
  EXPECT_EQ(never.validate_every(minutes(1)), minutes(1));
  const StorageLocation ready = location("{spec: {accessMode: ReadOnly}, status: {phase: Available}}");
  EXPECT_TRUE(ready.is_available);
  EXPECT_TRUE(ready.is_read_only);
}

}  // namespace
}  // namespace landfall::api
