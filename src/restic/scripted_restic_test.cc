// With programs that behave as told: what the real one does only when something breaks.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/manual_clock.h"
#include "io/fake_process.h"
#include "restic/restic_uploader.h"
#include "testkit/temp_dir.h"

namespace landfall::restic {
namespace {

using extension::IfMissing;
using extension::RepositoryAccess;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const std::string kSnapshot(64, 'a');
const std::string kSummary =
    R"({"message_type":"summary","data_added":5,"total_bytes_processed":9,"snapshot_id":")" + kSnapshot + R"("})";

// What `sh` does for each word; $1 is the first word that is no flag.
class ScriptedRestic : public testing::Test {
 protected:
  ScriptedRestic() {
    std::filesystem::create_directory(volume());
    std::ofstream(volume() / "file") << "123456789";
  }

  std::filesystem::path volume() const { return directory_.path() / "volume"; }
  std::string file(const std::string& name) const { return directory_.path() / name; }
  std::string said(const std::string& name) const {
    std::ifstream text(file(name));
    return {std::istreambuf_iterator<char>(text), {}};
  }

  // `cases` are the arms of a case over the word.
  ResticUploader uploader(const std::string& cases, const std::string& version = "restic 0.14.0 compiled with go") {
    const std::string program = file("restic");
    std::ofstream(program) << "#!/bin/sh\necho \"$@\" >>" << file("arguments") << "\nenv >>" << file("environment")
                           << "\nwhile [ \"${1#-}\" != \"$1\" ]; do shift; done\ncase $1 in\nversion) echo '" << version
                           << "';;\n"
                           << cases << "\nesac\n";
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    options_.program = program;
    return ResticUploader(options_, *processes_);
  }
  Result<extension::UploadedVolume> upload(ResticUploader uploader) {
    return uploader.upload(repository_, {.directory = volume()}, reporter_, {});
  }

  testkit::TempDir directory_;
  ResticOptions options_{.temporary_directory = directory_.path()};
  std::unique_ptr<io::ProcessRunner> processes_ = io::make_system_process_runner(system_clock());
  progress::ByteReporter reporter_{system_clock(), Logger()};
  RepositoryAccess repository_{
      .s3 =
          extension::S3Access{.endpoint = "http://store", .bucket = "bucket", .access_key = "id", .secret_key = "k3y"},
      .path = "restic/shop",
      .password = "p4ssword"};
};

TEST_F(ScriptedRestic, FilesThatCannotBeReadAreNamedAndTheOthersAreStored) {
  const auto up = upload(uploader(
      R"(backup) echo '{"message_type":"error","error":{"Op":"open","Path":"f","Err":13},"during":"archival","item":"/v/f"}' >&2; echo ')" +
      kSummary + "'; exit 3;;"));
  ASSERT_TRUE(up) << up.error().message();
  EXPECT_EQ(up->snapshot, kSnapshot);
  EXPECT_EQ(up->unreadable_count, 1U);
  EXPECT_THAT(up->unreadable, ElementsAre("/v/f: open: Permission denied"));
}

TEST_F(ScriptedRestic, AnErrorOfTheScanIsNoReasonToDoubtTheSnapshot) {
  const auto up = upload(uploader(
      R"(backup) echo '{"message_type":"error","error":{"Op":"lstat","Path":"f","Err":2},"during":"scan","item":"/v/f"}' >&2; echo ')" +
      kSummary + "';;"));
  ASSERT_TRUE(up) << up.error().message();
  EXPECT_EQ(up->unreadable_count, 0U);
}

TEST_F(ScriptedRestic, GoesToTheStorageByTheProxyOfThisProcess) {
  options_.environment = Environment({{"HTTPS_PROXY", "http://proxy:3128"}, {"MINE", "alone"}});
  ASSERT_TRUE(upload(uploader("backup) echo '" + kSummary + "';;")));
  EXPECT_THAT(said("environment"), AllOf(HasSubstr("HTTPS_PROXY=http://proxy:3128\n"), Not(HasSubstr("MINE="))));
}

TEST_F(ScriptedRestic, SecretsAreInTheEnvironmentAndNowhereElse) {
  const auto up = upload(uploader("backup) echo 'Fatal: it broke' >&2; exit 1;;"));
  ASSERT_FALSE(up);
  EXPECT_EQ(up.error().message(), "back up: restic ended with 1: it broke");
  EXPECT_THAT(said("arguments"), AllOf(HasSubstr("backup . --host velero"), Not(HasSubstr("p4ssword")),
                                       Not(HasSubstr("k3y")), Not(HasSubstr("bucket"))));
  EXPECT_THAT(said("environment"), AllOf(HasSubstr("RESTIC_PASSWORD=p4ssword"), HasSubstr("AWS_SECRET_ACCESS_KEY=k3y"),
                                         HasSubstr("RESTIC_REPOSITORY=s3:http://store/bucket/restic/shop")));
}

TEST_F(ScriptedRestic, ALockOfADeadProcessIsTakenAwayOnce) {
  const std::string cases =
      "backup) if [ -e " + file("unlocked") + " ]; then echo '" + kSummary +
      "'; else echo 'Fatal: unable to create lock in backend: repository is already locked exclusively by PID 12 on "
      "node-1' >&2; exit 1; fi;;\nunlock) touch " +
      file("unlocked") + ";;";
  const auto up = upload(uploader(cases));
  ASSERT_TRUE(up) << up.error().message();
}

TEST_F(ScriptedRestic, ALockOfSomebodyWhoLivesIsAConflict) {
  const auto up = upload(uploader(
      "backup) echo 'Fatal: unable to create lock in backend: repository is already locked by PID 12' >&2; exit "
      "11;;\nunlock) ;;"));
  ASSERT_FALSE(up);
  EXPECT_EQ(up.error().code(), Code::kConflict);
  EXPECT_THAT(up.error().message(), HasSubstr("locked by PID 12"));
}

TEST_F(ScriptedRestic, OneThatIsKilledIsAPassingFault) {
  const auto up = upload(uploader("backup) kill -9 $$;;"));
  ASSERT_FALSE(up);
  EXPECT_EQ(up.error().code(), Code::kUnavailable);
  EXPECT_THAT(up.error().message(), HasSubstr("ended by signal 9"));
}

TEST_F(ScriptedRestic, GarbageAndEndlessLinesOnItsOutputDoNoHarm) {
  const auto up = upload(uploader(
      "backup) head -c 3000000 /dev/zero | tr '\\0' x; echo; echo '{\"message_type\":'; echo '" + kSummary + "';;"));
  ASSERT_TRUE(up) << up.error().message();
  EXPECT_EQ(up->total, ByteCount(9));
}

TEST_F(ScriptedRestic, OneThatEndsWellWithoutASnapshotIsNotBelieved) {
  const auto up = upload(uploader("backup) ;;"));
  ASSERT_FALSE(up);
  EXPECT_THAT(up.error().message(), HasSubstr("named no snapshot"));
}

TEST_F(ScriptedRestic, ARepositoryThatMayNotBeReadIsNotTakenForAMissingOneAndMadeAnew) {
  const auto refused = uploader(
                           "cat) echo 'Fatal: unable to open config file: Stat: Access Denied.' >&2; echo 'Is there a "
                           "repository at the following location?' >&2; echo 's3:http://store/bucket' >&2; exit "
                           "1;;\ninit) touch " +
                           file("made") + ";;")
                           .open(repository_, IfMissing::kCreate, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Code::kForbidden) << refused.error().message();
  EXPECT_FALSE(std::filesystem::exists(file("made")));
}

TEST_F(ScriptedRestic, OneThatIsMissingOrTooOldSaysWhatToInstall) {
  ResticUploader missing({.program = file("nowhere")}, *processes_);
  const auto none = missing.open(repository_, IfMissing::kCreate, {});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code(), Code::kUnsupported);
  EXPECT_THAT(none.error().message(),
              AllOf(HasSubstr("there is no program"), HasSubstr("install restic 0.14.0 or newer")));
  // Nothing is taken for forgotten that is not.
  EXPECT_FALSE(missing.forget(repository_, {std::string(64, 'a')}, {}));
  const auto old = upload(uploader("", "restic 0.9.6 compiled with go1.12"));
  ASSERT_FALSE(old);
  EXPECT_THAT(old.error().message(), HasSubstr("restic 0.9.6 is too old"));
}

TEST_F(ScriptedRestic, AFullDiskIsSaidWithTheFile) {
  ResticUploader full = uploader(
      R"(stats) echo '{"total_size":100}';;
restore) echo '{"message_type":"error","error":{"message":"write /v/big: no space left on device"},"during":"restore","item":"/big"}' >&2; echo '{"message_type":"exit_error","code":1,"message":"Fatal: There were 1 errors"}' >&2; exit 1;;)",
      "restic 0.18.1 compiled with go");
  const auto down = full.download(repository_, {.snapshot = kSnapshot, .directory = volume()}, reporter_, {});
  ASSERT_FALSE(down);
  EXPECT_THAT(down.error().message(), AllOf(HasSubstr("the disk is full"), HasSubstr("/big")));
}

