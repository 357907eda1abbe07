#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/manual_clock.h"
#include "cli/operation_cancel.h"
#include "cli/operation_logs.h"
#include "cli/operation_wait.h"
#include "cli/operation_watch.h"
#include "cli/test_cluster.h"

namespace landfall::cli {
namespace {

using json::Json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kOurs = "v1.18.3+landfall.0";

void add_commands(const Command& root) {
  for (const Noun& noun : {kBackups, kRestores}) {
    const Command group = root.group(std::string(noun.word), "");
    add_operation_watch(group, "watch", noun);
    add_operation_cancel(group, "cancel", noun);
    add_operation_logs(group, "logs", noun);
  }
}

// Keeps what is written and lets the test answer to it.
class HeardWriter final : public io::Writer {
 public:
  std::function<void(const std::string& text)> on_write = [](const std::string&) {};

  Status write(std::string_view bytes) override {
    const std::string all = text_.with([&](std::string& text) { return text += bytes; });
    on_write(all);
    return {};
  }
  Status close() override { return {}; }
  std::string str() const { return text_.copy(); }

 private:
  Guarded<std::string> text_;
};

class OperationWait : public testing::Test {
 protected:
  Json create(const api::Kind& kind, const std::string& name, const Json& status) const {
    return cluster_.create(kind, {{"metadata", {{"name", name}}}, {"spec", Json::object()}, {"status", status}});
  }
  void set_status(const api::Kind& kind, const std::string& name, const Json& status) const {
    ASSERT_TRUE(cluster_.objects(kind).patch(name, kube::PatchType::kMerge, {{"status", status}}, {}));
  }
  static Json items(int done) {
    return {{"phase", "InProgress"},
            {"progress", {{"totalItems", 3}, {"itemsRestored", done}, {"step", "RestoringItems"}}}};
  }
  Context context(Clock& clock = system_clock()) {
    return {.program = "landfall", .clock = clock, .in = in_, .out = out_, .err = err_, .stop = stop_.get_token()};
  }

