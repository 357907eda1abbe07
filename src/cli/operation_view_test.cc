#include "cli/operation_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/manual_clock.h"
#include "base/rfc3339.h"
#include "cli/operation_display.h"
#include "cli/operation_words.h"
#include "json/json.h"

namespace landfall::cli {
namespace {

using json::Json;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Json running() {
  return Json::parse(R"({"apiVersion": "velero.io/v1", "kind": "Restore",
    "metadata": {"name": "r", "namespace": "velero"}, "spec": {"backupName": "nightly"},
    "status": {"phase": "InProgress", "warnings": 2, "errors": 1, "progress": {
      "totalItems": 10, "itemsRestored": 4, "itemsInBackup": 10,
      "outcomes": {"created": 2, "unchanged": 1, "failed": 1},
      "step": "RestoringItems", "current": "pods shop/web", "itemsPerMinute": 1200,
      "estimatedCompletionTimestamp": "2026-05-20T10:02:45Z"}}})");
}
Json volume(const std::string& name, const Json& status) {
  return {{"kind", "PodVolumeRestore"},
          {"metadata", {{"name", name}}},
          {"spec", {{"pod", {{"namespace", "shop"}, {"name", "db-0"}}}, {"volume", name}}},
          {"status", status}};
}

class OperationViews : public testing::Test {
 protected:
  OperationState state(const Json& operation) const {
    OperationState result;
    result.operation = std::make_shared<const Json>(operation);
    result.changed_at = clock_.now();
    return result;
  }
  static void add(OperationState& to, const Json& mover) {
    to.volumes["PodVolumeRestore/" + mover["metadata"]["name"].get<std::string>()] =
        std::make_shared<const Json>(mover);
  }
  std::vector<std::string> lines(const OperationState& state, int columns = 100) const {
    std::vector<std::string> result;
    for (const auto& line : view_lines(view_of(state, context_), now_, columns)) {
      result.push_back(terminal::render(line, 200, false));
    }
    return result;
  }

