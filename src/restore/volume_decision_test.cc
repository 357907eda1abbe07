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

TEST(VolumeDecisions, DoNotStumbleOverDocumentsThatAreSomethingElse) {
  const Json odd = Json::array({7, Json::array(), {{"pvName", 3}}});
  const Json text = "not a list";
  EXPECT_EQ(VolumeDecisions(&odd, &text, &odd, nullptr).of(volume("disk", "Retain")).fate, VolumeFate::kAsItIs);
  EXPECT_EQ(VolumeDecisions(&odd, &text, &odd, nullptr).of(Json::array()).fate, VolumeFate::kAsItIs);
}

}  // namespace
}  // namespace landfall::restore
