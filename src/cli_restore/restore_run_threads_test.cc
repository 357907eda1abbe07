#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

#include "bucket/artifact.h"
#include "cli/test_cluster.h"
#include "cli_restore/commands.h"
#include "io/file.h"
#include "io/stream.h"

namespace landfall::cli {
namespace {

using json::Json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string kBucket = std::string(LANDFALL_SOURCE_DIR) + "/tests/data/velero-1.18.3";

// A cluster that knows nothing of Velero.
class RestoreRun : public testing::Test {
 protected:
  Ran restore(std::vector<std::string> words, std::stop_token stop = {}) const {
    words.insert(words.begin(), {"restore", "run", "--from", kBucket, "--backup", "bookshop", "--log-file", log()});
    std::filesystem::remove(log());
    return cluster_.run(std::move(words), {.stop = std::move(stop)});
  }
  std::string log() const { return cluster_.directory().path() / "log"; }
  bool has(const std::string& plural, const std::string& name_space, const std::string& name) const {
    return cluster_.resource(plural, name_space).get(name, {}).has_value();
  }

  TestCluster cluster_{add_restore_command, false};
};

TEST_F(RestoreRun, RestoresABackupOfVeleroWithoutAServer) {
  const std::string out = cluster_.directory().path() / "out";
  const Ran ran = restore({"r", "--include-namespaces", "bookshop", "--namespace-mappings", "bookshop:copy",
                           "--include-resources", "configmaps,secrets,services", "--output-dir", out});
  EXPECT_EQ(ran.code, 0) << ran.err << ran.out;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("Restore r of backup bookshop completed\n"), HasSubstr(" created"),
                             HasSubstr(" items of the backup were not selected: "), HasSubstr("Log: " + log())));
  EXPECT_TRUE(has("namespaces", "", "copy"));
  EXPECT_FALSE(has("namespaces", "", "bookshop"));
  EXPECT_THAT(io::read_file(log(), 1 << 20).value(), HasSubstr("restore=velero/r"));
  for (const std::string file :
       {"restore-r-results.gz", "restore-r-resource-list.json.gz", "restore-r-plan.json.gz", "r-volumeinfo.json.gz"}) {
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(out) / file)) << file;
  }
}

TEST_F(RestoreRun, PreviewsAndChangesNothing) {
  const Ran ran = restore({"--preview"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("Preview of backup bookshop: "), HasSubstr("CREATE")));
  EXPECT_FALSE(has("namespaces", "", "bookshop"));
}

TEST_F(RestoreRun, SaysWhichVolumesGetNoDataAndEndsWithAnError) {
  const Ran ran = cluster_.run(
      {"restore", "run", "r", "--from", kBucket + "-volumes", "--backup", "books-fs", "--log-file", log()});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("completed with errors"), HasSubstr("Errors (2):\n"), HasSubstr("bookshop: "),
                             HasSubstr("no data for its volumes data: "),
                             HasSubstr("the backup has its files, and nothing has brought them")));
  EXPECT_TRUE(has("namespaces", "", "bookshop"));
}

TEST_F(RestoreRun, AClaimWithoutThePodThatBringsItsDataIsAnError) {
  const std::string out = cluster_.directory().path() / "out";
  const Ran ran = cluster_.run({"restore", "run", "r", "--from", kBucket + "-volumes", "--backup", "books-fs",
                                "--include-resources", "persistentvolumeclaims,persistentvolumes", "--log-file", log(),
                                "--output-dir", out});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("completed with errors"), HasSubstr("Errors (1):\n"),
                             HasSubstr("nothing has brought them")));
  const auto bytes = io::read_file(out + "/r-volumeinfo.json.gz", 1 << 20).value();
  io::StringReader reader(bytes);
  const Json rows = bucket::decode(reader, bucket::Form::kGzipJson).value();
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0]["result"], "failed");
}

TEST_F(RestoreRun, StopsOnCtrlC) {
  std::stop_source stop;
  stop.request_stop();
  const Ran ran = restore({"r"}, stop.get_token());
  EXPECT_EQ(ran.code, 130);
  EXPECT_FALSE(has("namespaces", "", "bookshop"));
}

TEST_F(RestoreRun, SaysWhatWasDoneAndWhatNotWhenItIsStoppedHalfWay) {
  cluster_.faults().set({.latency = std::chrono::milliseconds(250)});
  std::stop_source stop;
  const std::jthread watcher([&] {
    TestCluster::await([&] { return has("namespaces", "", "bookshop"); });
    stop.request_stop();
  });
  const Ran ran = restore({"r"}, stop.get_token());
  EXPECT_EQ(ran.code, 130) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("Restore r of backup bookshop was canceled\n"), HasSubstr(" were not begun\n")));
  EXPECT_THAT(ran.err, HasSubstr("what was restored stays"));
}

TEST_F(RestoreRun, SaysWhatIsWrong) {
  const auto error = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"restore", "run"});
    const Ran ran = cluster_.run(words);
    EXPECT_EQ(ran.code, 1);
    return ran.err;
  };
  EXPECT_THAT(error({"--backup", "x"}), HasSubstr("--from s3://BUCKET/PREFIX"));
  EXPECT_THAT(error({"--from", kBucket}), HasSubstr("Name it with --backup"));
  EXPECT_THAT(error({"--from", kBucket, "--backup", "x"}),
              HasSubstr("there is no backup \"x\"; there are: bookshop, by-label"));
  EXPECT_THAT(error({"--from", kBucket, "--backup", "bookshop", "--namespace-mappings", "a:B"}), HasSubstr("filters"));
  EXPECT_THAT(error({"--from", kBucket, "--backup", "bookshop", "--resource-modifier-configmap", "m"}),
              HasSubstr("--resource-modifier-configmap velero/m"));
}

TEST_F(RestoreRun, RestoresNothingFromADamagedArchive) {
  const auto store = cluster_.directory().path() / "store";
  std::filesystem::copy(kBucket, store, std::filesystem::copy_options::recursive);
  std::filesystem::resize_file(store / "backups/bookshop/bookshop.tar.gz", 5000);
  const Ran ran = cluster_.run({"restore", "run", "--from", store, "--backup", "bookshop"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("bookshop.tar.gz"));
  EXPECT_FALSE(has("namespaces", "", "bookshop"));
  std::filesystem::remove(store / "backups/bookshop/bookshop.tar.gz");
  EXPECT_THAT(cluster_.run({"restore", "run", "--from", store, "--backup", "bookshop"}).err,
              HasSubstr("there is no archive bookshop.tar.gz"));
}

}  // namespace
}  // namespace landfall::cli
