#include "selection/resource_policies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/json.h"

namespace landfall::selection {
namespace {

using json::Json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr const char* kPolicies = R"(
version: v1
volumePolicies:
- conditions: {capacity: "10Gi,100Gi", storageClass: [gp3, fast]}
  action: {type: fs-backup}
- conditions: {nfs: {server: 10.0.0.1, path: /x}}
  action: {type: skip}
- conditions: {nfs: {}}
  action: {type: custom, parameters: {by: nfs-tool}}
- conditions: {csi: {driver: ebs.csi.aws.com, volumeAttributes: {zone: 1}}}
  action: {type: snapshot}
- conditions: {pvcLabels: {tier: db}, pvcPhase: [Pending, Lost]}
  action: {type: skip}
- conditions: {pvcVolumeMode: Block, pvcAccessModes: [ReadWriteMany, ReadOnlyMany]}
  action: {type: skip}
- conditions: {volumeTypes: [emptyDir, storageOS]}
  action: {type: fs-backup}
)";

Json volume(const char* capacity, const char* storage_class, const Json& source = Json::object()) {
  Json pv = {{"spec", source}};
  pv["spec"]["capacity"]["storage"] = capacity;
  pv["spec"]["storageClassName"] = storage_class;
  return pv;
}

// The number of the policy that matches; -1 when none does.
int match(const Json* pv, const Json* pod_volume, const Json* claim, const char* yaml = kPolicies) {
  const auto policies = parse_resource_policies(yaml);
  EXPECT_TRUE(policies) << policies.error().message();
  const auto facts = read_volume_facts(pv, pod_volume, claim);
  EXPECT_TRUE(facts) << facts.error().message();
  const VolumePolicy* found = policies->volumes.match(*facts);
  return found == nullptr ? -1 : static_cast<int>(found - policies->volumes.policies().data());
}
int match_pv(const Json& pv, const char* yaml = kPolicies) { return match(&pv, nullptr, nullptr, yaml); }

TEST(VolumePolicies, AllConditionsOfAPolicyMustHold) {
  EXPECT_EQ(match_pv(volume("10Gi", "gp3")), 0);
  EXPECT_EQ(match_pv(volume("100Gi", "fast")), 0) << "both ends belong to the range";
  EXPECT_EQ(match_pv(volume("101Gi", "gp3")), -1);
  EXPECT_EQ(match_pv(volume("1Gi", "gp3")), -1);
  EXPECT_EQ(match_pv(volume("50Gi", "slow")), -1);
}

TEST(VolumePolicies, TheFirstMatchWins) {
  EXPECT_EQ(match_pv(volume("1Gi", "", {{"nfs", {{"server", "10.0.0.1"}, {"path", "/x"}}}})), 1);
  EXPECT_EQ(match_pv(volume("1Gi", "", {{"nfs", {{"server", "10.0.0.1"}, {"path", "/y"}}}})), 2);
  EXPECT_EQ(match_pv(volume("50Gi", "gp3", {{"nfs", {{"server", "10.0.0.1"}, {"path", "/x"}}}})), 0);
}

TEST(VolumePolicies, LookAtTheDriverTheClaimAndThePodsVolume) {
  const auto csi = [](const Json& attributes) {
    return volume("1Gi", "", {{"csi", {{"driver", "ebs.csi.aws.com"}, {"volumeAttributes", attributes}}}});
  };
  EXPECT_EQ(match_pv(csi({{"zone", "1"}, {"a", "b"}})), 3);
  EXPECT_EQ(match_pv(csi({{"zone", "2"}})), -1);
  const Json pending = {{"metadata", {{"labels", {{"tier", "db"}, {"a", "b"}}}}}, {"status", {{"phase", "Pending"}}}};
  EXPECT_EQ(match(nullptr, nullptr, &pending), 4);
  const Json block = {{"spec", {{"volumeMode", "Block"}, {"accessModes", {"ReadOnlyMany", "ReadWriteMany"}}}}};
  EXPECT_EQ(match(nullptr, nullptr, &block), 5);
  const Json one_mode = {{"spec", {{"volumeMode", "Block"}, {"accessModes", {"ReadOnlyMany"}}}}};
  EXPECT_EQ(match(nullptr, nullptr, &one_mode), -1);
  const Json empty_dir = {{"name", "tmp"}, {"emptyDir", Json::object()}};
  EXPECT_EQ(match(nullptr, &empty_dir, nullptr), 6);
  EXPECT_EQ(match_pv(volume("1Gi", "", {{"storageos", {{"volumeName", "x"}}}})), 6);
  EXPECT_FALSE(read_volume_facts(nullptr, nullptr, nullptr));
}

TEST(VolumePolicies, WithoutConditionsMatchEveryVolume) {
  constexpr const char* kAll = "{version: v1, volumePolicies: [{action: {type: skip}}]}";
  EXPECT_EQ(match_pv(volume("1Gi", ""), kAll), 0);
  const Json odd = {{"name", "x"}, {"image", {{"reference", "r"}}}};
  EXPECT_EQ(match(nullptr, &odd, nullptr, kAll), 0);
}

TEST(CapacityRange, AnEmptyOrZeroEndIsNoLimit) {
  const auto contains = [](std::string_view range, const char* capacity) {
    return CapacityRange::parse(range)->contains(*Quantity::parse(capacity));
  };
  EXPECT_TRUE(contains("", "5Ti"));
  EXPECT_TRUE(contains(",", "0"));
  EXPECT_TRUE(contains(" 10Gi ,", "5Ti"));
  EXPECT_FALSE(contains("10Gi,", "9Gi"));
  EXPECT_TRUE(contains(",10Gi", "10Gi"));
  EXPECT_FALSE(contains(",10Gi", "10241Mi"));
  EXPECT_TRUE(contains("10Gi,0", "5Ti"));
  for (const char* bad : {"10Gi", "1,2,3", "2Gi,1Gi", "x,", "-1,", ",1Qi"}) {
    EXPECT_FALSE(CapacityRange::parse(bad)) << bad;
  }
}

TEST(ResourcePolicies, KeepParametersAndSayWhereTheyComeFrom) {
  const auto policies = parse_resource_policies(kPolicies);
  const VolumePolicy& custom = policies->volumes.policies().at(2);
  EXPECT_EQ(custom.action, VolumeAction::kCustom);
  EXPECT_EQ(custom.origin, "volumePolicies[2]");
  EXPECT_EQ((*custom.parameters)["by"], "nfs-tool");
  EXPECT_THAT(policies->warnings, IsEmpty());
}

TEST(ResourcePolicies, BadOnesAreRefusedWithThePlace) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"", "the text is empty"},
      {"[]", "expected an object"},
      {"volumePolicies: []", "version: missing"},
      {"version: v2", "version: unknown version \"v2\""},
      {"{version: v1, policies: []}", "unknown field \"policies\""},
      {"{version: v1, volumePolicies: {}}", "volumePolicies: expected a list"},
      {"{version: v1, volumePolicies: [{}]}", "volumePolicies[0].action.type: missing"},
      {"{version: v1, volumePolicies: [{action: {type: Skip}}]}", "unknown action \"Skip\""},
      {"{version: v1, volumePolicies: [{action: {type: skip}, conditions: {size: 1}}]}",
       "volumePolicies[0].conditions: unknown field \"size\""},
      {"{version: v1, volumePolicies: [{action: {type: skip}, conditions: {capacity: 10Gi}}]}",
       "volumePolicies[0].conditions.capacity: \"10Gi\" is not of the form"},
      {"{version: v1, volumePolicies: [{action: {type: skip}, conditions: {storageClass: a}}]}",
       "volumePolicies[0].conditions.storageClass: expected a list, got a string"},
      {"{version: v1, volumePolicies: [{action: {type: skip}, conditions: {csi: {volumeAttributes: {a: b}}}}]}",
       "volumePolicies[0].conditions.csi.volumeAttributes: cannot be given without a driver"},
      {"{version: v1, volumePolicies: [{action: {type: skip}, conditions: {pvcLabels: [a]}}]}",
       "volumePolicies[0].conditions.pvcLabels: expected an object"},
      {"{version: v1, includeExcludePolicy: {includedClusterScopedResources: ['*']}}", "'*' is not allowed"},
      {"{version: v1, includeExcludePolicy: {includedClusterScopedResources: [a], excludedClusterScopedResources: "
       "[a]}}",
       "\"a\" is both included and excluded"},
      {"{version: v1, clusterScopedFilterPolicy: {resourceFilters: []}}", "must have at least one filter"},
      {"{version: v1, clusterScopedFilterPolicy: {resourceFilters: [{names: [a]}]}}", "resourceFilters[0]"},
      {"{version: v1, namespacedFilterPolicies: [{namespaces: [a, a], resourceFilters: [{}]}]}", "named twice"},
      {"{version: v1, namespacedFilterPolicies: [{namespaces: ['a**'], resourceFilters: [{}]}]}", "'**'"},
      {"{version: v1, namespacedFilterPolicies: [{namespaces: [a], resourceFilters: [{}, {kinds: ['*']}]}]}",
       "only one filter for all kinds"},
      {"{version: v1, namespacedFilterPolicies: [{namespaces: [a], resourceFilters: [{kinds: [b], names: ['[']}]}]}",
       "pattern \"[\""},
      {"version: v1\nvolumePolicies: [", "line 3"},
  };
  for (const auto& [yaml, message] : cases) {
    const auto policies = parse_resource_policies(yaml);
    ASSERT_FALSE(policies) << yaml;
    EXPECT_EQ(policies.error().code(), Code::kInvalid);
    EXPECT_THAT(policies.error().message(), HasSubstr(message)) << yaml;
  }
}

