#include "api/status.h"

#include <gtest/gtest.h>

#include "api/progress_fields.h"
#include "base/rfc3339.h"
#include "json/json.h"
#include "json/yaml.h"

namespace landfall::api {
namespace {

using json::Json;
using progress::ByteProgress;
using progress::ItemProgress;

Json yaml(const char* text) { return json::parse_yaml(text).value(); }
WallTime at(const char* text) { return parse_rfc3339(text).value(); }

TEST(Phases, HaveNamesBothWays) {
  EXPECT_EQ(to_string(BackupPhase::kFinalizingPartiallyFailed), "FinalizingPartiallyFailed");
  EXPECT_EQ(to_string(BackupPhase::kDeleting), "Deleting");
  EXPECT_EQ(to_string(RestorePhase::kFailed), "Failed");
  EXPECT_EQ(to_string(TransferPhase::kFailed), "Failed");
  EXPECT_EQ(parse_phase<BackupPhase>("ReadyToStart"), BackupPhase::kReadyToStart);
  EXPECT_EQ(parse_phase<BackupPhase>(""), BackupPhase::kNew);
  EXPECT_EQ(parse_phase<BackupPhase>("Resting"), std::nullopt);
  EXPECT_EQ(parse_phase<LocationPhase>(""), std::nullopt);
}

TEST(StatusFields, AreWrittenOneByOneAndLeftOutWhenEmpty) {
  Json backup = yaml("{status: {mine: kept, warnings: 3}}");
  ASSERT_TRUE(set_phase(backup, BackupPhase::kInProgress));
  ASSERT_TRUE(set_status_time(backup, field::kStartTimestamp, at("2026-05-20T08:00:22Z")));
  ASSERT_TRUE(set_status_count(backup, field::kWarnings, 0));
  ASSERT_TRUE(set_status_texts(backup, field::kValidationErrors, {"bad"}));
  ASSERT_TRUE(set_backup_operations(backup, {.attempted = 2, .failed = 1}));
  ASSERT_TRUE(set_hook_status(backup, 1, 0));
  EXPECT_EQ(backup, yaml(R"(
status:
  mine: kept
  phase: InProgress
  startTimestamp: "2026-05-20T08:00:22Z"
  validationErrors: [bad]
  backupItemOperationsAttempted: 2
  backupItemOperationsFailed: 1
  hookStatus: {hooksAttempted: 1}
)"));
  EXPECT_EQ(phase_of<BackupPhase>(backup), BackupPhase::kInProgress);
  EXPECT_EQ(status_time(backup, field::kStartTimestamp), at("2026-05-20T08:00:22Z"));
  EXPECT_EQ(status_count(backup, field::kWarnings), 0);
}

TEST(StatusFields, AreNotWrittenIntoSomethingElse) {
  Json odd = {{"status", "fine"}};
  EXPECT_FALSE(set_phase(odd, BackupPhase::kNew));
  EXPECT_FALSE(set_backup_progress(odd, {}));
  EXPECT_EQ(odd, (Json{{"status", "fine"}}));
}

TEST(Canceled, IsFailedToThoseWhoKnowNoBetter) {
  Json restore = yaml("{spec: {cancel: true}}");
  EXPECT_TRUE(is_cancel_wanted(restore));
  EXPECT_FALSE(is_canceled(restore));
  ASSERT_TRUE(set_canceled(restore));
  EXPECT_EQ(restore["status"], yaml("{phase: Failed, failureReason: canceled, canceled: true}"));
  EXPECT_TRUE(is_canceled(restore));
}

ItemProgress half_way() {
  ItemProgress progress;
  progress.items = {.total = 10,
                    .done = 4,
                    .in_backup = 12,
                    .not_selected = 3,
                    .not_selected_by_reason = {{"another namespace", 2}, {"completed pod", 1}},
                    .not_in_backup = 1,
                    .outcomes = {.created = 2, .skipped = 1, .failed = 1}};
  progress.step = progress::ItemStep::kRestoringItems;
  progress.current = "pods shop/web";
  progress.items_per_minute = 120;
  progress.estimated_completion = at("2026-05-20T08:00:22Z");
  progress.stalled = progress::Stall{.since = at("2026-05-20T07:59:00Z"), .reason = "throttled", .item = "web"};
  return progress;
}

TEST(ProgressFields, OfARestoreAreReadBackAsTheyWereWritten) {
  Json restore = Json::object();
  ASSERT_TRUE(set_restore_progress(restore, half_way()));
  EXPECT_EQ(restore["status"]["progress"], yaml(R"(
totalItems: 10
itemsRestored: 4
itemsInBackup: 12
itemsNotSelected: 3
notSelected: {another namespace: 2, completed pod: 1}
outcomes: {created: 2, updated: 0, unchanged: 0, skipped: 1, failed: 1}
step: RestoringItems
current: pods shop/web
itemsPerMinute: 120
estimatedCompletionTimestamp: "2026-05-20T08:00:22Z"
stalled: {since: "2026-05-20T07:59:00Z", reason: throttled, item: web}
)"));
  EXPECT_EQ(read_item_progress(restore), half_way());
}

TEST(ProgressFields, ThatHaveNothingToSayAreRemovedAndOthersStay) {
  Json restore = yaml("{status: {progress: {mine: kept}}}");
  ASSERT_TRUE(set_restore_progress(restore, half_way()));
  ItemProgress collecting;
  collecting.items.in_backup = 12;
  ASSERT_TRUE(set_restore_progress(restore, collecting));
  EXPECT_EQ(restore["status"]["progress"], yaml("{mine: kept, step: Collecting, itemsInBackup: 12}"));
}

TEST(ProgressFields, OfABackupAreVelerosAndThePace) {
  Json backup = Json::object();
  ItemProgress progress;
  progress.items.total = 3;
  progress.step = progress::ItemStep::kBackingUpItems;
  ASSERT_TRUE(set_backup_progress(backup, progress));
  EXPECT_EQ(backup["status"]["progress"], yaml("{totalItems: 3, itemsBackedUp: 0, step: BackingUpItems}"));
}

TEST(ProgressFields, OfBytesAreReadBackAsTheyWereWritten) {
  ByteProgress progress;
  progress.bytes = {.total = ByteCount(100), .done = ByteCount(40)};
  progress.step = progress::ByteStep::kTransferring;
  progress.bytes_per_second = ByteCount(7);
  Json backup = yaml("{status: {phase: InProgress}}");
  ASSERT_TRUE(set_byte_progress(backup, progress));
  EXPECT_EQ(backup, yaml("{status: {phase: InProgress, progress: {totalBytes: 100, bytesDone: 40, bytesPerSecond: 7, "
                         "step: Transferring}}}"));
  EXPECT_EQ(read_byte_progress(backup), progress);
}

TEST(ProgressFields, AreReadFromWhatOthersWrite) {
  EXPECT_EQ(read_item_progress(yaml("{status: {phase: New}}")), std::nullopt);
  const auto velero = read_item_progress(yaml("{status: {progress: {totalItems: 7, itemsBackedUp: 5}}}"));
  EXPECT_EQ(velero->items.done, 5);
  EXPECT_EQ(velero->items.not_in_backup, 0);
  const auto plugin = read_byte_progress(yaml("{status: {progress: {TotalBytes: 9, BytesDone: 4}}}"));
  EXPECT_EQ(plugin->bytes.total, ByteCount(9));
  EXPECT_EQ(plugin->bytes.done, ByteCount(4));
  const auto absurd = read_item_progress(yaml(
      "{status: {progress: {totalItems: 9223372036854775807, itemsInBackup: -9223372036854775807, notSelected: [], "
      "itemsNotSelected: 9223372036854775807, stalled: 3, step: 4}}}"));
  EXPECT_EQ(absurd->items.not_in_backup, 0);
}

}  // namespace
}  // namespace landfall::api
