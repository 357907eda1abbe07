#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.h"
#include "item_actions/restore_csi_claim_action.h"
#include "item_actions/restore_csi_snapshot_actions.h"
#include "item_actions/test_restore_input.h"
#include "selection/test_discovery.h"

namespace landfall::item_actions {
namespace {

using json::Json;
using k8s::ObjectRef;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kBackupPath = "/apis/velero.io/v1/namespaces/velero/backups/nightly";
const char* const kGroup = "snapshot.storage.k8s.io";
const api::RestoreSpec kNoVolumes{.restore_volumes = false};
const api::RestoreSpec kMapped{.namespace_mapping = {{"shop", "copy"}}};
const api::RestoreSpec kPlain;

std::unique_ptr<extension::RestoreItemAction> claim_action(const TestCluster& cluster, const api::RestoreSpec& spec) {
  return make_restore_csi_claim_action(*cluster.client, spec,
                                       std::make_shared<BackupLookup>(*cluster.client, "velero", "nightly"));
}

Json claim() {
  return yaml(R"(
metadata: {name: data, namespace: shop, annotations: {velero.io/volume-snapshot-name: snap}}
spec: {volumeName: pv-1, dataSourceRef: {name: x}, storageClassName: fast}
)");
}

TEST(RestoreCsiClaimAction, FillsTheClaimFromItsSnapshot) {
  const TestCluster cluster({{kBackupPath, yaml("{spec: {}}")}});
  const auto action = claim_action(cluster, kMapped);
  const auto result = run(*action, claim(), claim()).value();
  Json expected = claim();
  expected["metadata"]["annotations"]["restore.velero.io/must-include-additional-items"] = "true";
  expected["spec"] = yaml("{storageClassName: fast}");
  expected["spec"]["dataSource"] = {{"apiGroup", kGroup}, {"kind", "VolumeSnapshot"}, {"name", sha256_hex("r-1/snap")}};
  EXPECT_EQ(*result.changed, expected);
  EXPECT_THAT(result.additional, ElementsAre(ObjectRef{{kGroup, "volumesnapshots"}, "shop", "snap"}));
  EXPECT_EQ(cluster.server.requests().at(1).target, "/api/v1/namespaces/copy/persistentvolumeclaims/data");
}

TEST(RestoreCsiClaimAction, LeavesAClaimAloneThatIsThereAlready) {
  const TestCluster cluster(
      {{kBackupPath, yaml("{spec: {}}")}, {"/api/v1/namespaces/shop/persistentvolumeclaims/data", claim()}});
  for (const api::RestoreSpec* spec : {&kPlain, &kNoVolumes}) {
    const auto result = run(*claim_action(cluster, *spec), claim(), claim()).value();
    EXPECT_EQ(result.changed, nullptr);
    EXPECT_THAT(result.additional, IsEmpty());
  }
}

TEST(RestoreCsiClaimAction, AsksNobodyAboutAClaimWithoutASnapshot) {
  const TestCluster cluster({});
  Json plain = claim();
  plain["metadata"].erase("annotations");
  EXPECT_EQ(run(*claim_action(cluster, kPlain), plain, plain).value().changed, nullptr);
  EXPECT_THAT(cluster.server.requests(), IsEmpty());
}

TEST(RestoreCsiClaimAction, GivesAnEmptyVolumeWhenVolumesAreNotRestored) {
  const TestCluster cluster({});
  Json item = claim();
  item["spec"]["dataSource"] = {{"name", "x"}};
  EXPECT_EQ(changed_by(*claim_action(cluster, kNoVolumes), item)["spec"], yaml("{storageClassName: fast}"));
}

TEST(RestoreCsiClaimAction, SaysThatMovedDataCannotBeRestoredYet) {
  const TestCluster cluster({{kBackupPath, yaml("{spec: {snapshotMoveData: true}}")}});
  const auto action = claim_action(cluster, kPlain);
  // Without a DataUpload the claim is somebody else's business.
  EXPECT_EQ(run(*action, claim(), claim()).value().changed, nullptr);
  Json moved = claim();
  moved["metadata"]["annotations"]["velero.io/data-upload-name"] = "u";
  const auto result = run(*action, claim(), moved);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Code::kUnsupported);
  EXPECT_THAT(result.error().message(), HasSubstr("cannot restore moved snapshot data yet"));
}

TEST(RestoreCsiClaimAction, FailsWhenItCannotKnow) {
  const TestCluster without_backup({});
  EXPECT_FALSE(run(*claim_action(without_backup, kPlain), claim(), claim()));
}

std::unique_ptr<extension::RestoreItemAction> snapshot_action(const TestCluster& cluster,
                                                              const api::RestoreSpec& spec = kPlain) {
  return make_restore_snapshot_action(
      spec, std::make_unique<GroupSnapshotStubs>(*cluster.client, selection::test_discovery()), Logger());
}

Json snapshot() {
  return yaml(R"(
metadata: {name: snap, namespace: shop}
spec: {source: {persistentVolumeClaimName: data}, volumeSnapshotClassName: c}
status: {boundVolumeSnapshotContentName: snapcontent-1}
)");
}

TEST(RestoreSnapshotAction, TakesTheSnapshotFromItsContent) {
  const TestCluster cluster({});
  Json item = snapshot();
  item.erase("status");
  const auto result = run(*snapshot_action(cluster), item, snapshot()).value();
  const std::string name = sha256_hex("r-1/snap");
  Json expected = yaml(R"(
metadata:
  namespace: shop
  annotations: {velero.io/csi-vsc-deletion-policy: Retain, restore.velero.io/must-include-additional-items: "true"}
)");
  expected["metadata"]["name"] = name;
  expected["spec"]["source"]["volumeSnapshotContentName"] = name;
  EXPECT_EQ(*result.changed, expected);
  EXPECT_THAT(result.additional, ElementsAre(ObjectRef{{kGroup, "volumesnapshotcontents"}, "", "snapcontent-1"}));
  EXPECT_THAT(cluster.server.requests(), IsEmpty());
}

TEST(RestoreSnapshotAction, RefusesASnapshotWithoutContent) {
  const TestCluster cluster({});
  Json unbound = snapshot();
  unbound["status"].clear();
  const auto result = run(*snapshot_action(cluster), unbound, unbound);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Code::kInvalid);
}