// What it writes is all that tells how far an old release is, and its complaints and requests are written as well.
TEST_F(ScriptedRestic, ARestoreThatOnlyTriesAgainIsEndedAndShowsNoProgress) {
  options_.progress_interval = std::chrono::milliseconds(10);
  options_.patience = std::chrono::milliseconds(200);
  options_.written_by = [written = 0](int) mutable { return ByteCount(written += 206); };
  ResticUploader cut_off = uploader(
      "stats) echo '{\"total_size\":100000000}';;\nrestore) for i in $(seq 200); do echo 'Load(<data/ab>, 0, 0) "
      "returned "
      "error, retrying after 20ms: no such bucket' >&2; sleep 0.02; done; exit 1;;");
  const auto down = cut_off.download(repository_, {.snapshot = kSnapshot, .directory = volume()}, reporter_, {});
  ASSERT_FALSE(down);
  EXPECT_EQ(down.error().message(), "restore: restic got nothing through any more: no such bucket");
  EXPECT_LT(reporter_.snapshot().bytes.done, 64 * kKiB);
}

TEST_F(ScriptedRestic, ARestoreThatGoesOnAfterAComplaintIsLetGoOn) {
  options_.progress_interval = std::chrono::milliseconds(10);
  options_.patience = std::chrono::milliseconds(200);
  options_.written_by = [written = 0](int) mutable { return ByteCount(written += 100'000); };
  ResticUploader hiccup = uploader(
      "stats) echo '{\"total_size\":100000000}';;\nrestore) for i in $(seq 10); do echo 'Load(<data/ab>, 0, 0) "
      "returned "
      "error, retrying after 100ms: connection reset' >&2; sleep 0.1; done;;");
  const auto down = hiccup.download(repository_, {.snapshot = kSnapshot, .directory = volume()}, reporter_, {});
  ASSERT_TRUE(down) << down.error().message();
  EXPECT_GT(reporter_.snapshot().bytes.done, 64 * kKiB);
}

TEST(RepeatedStatus, IsNoSignOfLife) {
  ManualClock clock;
  progress::ByteReporter reporter(clock, Logger());
  reporter.start();
  std::vector<bool> stalled;
  io::FakeProcessRunner processes;
  processes.add("restic", [&](io::FakeProcess& self) -> Result<int> {
    if (self.call.argv.at(1) == "version") {
      self.out("restic 0.14.0 compiled with go\n");
      return 0;
    }
    const auto says_after = [&](Duration pause, const std::string& files_done) {
      clock.advance(pause);
      self.out(R"({"message_type":"status","total_files":9,"total_bytes":900,"bytes_done":100,"files_done":)" +
               files_done + R"(,"current_files":["/f"]})" + "\n");
      stalled.push_back(reporter.snapshot().stalled.has_value());
    };
    says_after(std::chrono::seconds(1), "1");
    for (int i = 0; i < 3; ++i) says_after(std::chrono::seconds(15), "1");
    says_after(std::chrono::seconds(15), "2");
    return 1;
  });
  const testkit::TempDir volume;
  volume.write("f", "text");
  ResticUploader uploader({.program = "restic", .temporary_directory = volume.path()}, processes);
  EXPECT_FALSE(uploader.upload({.path = "r", .password = "p"}, {.directory = volume.path()}, reporter, {}));
  EXPECT_THAT(stalled, ElementsAre(false, false, true, true, false));
}

}  // namespace
}  // namespace landfall::restic
