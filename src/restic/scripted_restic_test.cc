// With programs that behave as told: what the real one does only when something breaks.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

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
    return ResticUploader({.program = program, .temporary_directory = directory_.path()}, *processes_);
  }
  Result<extension::UploadedVolume> upload(ResticUploader uploader) {
    return uploader.upload(repository_, {.directory = volume()}, reporter_, {});
  }

  testkit::TempDir directory_;
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

}  // namespace
}  // namespace landfall::restic