Json grouped(const char* handle) {
  Json item = snapshot();
  item["metadata"]["annotations"] = {{"velero.io/csi-volumegroupsnapshot-handle", "group-1"},
                                     {"velero.io/csi-volumesnapshot-handle", handle},
                                     {"velero.io/csi-driver-name", "csi.example.com"}};
  return item;
}

const std::string kContents = "/apis/groupsnapshot.storage.k8s.io/v1beta2/volumegroupsnapshotcontents";

TEST(GroupSnapshotStubs, MakesAStandInForTheGroup) {
  const TestCluster cluster(
      {{"/apis/groupsnapshot.storage.k8s.io/v1beta2/volumegroupsnapshotclasses", TestCluster::list(yaml(R"(
[{metadata: {name: a}, driver: other},
 {metadata: {name: b}, driver: csi.example.com, parameters: {csi.storage.k8s.io/group-snapshotter-secret-name: s}}]
)"))}});
  EXPECT_TRUE(run(*snapshot_action(cluster), grouped("h1"), grouped("h1")));
  const std::string name = sha256_hex("r-1/group-1");
  const auto requests = cluster.server.requests();
  ASSERT_EQ(requests.size(), 4U);  // look, classes, create, status
  Json expected = yaml(R"(
apiVersion: groupsnapshot.storage.k8s.io/v1beta2
kind: VolumeGroupSnapshotContent
metadata:
  labels: {velero.io/restore-name: back}
  annotations: {groupsnapshot.storage.kubernetes.io/deletion-secret-name: s}
spec:
  deletionPolicy: Retain
  driver: csi.example.com
  source: {groupSnapshotHandles: {volumeGroupSnapshotHandle: group-1, volumeSnapshotHandles: [h1]}}
)");
  expected["metadata"]["name"] = name;
  expected["spec"]["volumeGroupSnapshotRef"] = {{"name", "stub-vgs-" + name.substr(0, 8)}, {"namespace", "shop"}};
  EXPECT_EQ(json::parse(requests[2].body).value(), expected);
  EXPECT_THAT(requests[3].target, HasSubstr(kContents + "/" + name + "/status"));
}

TEST(GroupSnapshotStubs, AddsTheHandlesOfOtherSnapshots) {
  const std::string path = kContents + "/" + sha256_hex("r-1/group-1");
  const TestCluster cluster({{path, yaml("{spec: {source: {groupSnapshotHandles: {volumeSnapshotHandles: [h1]}}}}")}});
  const auto action = snapshot_action(cluster);
  EXPECT_TRUE(run(*action, grouped("h1"), grouped("h1")));
  EXPECT_TRUE(run(*action, grouped("h2"), grouped("h2")));
  const auto requests = cluster.server.requests();
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests[2].method, "PATCH");
  EXPECT_EQ(json::parse(requests[2].body).value(),
            yaml("{spec: {source: {groupSnapshotHandles: {volumeSnapshotHandles: [h1, h2]}}}}"));
}

TEST(GroupSnapshotStubs, AFailureDoesNotKeepTheSnapshotFromBeingRestored) {
  const TestCluster cluster({}, [](const testkit::ScriptedRequest&) { return TestCluster::missing(); });
  EXPECT_NE(run(*snapshot_action(cluster), grouped("h1"), grouped("h1")).value().changed, nullptr);
}

Json content() {
  return yaml(R"(
metadata:
  name: snapcontent-1
  annotations:
    csi.storage.k8s.io/snapshotter-secret-name: s
    csi.storage.k8s.io/snapshotter-secret-namespace: kube-system
spec:
  driver: csi.example.com
  deletionPolicy: Delete
  source: {volumeHandle: v-1}
  volumeSnapshotClassName: old
  volumeSnapshotRef: {kind: VolumeSnapshot, name: snap, namespace: shop, uid: u, resourceVersion: "7"}
status: {snapshotHandle: h-1}
)");
}

const char* const kClasses = "/apis/snapshot.storage.k8s.io/v1/volumesnapshotclasses";

TEST(RestoreSnapshotContentAction, PointsAtTheSnapshotInTheStorage) {
  const TestCluster cluster({{kClasses, TestCluster::list(yaml(R"(
[{metadata: {name: a}, driver: other}, {metadata: {name: b}, driver: csi.example.com}, {metadata: {name: c}, driver: csi.example.com}]
)"))}});
  const auto action = make_restore_snapshot_content_action(*cluster.client, kMapped, Logger());
  Json item = content();
  item.erase("status");
  const auto result = run(*action, item, content()).value();
  const std::string name = sha256_hex("r-1/snap");
  EXPECT_EQ((*result.changed)["metadata"]["name"], name);
  Json spec = yaml(R"(
driver: csi.example.com
deletionPolicy: Retain
source: {snapshotHandle: h-1}
volumeSnapshotClassName: b
volumeSnapshotRef: {kind: VolumeSnapshot, namespace: copy}
)");
  spec["volumeSnapshotRef"]["name"] = name;
  EXPECT_EQ((*result.changed)["spec"], spec);
  EXPECT_THAT(result.additional, ElementsAre(ObjectRef{{"", "secrets"}, "kube-system", "s"}));
  EXPECT_TRUE(run(*action, item, content()));
  EXPECT_EQ(cluster.server.requests().size(), 1U);
}

TEST(RestoreSnapshotContentAction, DoesWithoutAClass) {
  const TestCluster cluster({});
  const auto action = make_restore_snapshot_content_action(*cluster.client, kPlain, Logger());
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(changed_by(*action, content())["spec"].contains("volumeSnapshotClassName"));
  }
  EXPECT_EQ(cluster.server.requests().size(), 1U);
}

TEST(RestoreSnapshotContentAction, RefusesAContentWithoutAHandle) {
  const TestCluster cluster({});
  const auto action = make_restore_snapshot_content_action(*cluster.client, kPlain, Logger());
  Json empty = content();
  empty["status"].clear();
  const auto result = run(*action, empty, empty);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Code::kInvalid);
}

TEST(RestoreSnapshotClassAction, TakesTheSecretForListingAlong) {
  const auto action = make_restore_snapshot_class_action(kPlain);
  Json item = yaml(R"(
metadata:
  annotations:
    csi.storage.k8s.io/snapshotter-list-secret-name: s
    csi.storage.k8s.io/snapshotter-list-secret-namespace: kube-system
)");
  EXPECT_THAT(run(*action, item, item).value().additional, ElementsAre(ObjectRef{{"", "secrets"}, "kube-system", "s"}));
  item["metadata"]["annotations"].erase("csi.storage.k8s.io/snapshotter-list-secret-name");
  EXPECT_THAT(run(*action, item, item).value().additional, IsEmpty());
}

TEST(RestoreSnapshotActions, SkipEverythingWhenVolumesAreNotRestored) {
  const TestCluster cluster({});
  EXPECT_TRUE(run(*snapshot_action(cluster, kNoVolumes), snapshot(), snapshot()).value().skip);
  EXPECT_TRUE(run(*make_restore_snapshot_class_action(kNoVolumes), snapshot(), snapshot()).value().skip);
  EXPECT_TRUE(run(*make_restore_snapshot_content_action(*cluster.client, kNoVolumes, Logger()), content(), content())
                  .value()
                  .skip);
  EXPECT_THAT(cluster.server.requests(), IsEmpty());
}

}  // namespace
}  // namespace landfall::item_actions
