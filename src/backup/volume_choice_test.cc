#include "backup/volume_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/json.h"
#include "selection/resource_policies.h"

namespace landfall::backup {
namespace {

using json::Json;
using testing::HasSubstr;

Json pod(const Json& volumes, const Json& annotations = Json::object()) {
  return {{"metadata", {{"name", "db-0"}, {"namespace", "shop"}, {"annotations", annotations}}},
          {"spec", {{"volumes", volumes}}}};
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
  ASSERT_EQ(choices.size(), 2U);
  EXPECT_TRUE(choices[0].fs_backup);
  EXPECT_FALSE(choices[1].fs_backup);
  EXPECT_THAT(choices[1].why_not, HasSubstr("shop/db-0"));
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
