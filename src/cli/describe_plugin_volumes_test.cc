#include "cli/describe_plugin_volumes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rfc3339.h"
#include "json/json.h"
#include "json/yaml.h"

namespace landfall::cli {
namespace {

using json::Json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const WallTime kNow = parse_rfc3339("2026-11-16T10:00:00Z").value();

Json backup(const std::string& volume, const std::string& status) {
  return json::parse_yaml("{kind: VolumePluginBackup, spec: {volume: " + volume +
                          ", backup: b, plugin: landfall.dev/local, pluginSpecific: {pool: ssd}}, status: " + status +
                          "}")
      .value();
}

std::vector<Json> some() {
  return {backup("pv-1",
                 "{phase: InProgress, snapshotID: s1, message: copying, startTimestamp: '2026-11-16T09:59:30Z', "
                 "progress: {totalBytes: 4096, bytesDone: 1024}}"),
          backup("pv-2", "{phase: Completed, snapshotID: s2, progress: {TotalBytes: 2048, BytesDone: 2048}}"),
          backup("pv-3", "{phase: Failed, snapshotID: s3, message: the disk is full}"),
          backup("pv-4", "{phase: Pondering, snapshotID: s4}")};
}

TEST(PluginVolumes, UnderWaySayHowFarTheyAre) {
  EXPECT_THAT(plugin_volumes_under_way(some(), kNow),
              ElementsAre("pv-1, snapshot s1: transferring 1.0 KiB/4.0 KiB (25 %), 34 B/s, about 1m30s left, copying",
                          "pv-4, snapshot s4: Pondering"));
}

TEST(PluginVolumes, WithoutDataSayWhy) {
  EXPECT_THAT(plugin_volumes_without_data(some()), ElementsAre("pv-3, snapshot s3: failed, the disk is full"));
}

TEST(PluginVolumes, AreDescribed) {
  EXPECT_EQ(plugin_volumes_text({some()[1], some()[0]}, "\t", false, kNow),
            "\tpv-1:\tInProgress, 1.0 KiB of 4.0 KiB (25 %)\n\tpv-2:\tCompleted, 2.0 KiB of 2.0 KiB (100 %)\n");
  const std::string full = plugin_volumes_text({some()[0]}, "\t", true, kNow);
  for (const char* const line :
       {"\tpv-1:\n", "\t\tPlugin:\tlandfall.dev/local\n", "\t\tSnapshot ID:\ts1\n", "\t\tPhase:\tInProgress\n",
        "\t\tMessage:\tcopying\n", "\t\tBytes:\t1.0 KiB of 4.0 KiB (25 %)\n", "\t\tRate:\t34 B/s\n", "(in 1m30s)",
        "\t\tpool:\tssd\n"}) {
    EXPECT_THAT(full, HasSubstr(line));
  }
  EXPECT_THAT(plugin_volumes_text({some()[1]}, "\t", true, kNow), Not(HasSubstr("Rate")));
}

TEST(PluginVolumes, NeverHaveMoreThanAll) {
  const Json odd = backup("pv", "{phase: InProgress, snapshotID: s, progress: {totalBytes: 100, bytesDone: 300}}");
  EXPECT_THAT(plugin_volumes_under_way({odd}, kNow), ElementsAre(HasSubstr("100 B/100 B (100 %)")));
}

TEST(PluginVolumes, OfARestoreAreKnownByTheirVolume) {
  const Json restore = json::parse_yaml(
                           "{kind: VolumePluginRestore, metadata: {labels: {velero.io/pv-name: pv-1}}, "
                           "spec: {snapshotID: s1, backup: b, plugin: p}, status: {volumeID: v, phase: InProgress}}")
                           .value();
  EXPECT_EQ(plugin_volume_name(restore), "pv-1, snapshot s1");
}

TEST(PluginVolumes, CannotReachTheTerminal) {
  const Json evil = backup("pv", "{phase: \"\\x1b[31m\", snapshotID: \"a\\nb\", message: \"\\x07\"}");
  const std::string text = plugin_volumes_text({evil}, "", true, kNow);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find('\x07'), std::string::npos);
}

}  // namespace
}  // namespace landfall::cli
