#include "backup/volume_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/json.h"
#include "selection/resource_policies.h"

namespace landfall::backup {
namespace {

using json::Json;
using testing::HasSubstr;

Json mounts(const Json& volumes) {
  Json mounts = Json::array();
  for (const Json& volume : volumes) mounts.push_back({{"name", volume["name"]}});
  return mounts;
}
Json pod(const Json& volumes, const Json& annotations = Json::object()) {
  return {{"metadata", {{"name", "db-0"}, {"namespace", "shop"}, {"annotations", annotations}}},
          {"spec", {{"volumes", volumes}, {"containers", Json::array({{{"volumeMounts", mounts(volumes)}}})}}}};
}
Json claim_volume(const std::string& name, const std::string& claim) {
  return {{"name", name}, {"persistentVolumeClaim", {{"claimName", claim}}}};
}

Result<FoundClaim> nothing(const std::string& /*name_space*/, const std::string& /*claim*/) { return FoundClaim{}; }

Result<FoundClaim> nfs(const std::string& /*name_space*/, const std::string& claim) {
  FoundClaim found;
  found.claim = std::make_shared<const Json>(Json{{"metadata", {{"name", claim}}}});
  found.volume = std::make_shared<const Json>(
      Json{{"spec", {{"capacity", {{"storage", "1Gi"}}}, {"nfs", {{"server", "s"}, {"path", "/"}}}}}});
  return found;
}

TEST(VolumeChoice, TakesWhatAnAnnotationAsksFor) {
  const Json one =
      pod({claim_volume("data", "c1"), claim_volume("log", "c2")}, {{"backup.velero.io/backup-volumes", "data,other"}});
  const auto choices = choose_pod_volumes(one, {}, nothing).value();
  ASSERT_EQ(choices.size(), 3U);
  EXPECT_TRUE(choices[0].fs_backup);
  EXPECT_FALSE(choices[1].fs_backup);
  EXPECT_THAT(choices[1].why_not, HasSubstr("shop/db-0"));
  EXPECT_TRUE(choices[2].is_refused);
  EXPECT_EQ(choices[2].volume, "other");
  EXPECT_THAT(choices[2].why_not, HasSubstr("the pod has no volume of this name"));
}

TEST(VolumeChoice, SaysWhichOfTheListedAreNeverCopiedAndMindsNoSpaces) {
  const Json one = pod({claim_volume("data", "c1"), {{"name", "host"}, {"hostPath", {{"path", "/"}}}}},
                       {{"backup.velero.io/backup-volumes", " host , data,"}});
  const auto choices = choose_pod_volumes(one, {}, nothing).value();
  ASSERT_EQ(choices.size(), 2U);
  EXPECT_TRUE(choices[0].fs_backup);
  EXPECT_EQ(choices[1].volume, "host");
  EXPECT_TRUE(choices[1].is_refused);
}

TEST(VolumeChoice, TakesAllButWhatAnAnnotationLeavesOut) {
  const Json one = pod({claim_volume("data", "c1"), {{"name", "scratch"}, {"emptyDir", Json::object()}}},
                       {{"backup.velero.io/backup-volumes-excludes", "scratch"}});
  const auto choices = choose_pod_volumes(one, {.fs_backup_by_default = true}, nothing).value();
  ASSERT_EQ(choices.size(), 2U);
  EXPECT_TRUE(choices[0].fs_backup);
  EXPECT_FALSE(choices[1].fs_backup);
}

TEST(VolumeChoice, NeverTakesWhatIsNoData) {
  const Json one = pod({{{"name", "a"}, {"secret", Json::object()}},
                        {{"name", "b"}, {"hostPath", {{"path", "/"}}}},
                        {{"name", "c"}, {"configMap", Json::object()}},
                        {{"name", "d"}, {"projected", Json::object()}},
                        {{"name", "e"}, {"downwardAPI", Json::object()}},
                        {{"name", "default-token-xyz"}, {"emptyDir", Json::object()}}});
  EXPECT_TRUE(choose_pod_volumes(one, {.fs_backup_by_default = true}, nothing).value().empty());
}

TEST(VolumeChoice, APolicyWinsOverAnnotations) {
  const auto policies = selection::parse_resource_policies(
                            "version: v1\nvolumePolicies:\n- conditions: {nfs: {}}\n  action: {type: skip}\n")
                            .value();
  const Json one = pod(Json::array({claim_volume("data", "c1")}), {{"backup.velero.io/backup-volumes", "data"}});
  const auto choices = choose_pod_volumes(one, {.policies = &policies.volumes}, nfs).value();
  EXPECT_FALSE(choices[0].fs_backup);
  EXPECT_THAT(choices[0].why_not, HasSubstr("skip"));
  // No policy matches, and the volume that they would look at is not there.
  EXPECT_FALSE(choose_pod_volumes(one, {.policies = &policies.volumes}, nothing));
}

TEST(VolumeChoice, APolicyAsksForWhatNoAnnotationDoes) {
  const auto policies = selection::parse_resource_policies(
                            "version: v1\nvolumePolicies:\n- conditions: {nfs: {}}\n  action: {type: fs-backup}\n"
                            "- conditions: {volumeTypes: [emptyDir]}\n  action: {type: snapshot}\n")
                            .value();
  const Json one = pod({claim_volume("data", "c1"), {{"name", "scratch"}, {"emptyDir", Json::object()}}},
                       {{"backup.velero.io/backup-volumes", "scratch"}});
  const auto choices = choose_pod_volumes(one, {.policies = &policies.volumes}, nfs).value();
  ASSERT_EQ(choices.size(), 2U);
  EXPECT_TRUE(choices[0].fs_backup);
  EXPECT_FALSE(choices[1].fs_backup) << "any other action of a policy is a no";
  EXPECT_THAT(choices[1].why_not, HasSubstr("snapshot"));
}

TEST(VolumeChoice, LeavesClaimsOutThatTheFiltersLeaveOut) {
  const Json one = pod({claim_volume("data", "c1"), {{"name", "scratch"}, {"emptyDir", Json::object()}}});
  const auto choices = choose_pod_volumes(one, {.fs_backup_by_default = true, .takes_claims = false}, nothing).value();
  ASSERT_EQ(choices.size(), 1U);
  EXPECT_EQ(choices[0].volume, "scratch");
}

TEST(VolumeChoice, RefusesWhatHasNoFilesThatANodeAgentCouldReach) {
  Json one = pod({claim_volume("data", "c1"), claim_volume("disk", "c2"), {{"name", "unused"}, {"emptyDir", {}}}});
  one["spec"]["containers"] = Json::array({{{"volumeMounts", {{{"name", "data"}}}}}, {{"name", "sidecar"}}});
  one["spec"]["containers"][1]["volumeDevices"] = Json::array({{{"name", "disk"}}});
  one["spec"]["initContainers"] = Json::array({{{"volumeMounts", {{{"name", "unused"}}}}}});
  const auto host_path = [](const std::string& ns, const std::string& claim) {
    auto found = nfs(ns, claim);
    if (claim == "c1") found->volume = std::make_shared<const Json>(Json{{"spec", {{"hostPath", {{"path", "/"}}}}}});
    return found;
  };
  const auto choices = choose_pod_volumes(one, {.fs_backup_by_default = true}, host_path).value();
  ASSERT_EQ(choices.size(), 3U);
  const char* const reasons[] = {"hostPath", "block device", "no container"};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_FALSE(choices[i].fs_backup);
    EXPECT_TRUE(choices[i].is_refused);
    EXPECT_THAT(choices[i].why_not, HasSubstr(reasons[i]));
  }
  EXPECT_FALSE(choose_pod_volumes(one, {}, host_path).value()[0].is_refused) << "nobody asked for it";
}

TEST(VolumeChoice, SnapshotsUnlessTheBackupOrAPolicySaysNo) {
  const Json volume = *nfs("", "c").value().volume;
  EXPECT_TRUE(choose_snapshot(volume, nullptr, {}).value().is_wanted);
  EXPECT_FALSE(choose_snapshot(volume, nullptr, {.takes_snapshots = false}).value().is_wanted);
  const auto policies = selection::parse_resource_policies(
                            "version: v1\nvolumePolicies:\n- conditions: {nfs: {}}\n  action: {type: fs-backup}\n")
                            .value();
  EXPECT_THAT(choose_snapshot(volume, nullptr, {.policies = &policies.volumes}).value().why_not,
              HasSubstr("fs-backup"));
}

}  // namespace
}  // namespace landfall::backup
