#include "control/plugin_transfer.h"

#include <gtest/gtest.h>

#include "base/rfc3339.h"
#include "json/json.h"

namespace landfall::control {
namespace {

using json::Json;
using State = TransferSight::State;

TEST(PluginTransfer, IsFoundAgainByItsOperation) {
  const PluginTransfer backup{
      .location = "default", .snapshot = "a/b%c", .volume = "pv-1", .resource = "r", .volume_id = {}, .asked_at = {}};
  EXPECT_EQ(operation_id(backup), "default/a%2Fb%25c/pv-1/r");
  EXPECT_EQ(read_operation_id(operation_id(backup)).value(), backup);
  const PluginTransfer restore{.location = "default",
                               .snapshot = "",
                               .volume = "pv-1",
                               .resource = "",
                               .volume_id = "/data/x",
                               .asked_at = parse_rfc3339("2026-11-16T10:00:00.5Z").value()};
  EXPECT_EQ(read_operation_id(operation_id(restore)).value(), restore);
}

TEST(PluginTransfer, IsNotReadOutOfAnything) {
  for (const char* const text :
       {"", "a", "a/b/c", "a/b/c/d/e", "a/b/c/d/e/f/g", "a/b%/c/d", "a/b%zz/c/d", "a/b/c/d/e/x"}) {
    const auto read = read_operation_id(text);
    ASSERT_FALSE(read) << text;
  }
}

TEST(TransferSight, OfAWordOfThePluginsOwnIsUnderWay) {
  EXPECT_EQ(sight_of(Json{{"status", {{"phase", "Pondering"}}}}).state, State::kUnderWay);
  EXPECT_EQ(sight_of(Json::object()).state, State::kUnderWay);
  EXPECT_EQ(sight_of(Json{{"status", {{"phase", "Completed"}}}}).state, State::kCompleted);
  EXPECT_EQ(sight_of(Json{{"status", {{"phase", "Canceled"}}}}).state, State::kFailed);
}

TEST(TransferSight, HasNoMoreBytesThanThereAre) {
  const TransferSight sight = sight_of(Json{{"status", {{"progress", {{"totalBytes", 10}, {"bytesDone", 30}}}}}});
  EXPECT_EQ(sight.bytes_done, 10);
  const TransferSight odd = sight_of(extension::TransferProgress{.phase = "InProgress",
                                                                 .message = {},
                                                                 .total_bytes = -5,
                                                                 .bytes_done = -1,
                                                                 .started = {},
                                                                 .completed = {},
                                                                 .plugin_specific = {}});
  EXPECT_EQ(odd.total_bytes, 0);
  EXPECT_EQ(odd.bytes_done, 0);
}

TEST(TransferStatus, KeepsItsTimesAndCutsWhatIsTooLong) {
  const WallTime first = parse_rfc3339("2026-11-16T10:00:00Z").value();
  const WallTime later = parse_rfc3339("2026-11-16T11:00:00Z").value();
  Json resource = Json::object();
  extension::TransferProgress progress{.phase = "",
                                       .message = std::string(100'000, 'x') + "\xc3",
                                       .total_bytes = 10,
                                       .bytes_done = 1,
                                       .started = {},
                                       .completed = {},
                                       .plugin_specific = {{"pool", "ssd"}}};
  ASSERT_TRUE(set_transfer_status(resource, progress, first));
  EXPECT_EQ(resource["status"]["phase"], "New");
  EXPECT_LE(resource["status"]["message"].get<std::string>().size(), 5000U);
  progress.phase = "Failed";
  ASSERT_TRUE(set_transfer_status(resource, progress, later));
  ASSERT_TRUE(set_transfer_status(resource, progress, later + std::chrono::hours(1)));
  EXPECT_EQ(resource["status"]["startTimestamp"], "2026-11-16T10:00:00Z");
  EXPECT_EQ(resource["status"]["completionTimestamp"], "2026-11-16T11:00:00Z");
  EXPECT_EQ(resource["spec"]["pluginSpecific"], (Json{{"pool", "ssd"}}));
}

TEST(TransferStatus, HasNoFewerBytesThanBefore) {
  const WallTime now = parse_rfc3339("2026-11-16T10:00:00Z").value();
  Json resource = Json::object();
  extension::TransferProgress progress;
  const auto said = [&](std::int64_t done, std::int64_t total) {
    progress.bytes_done = done;
    progress.total_bytes = total;
    EXPECT_TRUE(set_transfer_status(resource, progress, now));
    return resource["status"]["progress"];
  };
  EXPECT_EQ(said(60, 100), (Json{{"totalBytes", 100}, {"bytesDone", 60}}));
  EXPECT_EQ(said(5, 100), (Json{{"totalBytes", 100}, {"bytesDone", 60}}));
  EXPECT_EQ(said(0, 0), (Json{{"totalBytes", 100}, {"bytesDone", 60}}));
  EXPECT_EQ(said(70, 200), (Json{{"totalBytes", 200}, {"bytesDone", 70}}));
  EXPECT_EQ(said(10, 40), (Json{{"totalBytes", 40}, {"bytesDone", 40}})) << "never over the total";
}

}  // namespace
}  // namespace landfall::control
