#include "volume_info/without_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/yaml.h"

namespace landfall::volume_info {
namespace {

using json::Json;
using testing::HasSubstr;
using End = HandledObject::End;
using Say = WithoutData::Say;

Json yaml(std::string_view text) { return json::parse_yaml(text).value(); }

HandledObject object(End end) { return {.original = {"shop", "data"}, .now = {"shop", "data"}, .end = end}; }

WithoutData why(End claim, std::string_view row, const HandledObject* volume = nullptr, const RestoreWish& wish = {}) {
  const BackedUpVolume backup = read_backed_up(yaml(row));
  return why_without_data(object(claim), &backup, volume, wish);
}

constexpr std::string_view kFiles = "{backupMethod: PodVolumeBackup, pvbInfo: {snapshotHandle: x}}";
constexpr std::string_view kNative = "{backupMethod: NativeSnapshot, result: succeeded}";
constexpr std::string_view kCsi = "{backupMethod: CSISnapshot}";

TEST(WithoutData, IsNoMatterWhereTheBackupHasNone) {
  EXPECT_EQ(why_without_data(object(End::kCreated), nullptr, nullptr, {}).result, "skipped");
  const WithoutData skipped = why(End::kCreated, "{skipped: true, skippedReason: 'volumeSnapshot: no plugin;'}");
  EXPECT_EQ(skipped.result, "skipped");
  EXPECT_EQ(skipped.say, Say::kNothing);
  EXPECT_EQ(skipped.message, "the backup has no data of it: volumeSnapshot: no plugin;");
}

TEST(WithoutData, TellsOfTheStorageThatAVolumeStillNames) {
  const HandledObject volume = object(End::kCreated);
  EXPECT_THAT(why(End::kCreated, "{skipped: true}", &volume).message, HasSubstr("names the storage it had"));
}

TEST(WithoutData, IsAnErrorWhereTheBackupHasIt) {
  for (const std::string_view row : {kFiles, kNative, kCsi}) {
    const WithoutData one = why(End::kCreated, row);
    EXPECT_EQ(one.result, "failed") << row;
    EXPECT_EQ(one.say, Say::kError) << row;
  }
}

TEST(WithoutData, IsAWarningWhereSomethingWasThereBefore) {
  for (const std::string_view row : {kFiles, kNative, kCsi}) {
    EXPECT_EQ(why(End::kFound, row).say, Say::kWarning) << row;
    EXPECT_EQ(why(End::kFound, row).result, "skipped") << row;
  }
  EXPECT_EQ(why(End::kFound, "{skipped: true}").say, Say::kNothing);
  const HandledObject volume = object(End::kFound);
  EXPECT_EQ(why(End::kCreated, kNative, &volume).say, Say::kWarning);
}

TEST(WithoutData, IsNotSaidTwice) {
  const HandledObject volume = object(End::kFailed);
  EXPECT_EQ(why(End::kCreated, kNative, &volume).say, Say::kNothing);
  EXPECT_EQ(why(End::kCreated, kNative, &volume).result, "failed");
  EXPECT_EQ(why(End::kFailed, kFiles).say, Say::kNothing);
  EXPECT_EQ(why(End::kFailed, kFiles).result, "failed");
  EXPECT_EQ(why(End::kCreated, "{backupMethod: NativeSnapshot, result: failed}", &volume).say, Say::kNothing);
}

TEST(WithoutData, OfAClaimThatIsNotThereIsOnlySaid) {
  EXPECT_EQ(why(End::kFailed, "{skipped: true}").result, "skipped");
  EXPECT_THAT(why(End::kLeftOut, kFiles).message, HasSubstr("left the claim out"));
  EXPECT_EQ(why(End::kLeftOut, kFiles).say, Say::kNothing);
}

TEST(WithoutData, OfAVolumeThatWasEmptyIsRight) {
  const WithoutData empty = why(End::kCreated, "{backupMethod: PodVolumeBackup, result: succeeded, pvbInfo: {}}");
  EXPECT_EQ(empty.result, "skipped");
  EXPECT_EQ(empty.say, Say::kNothing);
}

TEST(WithoutData, IsAsWishedWhenTheRestoreIsWithoutVolumes) {
  const RestoreWish without{.restores_volumes = false, .fills_pod_volumes = true};
  EXPECT_EQ(why(End::kCreated, kNative, nullptr, without).result, "skipped");
  EXPECT_EQ(why(End::kCreated, kCsi, nullptr, without).result, "skipped");
  // As in Velero, files of pods come all the same.
  EXPECT_EQ(why(End::kCreated, kFiles, nullptr, without).result, "failed");
  EXPECT_EQ(why(End::kCreated, kFiles, nullptr, {.fills_pod_volumes = false}).result, "skipped");
  EXPECT_EQ(why(End::kCreated, kFiles, nullptr, {.fills_pod_volumes = false}).say, Say::kWarning);
  // Nor does it matter then that the backup has failed to take it.
  constexpr std::string_view kFailedCsi = "{backupMethod: CSISnapshot, result: failed}";
  EXPECT_EQ(why(End::kCreated, kFailedCsi, nullptr, without).result, "skipped");
  EXPECT_EQ(why(End::kCreated, kFailedCsi, nullptr, without).say, Say::kNothing);
  constexpr std::string_view kFailedFiles = "{backupMethod: PodVolumeBackup, result: failed, pvbInfo: {}}";
  EXPECT_EQ(why(End::kCreated, kFailedFiles, nullptr, {.fills_pod_volumes = false}).result, "skipped");
}

TEST(WithoutData, OfACanceledRestoreIsNoNews) {
  EXPECT_EQ(why(End::kCreated, kFiles, nullptr, {.is_cut_off = true}).say, Say::kNothing);
  EXPECT_EQ(why(End::kCreated, kFiles, nullptr, {.is_cut_off = true}).result, "failed");
}

TEST(WithoutData, IsAnErrorWhenItsBackupHadFailed) {
  for (const char* row :
       {"{backupMethod: CSISnapshot, result: failed}", "{backupMethod: PodVolumeBackup, result: failed, pvbInfo: {}}",
        "{backupMethod: NativeSnapshot, result: failed}"}) {
    EXPECT_EQ(why(End::kCreated, row).result, "failed") << row;
    EXPECT_EQ(why(End::kCreated, row).say, Say::kError) << row;
    EXPECT_THAT(why(End::kCreated, row).message, HasSubstr("failed when it was backed up")) << row;
  }
}

TEST(BackedUpClaims, AreKnownByTheirPodVolumeBackupsToo) {
  const std::vector<Json> copies = {
      yaml("{metadata: {annotations: {velero.io/pvc-name: data}}, spec: {pod: {namespace: shop}}, status: {phase: "
           "Failed}}"),
      yaml("{metadata: {annotations: {velero.io/pvc-name: data}}, spec: {pod: {namespace: shop}},"
           " status: {phase: Completed, snapshotID: x}}"),
      yaml("{spec: {pod: {namespace: shop}}, status: {phase: Completed, snapshotID: y}}"), Json("odd")};
  const BackedUpClaims claims(nullptr, &copies);
  ASSERT_NE(claims.of({"shop", "data"}), nullptr);
  EXPECT_TRUE(has_data(*claims.of({"shop", "data"})));
  EXPECT_EQ(claims.of({"shop", "other"}), nullptr);
}

TEST(BackedUpClaims, AreKnownByVolumeSnapshotsOfOlderBackupsToo) {
  const Json snapshots = yaml("[{metadata: {namespace: shop}, spec: {source: {persistentVolumeClaimName: data}}}, 7]");
  const BackedUpClaims claims(nullptr, nullptr, &snapshots);
  ASSERT_NE(claims.of({"shop", "data"}), nullptr);
  EXPECT_EQ(claims.of({"shop", "data"})->method, "CSISnapshot");
}

TEST(BackedUpClaims, ThatFailedAreNotHiddenByARowThatSaysNothing) {
  const std::vector<Json> copies = {
      yaml("{metadata: {annotations: {velero.io/pvc-name: data}}, spec: {pod: {namespace: shop}}, status: {phase: "
           "Failed}}")};
  const Json infos = yaml("[{pvcName: data, pvcNamespace: shop, backupMethod: PodVolumeBackup, pvbInfo: {}}]");
  const BackedUpClaims claims(&infos, &copies);
  EXPECT_EQ(claims.of({"shop", "data"})->result, "failed");
}

TEST(BackedUpClaims, TakesWhatIsOddForNothing) {
  const Json infos = yaml("[7, {pvcName: 3}, {pvcName: data, pvcNamespace: shop, backupMethod: 1}]");
  const BackedUpClaims claims(&infos, nullptr);
  ASSERT_NE(claims.of({"shop", "data"}), nullptr);
  EXPECT_FALSE(has_data(*claims.of({"shop", "data"})));
  const Json no_list = yaml("{a: b}");
  EXPECT_EQ(BackedUpClaims(&no_list, nullptr).of({"shop", "data"}), nullptr);
}

}  // namespace
}  // namespace landfall::volume_info