TEST(ResourcePolicies, ATypeThatDoesNotExistIsAWarning) {
  const auto policies = parse_resource_policies(
      "{version: v1, volumePolicies: [{action: {type: skip}, conditions: {volumeTypes: [NFS], pvcPhase: [lost]}}]}");
  ASSERT_TRUE(policies) << policies.error().message();
  EXPECT_THAT(policies->warnings, ElementsAre(HasSubstr("\"NFS\""), HasSubstr("\"lost\"")));
}

TEST(ResourcePolicies, AConfigMapHasExactlyOneKey) {
  Json map = {{"metadata", {{"namespace", "velero"}, {"name", "p"}}}, {"data", {{"any", kPolicies}}}};
  EXPECT_TRUE(read_resource_policies(map));
  map["data"]["more"] = "";
  const auto refused = read_resource_policies(map);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message(), "ConfigMap velero/p: data: must have exactly one key, has 2");
}

TEST(ResourcePolicies, TheGlobalOnesComeLastAndOnlyTheirVolumePoliciesHold) {
  const auto own = parse_resource_policies(
      "{version: v1, volumePolicies: [{conditions: {storageClass: [a]}, action: {type: skip}}]}");
  const auto global = parse_resource_policies(
      "{version: v1, volumePolicies: [{action: {type: snapshot}}], "
      "includeExcludePolicy: {excludedClusterScopedResources: [nodes]}}");
  const ResourcePolicies merged = merged_policies(&*own, &*global);
  EXPECT_EQ(merged.volumes.match({.storage_class = "a"})->action, VolumeAction::kSkip);
  const VolumePolicy* other = merged.volumes.match({.storage_class = "b"});
  EXPECT_EQ(other->action, VolumeAction::kSnapshot);
  EXPECT_EQ(other->origin, "global volumePolicies[0]");
  EXPECT_FALSE(merged.include_exclude);
  EXPECT_THAT(merged.warnings, SizeIs(1));
  EXPECT_THAT(merged_policies(nullptr, &*global).volumes.policies(), SizeIs(1));
  EXPECT_THAT(merged_policies(&*own, nullptr).warnings, IsEmpty());
}

}  // namespace
}  // namespace landfall::selection