  const WallTime now_ = parse_rfc3339("2026-05-20T10:00:00Z").value();
  ManualClock clock_{now_};
  io::StringReader in_{""};
  io::StringWriter out_;
  io::StringWriter err_;
  Context context_{.program = "landfall", .clock = clock_, .in = in_, .out = out_, .err = err_};
};

TEST_F(OperationViews, ShowABarOutcomesPaceAndWhatIsBeingDone) {
  EXPECT_THAT(
      lines(state(running())),
      ElementsAre("Restore r: InProgress",
                  "[#########>             ] restoring items 4/10 (40 %), 1 failed, 1,200/min, about 2m45s left",
                  "  2 created, 1 unchanged, 1 failed", "  now pods shop/web", "  2 warnings, 1 error"));
  EXPECT_EQ(lines(state(running()), 40)[1].substr(0, 10), "[###>    ]") << "narrow windows have narrow bars";
}

TEST_F(OperationViews, SayWhyItStalls) {
  Json operation = running();
  operation["status"]["progress"]["stalled"] = {
      {"since", "2026-05-20T09:59:15Z"}, {"reason", "throttled"}, {"item", "pods shop/web"}};
  EXPECT_THAT(lines(state(operation)), testing::Contains("  stalled for 45s: throttled (pods shop/web)"));
  EXPECT_THAT(view_text(view_of(state(operation), context_), now_), HasSubstr("stalled for 45s: throttled"));
}

TEST_F(OperationViews, SayThatThereIsNoNews) {
  const OperationState old = state(running());
  clock_.advance(seconds(119));
  EXPECT_EQ(lines(old).size(), 5U);
  clock_.advance(seconds(1));
  EXPECT_EQ(lines(old).back(), "no news for 2m00s: see whether the server is running");
}

TEST_F(OperationViews, ShowABarForEachVolumeThatIsNotDone) {
  OperationState with = state(running());
  add(with, volume("a", {{"phase", "Completed"}, {"progress", {{"totalBytes", 10}, {"bytesDone", 10}}}}));
  add(with, volume("b", {{"phase", "New"}, {"message", "waits: no node agent"}}));
  add(with, volume("c", {{"phase", "Failed"}, {"message", "no\nroom"}}));
  add(with, volume("d", {{"phase", "InProgress"},
                         {"progress", {{"totalBytes", 4096}, {"bytesDone", 1024}, {"step", "Transferring"}}}}));
  const auto shown = lines(with);
  EXPECT_THAT(std::vector(shown.begin() + 5, shown.end()),
              ElementsAre("volumes 2/4 done, 1 failed, 1.0 KiB so far",
                          "  [#####>                 ] shop/db-0 d: transferring 1.0 KiB/4.0 KiB (25 %)",
                          "  shop/db-0 b: New, waits: no node agent", "  shop/db-0 c: Failed: no\uFFFDroom"));
}

TEST_F(OperationViews, ShowWhatPluginsTellOfTheirVolumes) {
  OperationState with = state(running());
  add(with, {{"kind", "VolumePluginRestore"},
             {"metadata", {{"name", "x"}, {"labels", {{"velero.io/pv-name", "pv-1"}}}}},
             {"spec", {{"snapshotID", "s1"}}},
             {"status",
              {{"phase", "InProgress"},
               {"startTimestamp", "2026-05-20T09:58:58Z"},
               {"progress", {{"TotalBytes", 4096}, {"BytesDone", 1024}}}}}});
  const auto shown = lines(with);
  EXPECT_THAT(std::vector(shown.begin() + 5, shown.end()),
              ElementsAre("volumes 0/1 done, 1.0 KiB/4.0 KiB",
                          testing::EndsWith("pv-1, snapshot s1: transferring 1.0 KiB/4.0 KiB (25 %), 17 B/s, about "
                                            "3m06s left")));
}

TEST_F(OperationViews, ShowBackupsTheirPlaceInTheQueueMessagesAndNotices) {
  OperationState with = state(
      {{"kind", "Backup"}, {"metadata", {{"name", "b"}}}, {"status", {{"phase", "Queued"}, {"queuePosition", 3}}}});
  with.messages = {{.is_error = false, .text = "slow"}, {.is_error = true, .text = "bad"}};
  with.notice = "nobody there";
  with.trouble = "connection refused";
  EXPECT_THAT(lines(with), ElementsAre("Backup b: Queued, place 3 in the queue", "  warning: slow", "  error: bad",
                                       "nobody there", "trying again: connection refused"));
  with.notice = "there is nobody there, and this is what to do";
  with.trouble.clear();
  const auto narrow = lines(with, 20);
  EXPECT_THAT(std::vector(narrow.begin() + 3, narrow.end()),
              ElementsAre("there is nobody", "there, and this is", "what to do"))
      << "what one has to read to its end is not cut";
  with.notice = "nobody there";
  with.trouble = "connection refused";
  EXPECT_EQ(view_text(view_of(with, context_), now_),
            "Backup b: waiting (Queued, place 3 in the queue); nobody there; trying again: connection refused");
}

TEST_F(OperationViews, ArePlainLinesInAPipeAtMostEveryTenSecondsAndAtTheEnd) {
  const auto display = make_display(DisplayForm::kForPeople, true, context_);
  OperationState now = state(running());
  ASSERT_TRUE(display->begin() && display->show(now));
  EXPECT_EQ(err_.str(), "") << "what ends within ten seconds needs no more than its end";
  clock_.advance(seconds(10));
  ASSERT_TRUE(display->show(now));
  ASSERT_TRUE(display->show(now));
  EXPECT_EQ(err_.take(),
            "Restore r: restoring items 4/10 (40 %), 1 failed, 1,200/min, about 2m35s left; 2 warnings, 1 error\n");
  now.notice = "nobody there";
  ASSERT_TRUE(display->show(now));
  EXPECT_THAT(err_.take(), HasSubstr("nobody there\n")) << "at once, whatever the time";
  Json later = running();
  later["status"]["progress"]["itemsRestored"] = 9;
  ASSERT_TRUE(display->show(state(later)));
  EXPECT_EQ(err_.str(), "");
  ASSERT_TRUE(display->end());
  EXPECT_THAT(err_.str(), HasSubstr("9/10"));
  EXPECT_EQ(out_.str(), "");
}

TEST_F(OperationViews, AreOneDocumentALineForEachChange) {
  const auto display = make_display(DisplayForm::kJson, true, context_);
  OperationState now = state(running());
  add(now, volume("d", {{"phase", "InProgress"}, {"progress", {{"totalBytes", 4096}, {"bytesDone", 1024}}}}));
  ASSERT_TRUE(display->show(now));
  clock_.advance(seconds(10));
  ASSERT_TRUE(display->show(now)) << "the time alone is no change";
  const Json expected = Json::parse(R"({"time": "2026-05-20T10:00:00Z", "kind": "Restore", "namespace": "velero",
    "name": "r", "phase": "InProgress", "isOver": false, "errors": 1, "warnings": 2,
    "volumes": [{"kind": "PodVolumeRestore", "name": "d", "volume": "shop/db-0 d", "phase": "InProgress",
                 "totalBytes": 4096, "bytesDone": 1024}]})");
  Json first = Json::parse(out_.str());
  EXPECT_EQ(first["progress"], running()["status"]["progress"]);
  first.erase("progress");
  EXPECT_EQ(first, expected);
  EXPECT_EQ(std::ranges::count(out_.str(), '\n'), 1);
}