  TestCluster cluster_{add_commands};
  io::StringReader in_{""};
  HeardWriter out_;
  HeardWriter err_;
  std::stop_source stop_;
};

TEST_F(OperationWait, ReportsOneThatIsOverAtOnce) {
  create(api::kRestore, "good", {{"phase", "Completed"}});
  create(api::kBackup, "bad", {{"phase", "Failed"}, {"failureReason", "no bucket"}});
  const Ran good = cluster_.run({"restore", "watch", "good"});
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_EQ(good.out, "Restore good completed\n");
  const Ran bad = cluster_.run({"backup", "watch", "bad"});
  EXPECT_EQ(bad.code, 1);
  EXPECT_EQ(bad.out, "Backup bad failed: no bucket\n");
  EXPECT_THAT(bad.err, HasSubstr("'landfall backup describe bad'"));
  const Ran document = cluster_.run({"backup", "watch", "bad", "-o", "json"});
  EXPECT_EQ(document.code, 1);
  EXPECT_EQ(Json::parse(document.out)["isOver"], true);
  EXPECT_THAT(cluster_.run({"backup", "watch", "badd"}).err, HasSubstr("\"bad\""));
}

TEST_F(OperationWait, GivesADocumentForEachChangeOfTheOperationAndItsVolumes) {
  const Json restore = create(api::kRestore, "r", items(1));
  int step = 0;
  out_.on_write = [&](const std::string& text) {
    const Json now = Json::parse(text.substr(text.rfind('\n', text.size() - 2) + 1));
    if (step == 0) {
      step = 1;
      set_status(api::kRestore, "r", items(2));
    } else if (step == 1 && now["progress"]["itemsRestored"] == 2) {
      step = 2;
      cluster_.create(api::kPodVolumeRestore,
                      {{"metadata", {{"name", "v"}, {"labels", {{"velero.io/restore-name", "r"}}}}},
                       {"spec",
                        {{"pod", {{"namespace", "shop"}, {"name", "db-0"}}},
                         {"volume", "data"},
                         {"backupStorageLocation", "default"},
                         {"repoIdentifier", "x"},
                         {"snapshotID", "s"},
                         {"sourceNamespace", "shop"}}},
                       {"status", {{"phase", "InProgress"}, {"progress", {{"totalBytes", 8}, {"bytesDone", 2}}}}}});
    } else if (step == 2 && now.contains("volumes")) {
      step = 3;
      set_status(api::kRestore, "r", {{"phase", "Completed"}});
    }
  };
  const Context around = context();
  EXPECT_TRUE(wait_and_report(cluster_.objects(api::kRestore), restore, around, {.form = DisplayForm::kJson}));
  const std::string all = out_.str();
  const Json last = Json::parse(all.substr(all.rfind('\n', all.size() - 2) + 1));
  EXPECT_EQ(last["phase"], "Completed");
  EXPECT_EQ(last["isOver"], true);
  EXPECT_EQ(last["volumes"][0]["bytesDone"], 2);
}

TEST_F(OperationWait, DrawsOnATerminalAndClearsBeforeTheEnding) {
  const Json restore = create(api::kRestore, "r", items(1));
  Context around = context();
  around.err_terminal = {.is_terminal = true, .columns = 80, .rows = 24};
  err_.on_write = [&](const std::string& text) {
    if (text.ends_with("\x1b[J")) {
      EXPECT_EQ(out_.str(), "");
    } else if (text.find("3/3") != std::string::npos) {
      set_status(api::kRestore, "r", {{"phase", "Completed"}});
    } else if (text.find("1/3") != std::string::npos) {
      set_status(api::kRestore, "r", items(3));
    }
  };
  EXPECT_TRUE(wait_and_report(cluster_.objects(api::kRestore), restore, around));
  EXPECT_EQ(out_.str(), "Restore r completed: 3 items\n");
  EXPECT_THAT(err_.str(), AllOf(HasSubstr("restoring items 1/3 (33 %)"), testing::EndsWith("\r\x1b[J")));
}

TEST_F(OperationWait, SaysHowToReturnAfterCtrlC) {
  const Json backup = create(api::kBackup, "b", {{"phase", "InProgress"}});
  Context around = context();
  around.err_terminal.is_terminal = true;
  err_.on_write = [&](const std::string& text) {
    if (text.find("Backup b") != std::string::npos) stop_.request_stop();
  };
  const Status ended = wait_and_report(cluster_.objects(api::kBackup), backup, around);
  EXPECT_EQ(ended.error().code(), Code::kCancelled);
  EXPECT_EQ(ended.error().message(), "stopped waiting; backup b goes on: 'landfall backup watch b' shows it again");
  EXPECT_EQ(out_.str(), "");
}

TEST_F(OperationWait, EndsWithAnErrorWhenItIsDeleted) {
  const Json restore = create(api::kRestore, "r", items(1));
  Context around = context();
  around.err_terminal.is_terminal = true;
  err_.on_write = [&](const std::string& text) {
    if (text.find("1/3") != std::string::npos) static_cast<void>(cluster_.objects(api::kRestore).remove("r", {}));
  };
  const auto ended = await_operation(cluster_.objects(api::kRestore), restore, around);
  EXPECT_EQ(ended.error().code(), Code::kNotFound);
  EXPECT_EQ(ended.error().message(), "restore r was deleted before it had ended");
}

TEST_F(OperationWait, SaysThatNoServerAnswersAndGoesOn) {
  const Json restore = create(api::kRestore, "r", Json::object());
  ManualClock clock;
  const Context around = context(clock);
  err_.on_write = [&](const std::string& text) {
    if (text.find("no server answers") != std::string::npos) {
      set_status(api::kRestore, "r", {{"phase", "Completed"}});
    }
  };
  const std::jthread time([&clock](const std::stop_token& stop) {
    while (system_clock().sleep_for(std::chrono::milliseconds(1), stop)) clock.advance(std::chrono::milliseconds(50));
  });
  EXPECT_TRUE(wait_and_report(cluster_.objects(api::kRestore), restore, around));
  EXPECT_THAT(err_.str(), HasSubstr("Restore r: waiting (New); no server answers in namespace \"velero\""));
  EXPECT_EQ(out_.str(), "Restore r completed\n");
}

TEST_F(OperationWait, ShowsWarningsOfTheLogAsTheyCome) {
  const Json restore = create(api::kRestore, "r", items(1));
  PlayedServer server(cluster_, kOurs);
  server.serve("RestoreLog", "level=info msg=fine\nlevel=warning msg=\"a strange thing\"\n");
  Context around = context();
  around.err_terminal = {.is_terminal = true, .columns = 80, .rows = 24};
  err_.on_write = [&](const std::string& text) {
    if (text.find("warning: ") != std::string::npos) set_status(api::kRestore, "r", {{"phase", "Completed"}});
  };
  EXPECT_TRUE(wait_and_report(cluster_.objects(api::kRestore), restore, around, {.colorized = false}));
  EXPECT_THAT(err_.str(), HasSubstr("  warning: a strange thing"));
}

TEST_F(OperationWait, CancelsABackupAndWaits) {
  create(api::kBackup, "b", {{"phase", "InProgress"}});
  const PlayedServer server(cluster_, kOurs, {{api::kBackup, [](Json& backup) {
                                                 if (!json::bool_or(backup, {"spec", "cancel"}, false)) return;
                                                 backup["status"] = {{"phase", "Failed"}, {"canceled", true}};
                                               }}});
  const Ran ran = cluster_.run({"backup", "cancel", "b", "-w"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "Backup \"b\" is being canceled; nothing of it is kept.\nBackup b was canceled\n");
  EXPECT_THAT(cluster_.run({"backup", "cancel", "b"}).err, HasSubstr("has ended already: Canceled"));
}

TEST_F(OperationWait, LogsOfABackupAreFollowedFromItsBeginning) {
  create(api::kBackup, "b", {{"phase", "Queued"}, {"queuePosition", 1}});
  std::atomic<bool> may_begin = false;
  PlayedServer server(cluster_, kOurs, {{api::kBackup, [&](Json& backup) {
                                           if (may_begin) backup["status"] = {{"phase", "InProgress"}};
                                         }}});
  server.serve("BackupLog", "one\n");
  EXPECT_THAT(cluster_.run_as_velero({"backup", "logs", "b"}).err, HasSubstr("not available until it has ended"));
  EXPECT_TRUE(server.requests().empty());
  may_begin = true;
  EXPECT_EQ(cluster_.run({"backup", "logs", "b", "-f"}).out, "one\n");
}

}  // namespace
}  // namespace landfall::cli
