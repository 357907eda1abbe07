#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cli/test_cluster.h"
#include "cli_backup/commands.h"
#include "io/file.h"

namespace landfall::cli {
namespace {

using json::Json;
using testing::HasSubstr;

// `backup delete` and `backup download`.
class BackupFiles : public testing::Test {
 protected:
  BackupFiles() {
    for (const std::string name : {"one", "two"}) {
      cluster_.create(api::kBackup,
                      {{"metadata", {{"name", name}, {"labels", {{"which", name}}}}}, {"spec", Json::object()}});
    }
  }
  std::vector<Json> requests() const { return cluster_.objects(api::kDeleteBackupRequest).list({}, {}).value().items; }
  std::string file(const std::string& name) const { return (cluster_.directory().path() / name).string(); }
  std::string content(const std::string& name) const { return io::read_file(file(name), 1 << 20).value(); }

  TestCluster cluster_{add_backup_command};
};

TEST_F(BackupFiles, AreDeletedByARequestToTheServer) {
  const Ran ran = cluster_.run({"backup", "delete", "one", "--confirm"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out,
            "Request to delete backup \"one\" submitted successfully.\n"
            "The backup will be fully deleted after all associated data (disk snapshots, backup files, restores) are "
            "removed.\n");
  ASSERT_EQ(requests().size(), 1U);
  const Json request = requests().front();
  const Json backup = cluster_.objects(api::kBackup).get("one", {}).value();
  EXPECT_THAT(request["metadata"]["name"].get<std::string>(), testing::StartsWith("one-"));
  EXPECT_EQ(request["metadata"]["labels"],
            Json({{"velero.io/backup-name", "one"}, {"velero.io/backup-uid", backup["metadata"]["uid"]}}));
  EXPECT_EQ(request["spec"], Json({{"backupName", "one"}}));
}

TEST_F(BackupFiles, AreKeptWhenTheAnswerIsNo) {
  const Ran ran = cluster_.run({"backup", "delete", "--all"}, {.input = "n\n"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_TRUE(requests().empty());
  EXPECT_EQ(cluster_.run({"backup", "delete", "-l", "which=two"}, {.input = "Y\n"}).code, 0);
  ASSERT_EQ(requests().size(), 1U);
  EXPECT_EQ(requests().front()["spec"]["backupName"], "two");
}

TEST_F(BackupFiles, ThatAreNotThereAreAnErrorUnlessCalledAsVelero) {
  const Ran ran = cluster_.run({"backup", "delete", "three", "one", "--confirm"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, HasSubstr("backup \"three\" not found"));
  EXPECT_EQ(requests().size(), 1U);
  EXPECT_EQ(cluster_.run_as_velero({"backup", "delete", "three", "--confirm"}).out, "No backups found\n");
}

TEST_F(BackupFiles, AreDownloadedAsTheyAre) {
  PlayedServer server(cluster_, "v1.18.3");
  server.serve("BackupContents", "the archive");
  const Ran ran = cluster_.run({"backup", "download", "one", "-o", file("one.tar.gz")});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "Backup one has been successfully downloaded to " + file("one.tar.gz") + "\n");
  EXPECT_EQ(content("one.tar.gz"), gzipped("the archive"));
  EXPECT_EQ(std::filesystem::status(file("one.tar.gz")).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST_F(BackupFiles, OverwriteNothingUnlessForced) {
  PlayedServer server(cluster_, "v1.18.3");
  server.serve("BackupContents", "the archive");
  std::ofstream(file("taken")) << "mine";
  const Ran refused = cluster_.run({"backup", "download", "one", "-o", file("taken")});
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err, HasSubstr("taken exists: name another file with --output, or overwrite it with --force"));
  EXPECT_EQ(content("taken"), "mine");
  EXPECT_EQ(cluster_.run({"backup", "download", "one", "-o", file("taken"), "--force"}).code, 0);
  EXPECT_EQ(content("taken"), gzipped("the archive"));
}

TEST_F(BackupFiles, LeaveNothingBehindWhenTheyCannotBeFetched) {
  PlayedServer server(cluster_, "v1.18.3");
  const auto files = [&] {
    return std::distance(std::filesystem::directory_iterator(cluster_.directory().path()), {});
  };
  const auto before = files();
  const Ran gone = cluster_.run({"backup", "download", "one", "-o", file("x"), "--timeout", "20s"});
  EXPECT_EQ(gone.code, 1);
  EXPECT_THAT(gone.err, HasSubstr("backup one: "));
  EXPECT_EQ(files(), before);
  EXPECT_THAT(cluster_.run({"backup", "download", "ono"}).err, HasSubstr("did you mean \"one\"?"));
}

}  // namespace
}  // namespace landfall::cli