TEST_F(OperationViews, AreRedrawnOnATerminalWithColoursWhereTheyAreWanted) {
  context_.err_terminal = {.is_terminal = true, .columns = 80, .rows = 24};
  int columns = 80;
  context_.look_again = [&] { return terminal::Terminal{.is_terminal = true, .columns = columns, .rows = 24}; };
  const auto display = make_display(DisplayForm::kForPeople, true, context_);
  ASSERT_TRUE(display->begin() && display->show(state(running())));
  EXPECT_THAT(err_.take(), HasSubstr("\x1b[1mRestore r\x1b[0m: InProgress"));
  ASSERT_TRUE(display->show(state(running())));
  EXPECT_EQ(err_.str(), "");
  columns = 40;
  ASSERT_TRUE(display->show(state(running())));
  EXPECT_THAT(err_.take(), testing::StartsWith("\r\x1b[J"));
  ASSERT_TRUE(display->end());
  EXPECT_EQ(err_.take(), "\r\x1b[J");

  EXPECT_FALSE(has_live_colors(false, context_));
  EXPECT_TRUE(has_live_colors(std::nullopt, context_));
  context_.environment = Environment(std::map<std::string, std::string>{{"NO_COLOR", "1"}});
  EXPECT_FALSE(has_live_colors(true, context_));
  const auto plain = make_display(DisplayForm::kForPeople, false, context_);
  ASSERT_TRUE(plain->show(state(running())));
  EXPECT_THAT(err_.str(), Not(HasSubstr("\x1b[1m")));
}

TEST_F(OperationViews, AreVelerosDotsWhenCalledSo) {
  context_.program = "velero";
  const auto display = make_display(DisplayForm::kForPeople, true, context_);
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(display->show(state(running())));
    ASSERT_TRUE(display->show(state(running()))) << "a change is no reason for a dot";
    clock_.advance(seconds(1));
  }
  ASSERT_TRUE(display->end());
  EXPECT_EQ(out_.str(),
            "Waiting for restore to complete. You may safely press ctrl-c to stop waiting - your restore will continue "
            "in the background.\n...\n");
  EXPECT_EQ(err_.str(), "");
}

TEST_F(OperationViews, EndInWordsOfTheirKind) {
  Json backup = {
      {"kind", "Backup"},
      {"metadata", {{"name", "b"}, {"namespace", "ops"}}},
      {"status",
       {{"phase", "PartiallyFailed"}, {"errors", 1}, {"progress", {{"totalItems", 5}, {"itemsBackedUp", 5}}}}}};
  EXPECT_EQ(ending_text(backup), "Backup b completed with errors (PartiallyFailed): 5 items, 1 error");
  EXPECT_THAT(ending_status(backup, context_).error().message(), HasSubstr("'landfall backup logs b'"));
  EXPECT_EQ(watch_words(backup, context_), "landfall backup watch b -n ops");
  backup["status"] = {{"phase", "Failed"}, {"canceled", true}, {"failureReason", "canceled"}};
  EXPECT_EQ(ending_text(backup), "Backup b was canceled");
  EXPECT_EQ(shown_phase(backup, context_), "Canceled");
  EXPECT_TRUE(is_over(backup));
  backup["status"] = {{"phase", "Deleting"}};
  EXPECT_FALSE(is_over(backup));
  context_.program = "velero";
  backup["status"] = {{"phase", "Failed"}};
  ASSERT_TRUE(report_ending(backup, context_)) << "as Velero, that is no error";
  EXPECT_EQ(out_.str(),
            "Backup completed with status: Failed. You may check for more information using the commands `velero "
            "backup describe b` and `velero backup logs b`.\n");
}

}  // namespace
}  // namespace landfall::cli
