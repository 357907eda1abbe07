#include "restore/volume_decision.h"

#include <gtest/gtest.h>

#include "json/json.h"

namespace landfall::restore {
namespace {

using json::Json;

Json volume(const std::string& name, const std::string& policy) {
  return {
      {"metadata", {{"name", name}}},
      {"spec", {{"persistentVolumeReclaimPolicy", policy}, {"claimRef", {{"namespace", "shop"}, {"name", "data"}}}}}};
}

TEST(VolumeDecisions, FollowTheVolumeInformation) {
  const Json infos = Json::array({{{"pvName", "native"}, {"backupMethod", "NativeSnapshot"}},
                                  {{"pvName", "files"}, {"backupMethod", "PodVolumeBackup"}},
                                  {{"pvName", "csi"}, {"backupMethod", "CSISnapshot"}},
                                  {{"pvName", "skipped"}, {"skipped", true}}});
  const VolumeDecisions decisions(&infos, nullptr, nullptr, nullptr);
  EXPECT_EQ(decisions.of(volume("native", "Delete")).fate, VolumeFate::kFromSnapshot);
  EXPECT_EQ(decisions.of(volume("files", "Retain")).fate, VolumeFate::kProvisioned);
  EXPECT_EQ(decisions.of(volume("csi", "Retain")).fate, VolumeFate::kProvisioned);
  EXPECT_EQ(decisions.of(volume("skipped", "Retain")).fate, VolumeFate::kAsItIs);
  EXPECT_EQ(decisions.of(volume("skipped", "Delete")).fate, VolumeFate::kProvisioned);
  EXPECT_EQ(decisions.of(volume("unknown", "Retain")).fate, VolumeFate::kAsItIs);
}

TEST(VolumeDecisions, OfOlderBackupsFollowTheirLists) {
  const Json native = Json::array({{{"spec", {{"persistentVolumeName", "native"}}}}});
  const Json csi = Json::array(
      {{{"metadata", {{"namespace", "shop"}}}, {"spec", {{"source", {{"persistentVolumeClaimName", "data"}}}}}}});
  const Json copied = {{"metadata", {{"annotations", {{"velero.io/pvc-name", "data"}}}}},
                       {"spec", {{"pod", {{"namespace", "shop"}}}}},
                       {"status", {{"phase", "Completed"}, {"snapshotID", "1"}}}};
  Json failed = copied;
  failed["status"]["phase"] = "Failed";
  const std::vector<Json> copies = {copied};
  const std::vector<Json> failures = {failed};

  EXPECT_EQ(VolumeDecisions(nullptr, &native, nullptr, &copies).of(volume("native", "Retain")).fate,
            VolumeFate::kFromSnapshot);
  EXPECT_EQ(VolumeDecisions(nullptr, nullptr, nullptr, &copies).of(volume("disk", "Retain")).fate,
            VolumeFate::kProvisioned);
  EXPECT_EQ(VolumeDecisions(nullptr, nullptr, nullptr, &failures).of(volume("disk", "Retain")).fate,
            VolumeFate::kAsItIs);
  EXPECT_EQ(VolumeDecisions(nullptr, nullptr, &csi, nullptr).of(volume("disk", "Retain")).fate,
            VolumeFate::kProvisioned);
}

// What Velero's init container, and ours, waits for: both must come to the same result, or a pod waits for ever.
TEST(VolumeDecisions, APodHasDataWhereverThereIsASnapshot) {
  const auto copied = [](const char* volume, const char* phase, const char* snapshot) {
    return Json{{"spec", {{"pod", {{"namespace", "shop"}, {"name", "db-0"}}}, {"volume", volume}}},
                {"status", {{"phase", phase}, {"snapshotID", snapshot}}}};
  };
  const std::vector<Json> copies = {copied("whole", "Completed", "1"), copied("in-part", "Failed", "2"),
                                    copied("empty", "Completed", ""), copied("lost", "Failed", "")};
  const Json infos = Json::array(
      {{{"backupMethod", "PodVolumeBackup"},
        {"pvbInfo", {{"podNamespace", "shop"}, {"podName", "db-0"}, {"volumeName", "lost"}, {"Phase", "Failed"}}}}});
  EXPECT_EQ(VolumeDecisions(&infos, nullptr, nullptr, &copies).pod_volumes("shop", "db-0"),
            (std::vector<std::string>{"in-part", "whole"}));
}

TEST(VolumeDecisions, KnowTheVolumesOfPodsWhoseBackupDidNotGoWell) {
  const auto backup = [](const std::string& volume, const json::Json& status) {
    return json::Json{{"spec", {{"pod", {{"namespace", "shop"}, {"name", "db-0"}}}, {"volume", volume}}},
                      {"status", status}};
  };
  const std::vector<json::Json> backups = {
      backup("lost", {{"phase", "Failed"}, {"message", "disk on fire"}}),
      backup("half", {{"phase", "Failed"}, {"message", "a file could not be read"}, {"snapshotID", "s1"}}),
      backup("whole", {{"phase", "Completed"}, {"snapshotID", "s2"}}),
      backup("empty", {{"phase", "Completed"}}),
      backup("again", {{"phase", "Canceled"}}),
      backup("again", {{"phase", "Completed"}, {"snapshotID", "s3"}})};
  const VolumeDecisions decisions(nullptr, nullptr, nullptr, &backups);
  const auto damaged = decisions.damaged_pod_volumes("shop", "db-0");
  ASSERT_EQ(damaged.size(), 2U);
  EXPECT_FALSE(damaged.at("lost").has_data);
  EXPECT_EQ(damaged.at("lost").why, "disk on fire");
  EXPECT_TRUE(damaged.at("half").has_data);
  EXPECT_TRUE(decisions.damaged_pod_volumes("shop", "web").empty());
}

TEST(VolumeDecisions, DoNotStumbleOverDocumentsThatAreSomethingElse) {
  const Json odd = Json::array({7, Json::array(), {{"pvName", 3}}});
  const Json text = "not a list";
  EXPECT_EQ(VolumeDecisions(&odd, &text, &odd, nullptr).of(volume("disk", "Retain")).fate, VolumeFate::kAsItIs);
  EXPECT_EQ(VolumeDecisions(&odd, &text, &odd, nullptr).of(Json::array()).fate, VolumeFate::kAsItIs);
}

}  // namespace
}  // namespace landfall::restore
