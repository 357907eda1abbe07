#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/test_cluster.h"
#include "cli_backup/commands.h"

// Beside tests/data/cli-goldens, which has what Velero prints.
namespace landfall::cli {
namespace {

using json::Json;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class BackupGet : public testing::Test {
 protected:
  void create(const std::string& name, const Json& status, const Json& spec = Json::object()) const {
    cluster_.create(api::kBackup, {{"metadata", {{"name", name}}}, {"spec", spec}, {"status", status}});
  }

  TestCluster cluster_{[](const Command& root) {
    add_backup_command(root);
    add_schedule_command(root);
  }};
};

TEST_F(BackupGet, SaysHowFarBackupsAreInTheWideTable) {
  create("a", Json::parse(R"({"phase": "InProgress", "progress": {"totalItems": 8, "itemsBackedUp": 2}})"));
  create("b", Json::object());
  const Ran ran = cluster_.run({"backup", "get", "-o", "wide"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("SELECTOR   PROGRESS     LEFT\n"));
  EXPECT_THAT(ran.out, AllOf(HasSubstr("<none>     2/8 (25 %)   -\n"), HasSubstr("<none>     -            -\n")));
  EXPECT_EQ(cluster_.run({"backup", "get", "b", "-o", "name"}).out, "backup.velero.io/b\n");
}

TEST_F(BackupGet, ShowsWhenABackupWillExpireByItsTtlUntilTheServerSaysSo) {
  create("new", Json::object(), {{"ttl", "720h0m0s"}});
  EXPECT_THAT(cluster_.run({"backup", "get"}).out, HasSubstr(" 29d "));
}

TEST_F(BackupGet, NamesTheNearest) {
  create("nightly", Json::object());
  const Ran ran = cluster_.run({"backup", "describe", "nigthly"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("not found"), HasSubstr("did you mean \"nightly\"?")));
}

TEST_F(BackupGet, DescribesABackupThatHasNotBegunWithoutAServer) {
  create("new", {{"phase", "Queued"}, {"queuePosition", 2}});
  const Ran ran = cluster_.run({"backup", "describe", "new", "--details"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("Queue position:  2\n"), HasSubstr("<backup resource list not found>"),
                             EndsWith("  Pod Volume Backups: <none included>\n")));
  EXPECT_TRUE(cluster_.objects(api::kDownloadRequest).list({}, {}).value().items.empty());
}

TEST_F(BackupGet, DescribesOneAsJson) {
  create("a", {{"phase", "New"}});
  create("b", {{"phase", "New"}});
  EXPECT_THAT(cluster_.run({"backup", "describe", "a", "-o", "json"}).out,
              AllOf(StartsWith("{\n    \"metadata\": {\n"), HasSubstr("\"expiration\": \"<nil>\"")));
  const Ran both = cluster_.run({"backup", "describe", "-o", "json"});
  EXPECT_EQ(both.code, 1);
  EXPECT_THAT(both.err, HasSubstr("-o json is for one backup"));
}

TEST_F(BackupGet, DescribesInColourOnATerminal) {
  create("a", {{"phase", "Completed"}});
  const std::string green = "Phase:  \x1b[32mCompleted\x1b[0m\n";
  const std::vector<std::string> words = {"backup", "describe", "a"};
  EXPECT_THAT(cluster_.run(words, {.terminal = {.is_terminal = true}}).out, HasSubstr(green));
  EXPECT_THAT(cluster_.run(words).out, Not(HasSubstr("\x1b")));
  EXPECT_THAT(cluster_.run({"backup", "describe", "a", "--colorized"}).out, HasSubstr(green));
  const Ran without =
      cluster_.run(words, {.environment = Environment(std::map<std::string, std::string>{{"NO_COLOR", "1"}}),
                           .terminal = {.is_terminal = true}});
  EXPECT_THAT(without.out, Not(HasSubstr("\x1b")));
}

TEST_F(BackupGet, ShowsNothingThatATerminalWouldObey) {
  create("a", {{"phase", "FailedValidation"}, {"validationErrors", {"\x1b]0;x\x07"}}});
  EXPECT_THAT(cluster_.run({"backup", "describe", "a"}).out, Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace landfall::cli
