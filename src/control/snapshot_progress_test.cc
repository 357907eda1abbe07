#include "control/snapshot_progress.h"

#include <gtest/gtest.h>

#include <string>

#include "json/yaml.h"

namespace landfall::control {
namespace {

using json::Json;

Json yaml(const std::string& text) { return json::parse_yaml(text).value(); }

Json native_rows() {
  return yaml("[{pvName: pv-1, backupMethod: NativeSnapshot, nativeSnapshotInfo: {snapshotHandle: snap-1, later: 1}}]");
}

Json resource(const std::string& volume, const std::string& snapshot) {
  return {{"metadata", {{"name", "vpb-1"}, {"labels", {{"velero.io/pv-name", volume}}}}},
          {"status", {{"snapshotID", snapshot}, {"progress", {{"totalBytes", 9}, {"bytesDone", 4}}}}}};
}

TEST(SnapshotProgress, IsInTheRowOfItsSnapshotOnly) {
  Json rows = native_rows();
  set_row_progress(rows, {resource("pv-2", "snap-1"), resource("pv-1", "snap-2"), Json(7), Json()});
  EXPECT_EQ(rows, native_rows()) << "those are others";
  set_row_progress(rows, {resource("pv-1", "snap-1")});
  EXPECT_EQ(rows[0]["nativeSnapshotInfo"], (Json{{"snapshotHandle", "snap-1"},
                                                 {"later", 1},
                                                 {"progressResource", "vpb-1"},
                                                 {"progress", {{"totalBytes", 9}, {"bytesDone", 4}}}}));
}

TEST(SnapshotProgress, OfAResourceThatSaysNothingIsItsNameOnly) {
  Json silent = resource("pv-1", "snap-1");
  silent["status"]["progress"] = nullptr;
  Json rows = native_rows();
  set_row_progress(rows, {silent});
  EXPECT_EQ(rows[0]["nativeSnapshotInfo"]["progressResource"], "vpb-1");
  EXPECT_FALSE(rows[0]["nativeSnapshotInfo"].contains("progress"));
}

TEST(SnapshotProgress, LeavesRowsOfAnotherShapeAlone) {
  for (const char* text : {"{}", "[1, {pvName: pv-1, backupMethod: NativeSnapshot, nativeSnapshotInfo: 7}]",
                           "[{pvName: pv-1, backupMethod: CSISnapshot, nativeSnapshotInfo: {}}]", "[{pvName: 1}]"}) {
    Json rows = yaml(text);
    set_row_progress(rows, {yaml("{metadata: {name: s, labels: {velero.io/pv-name: pv-1}}}")});
    EXPECT_EQ(rows, yaml(text));
  }
}

}  // namespace
}  // namespace landfall::control
