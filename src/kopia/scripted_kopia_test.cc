// With programs that behave as told: what the real one does only when something breaks.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "kopia/kopia_uploader.h"
#include "testkit/temp_dir.h"

namespace landfall::kopia {
namespace {

namespace fs = std::filesystem;
using extension::IfMissing;
using extension::RepositoryAccess;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string kSnapshot(32, 'a');
const std::string kManifest = "show) echo '// id: x'; echo '{\"rootEntry\":{\"summ\":{\"size\":1000}}}';;\n";

class ScriptedKopia : public testing::Test {
 protected:
  ScriptedKopia() {
    fs::create_directory(volume());
    fs::create_directory(scratch());
  }

  fs::path volume() const { return directory_.path() / "volume"; }
  fs::path scratch() const { return directory_.path() / "scratch"; }
  std::string file(const std::string& name) const { return directory_.path() / name; }
  std::string said(const std::string& name) const {
    std::ifstream text(file(name));
    return {std::istreambuf_iterator<char>(text), {}};
  }
  bool leaves_nothing() const { return fs::is_empty(scratch()); }

  // `cases` are the arms of a case over the second word of "repository connect", "manifest show"; of a restore the
  // first.
  KopiaUploader uploader(const std::string& cases) {
    const std::string program = file("kopia");
    std::ofstream(program) << "#!/bin/sh\necho \"$@\" >>" << file("arguments") << "\nenv >>" << file("environment")
                           << "\nshift\nword=$1; [ \"$word\" = restore ] || word=$2\ncase $word in\n"
                           << cases << "\nesac\n";
    fs::permissions(program, fs::perms::owner_all);
    return KopiaUploader({.program = program,
                          .environment = Environment({{"HTTPS_PROXY", "http://proxy:3128"}, {"MINE", "alone"}}),
                          .temporary_directory = scratch(),
                          .progress_interval = std::chrono::milliseconds(10)},
                         *processes_);
  }
  Result<ByteCount> download(KopiaUploader uploader, const std::stop_token& stop = {}) {
    return uploader.download(repository_, {.snapshot = kSnapshot, .directory = volume()}, reporter_, stop);
  }

  testkit::TempDir directory_;
  std::unique_ptr<io::ProcessRunner> processes_ = io::make_system_process_runner(system_clock());
  progress::ByteReporter reporter_{system_clock(), Logger()};
  RepositoryAccess repository_{.s3 = extension::S3Access{.endpoint = "http://store:9000",
                                                         .bucket = "bucket",
                                                         .region = "eu-1",
                                                         .access_key = "id",
                                                         .secret_key = "k3y",
                                                         .session_token = "t0ken"},
                               .path = "pre/kopia/shop",
                               .password = "p4ssword",
                               .ca_pem = "PEM",
                               .skips_tls_verification = true};
};

TEST_F(ScriptedKopia, ConnectsAsVeleroDoesWithSecretsInTheEnvironmentOnly) {
  const auto down = download(uploader(kManifest + "restore) pwd >" + file("where") + ";;"));
  ASSERT_TRUE(down) << down.error().message();
  EXPECT_EQ(*down, ByteCount(1000));
  EXPECT_THAT(said("arguments"),
              AllOf(HasSubstr("repository connect s3 --bucket=bucket --endpoint=store:9000 --prefix=pre/kopia/shop/ "
                              "--region=eu-1 --disable-tls --disable-tls-verification --root-ca-pem-path="),
                    HasSubstr("--override-username=default --override-hostname=default --readonly"),
                    HasSubstr("restore " + kSnapshot + " . --mode=local --progress --progress-update-interval=10ms\n"),
                    Not(HasSubstr("p4ssword")), Not(HasSubstr("k3y")), Not(HasSubstr("t0ken"))));
  EXPECT_THAT(said("environment"),
              AllOf(HasSubstr("KOPIA_PASSWORD=p4ssword"), HasSubstr("AWS_ACCESS_KEY_ID=id"),
                    HasSubstr("AWS_SECRET_ACCESS_KEY=k3y"), HasSubstr("AWS_SESSION_TOKEN=t0ken"),
                    HasSubstr("KOPIA_CHECK_FOR_UPDATES=false"), HasSubstr("KOPIA_CONFIG_PATH=" + scratch().string()),
                    HasSubstr("HTTPS_PROXY=http://proxy:3128"), Not(HasSubstr("MINE="))));
  EXPECT_EQ(said("where"), volume().string() + "\n");
  EXPECT_TRUE(leaves_nothing());
}

TEST_F(ScriptedKopia, ADirectoryIsAPlaceToo) {
  repository_ = {.path = "/backups/bucket/kopia/shop", .password = "p4ssword"};
  const auto down = download(uploader(kManifest + "restore) ;;"));
  ASSERT_TRUE(down) << down.error().message();
  EXPECT_THAT(said("arguments"), HasSubstr("repository connect filesystem --path=/backups/bucket/kopia/shop "));
}

TEST_F(ScriptedKopia, WhatItSaysWhenItFailsBecomesACode) {
  struct Case {
    std::string arm;
    Code code;
    std::string message;
  };
  const std::vector<Case> cases = {
      {"connect) echo 'error connecting to repository: unable to create format manager: invalid repository password' "
       ">&2; exit 1;;",
       Code::kUnauthenticated, "does not open with this password"},
      {"connect) echo 'error connecting to repository: repository not initialized in the provided storage' >&2; exit "
       "1;;",
       Code::kNotFound, "there is no kopia repository"},
      {"connect) echo 'dial tcp: connect: connection refused' >&2; exit 1;;", Code::kUnavailable, "connection refused"},
      {"connect) echo 'The Access Key Id you provided does not exist in our records.' >&2; exit 1;;", Code::kForbidden,
       "Access Key"},
      {"show) echo 'error getting metadata for \"aaaa\": manifest aaaa: not found' >&2; exit 1;;", Code::kNotFound,
       "there is no such snapshot"},
      {"show) echo '{\"policy\":1}';;", Code::kInvalid, "none of a snapshot"},
      {kManifest +
           R"(restore) printf '\rProcessed 1 (2 B) of 3 (1 KB).error restoring: write /v/f1: no space left on device\n' >&2; exit 1;;)",
       Code::kInternal, "the disk is full: error restoring: write /v/f1"},
      {kManifest + "restore) echo 'panic: nil pointer' >&2; seq 100000 >&2; exit 2;;", Code::kInternal,
       "kopia ended with 2: panic: nil pointer"},
      {kManifest + "restore) kill -9 $$;;", Code::kUnavailable, "ended by signal 9"},
  };
  for (const Case& one : cases) {
    const auto down = download(uploader(one.arm));
    ASSERT_FALSE(down) << one.arm;
    EXPECT_EQ(down.error().code(), one.code) << down.error().message();
    EXPECT_THAT(down.error().message(), AllOf(HasSubstr(one.message), Not(HasSubstr("p4ssword"))));
    EXPECT_TRUE(leaves_nothing());
  }
}

TEST_F(ScriptedKopia, ProgressThatOverwritesItsLineIsHeardAndNeverPassesTheTotal) {
  const auto down = download(uploader(
      kManifest +
      R"(restore) printf '\rProcessed 1 (200 B) of 3 (1 KB).\rProcessed 9 (5 KB) of 9 (5 KB).  \n\nRestored 3 files.\n' >&2;;)"));
  ASSERT_TRUE(down) << down.error().message();
  EXPECT_EQ(reporter_.snapshot().bytes.done, ByteCount(1000));
  EXPECT_EQ(reporter_.snapshot().bytes.total, ByteCount(1000));
}

// As kopia does: it follows what is in its way, in a volume that is somebody else's, as root.
class KopiaAmongLinks : public ScriptedKopia {
 protected:
  KopiaAmongLinks() {
    fs::create_directories(volume() / "sub");
    fs::create_directory(outside());
    std::ofstream(outside() / "file") << "untouched";
    fs::create_symlink("../outside/file", volume() / "file");
    fs::create_symlink("../outside", volume() / "dir");
    fs::create_symlink("elsewhere", volume() / "sub" / "mine");
    EXPECT_EQ(::mkfifo((volume() / "pipe").c_str(), 0600), 0);
    EXPECT_EQ(::mkfifo((volume() / "sub" / "pipe").c_str(), 0600), 0);
  }
  fs::path outside() const { return directory_.path() / "outside"; }
  bool is_untouched() const { return said("outside/file") == "untouched" && !fs::exists(outside() / "inner"); }
  std::vector<std::string> in_volume() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(volume())) names.push_back(entry.path().filename());
    return names;
  }
};

TEST_F(KopiaAmongLinks, NoneIsThereWhileItRestoresAndWhatItDoesNotReplaceComesBack) {
  const auto down = download(uploader(
      kManifest +
      "restore) echo restored >file; mkdir -p dir; echo restored >dir/inner; echo restored >pipe; find . -path "
      "'./.landfall-*' -prune -o -type l -print >" +
      file("links") + ";;"));
  ASSERT_TRUE(down) << down.error().message();
  EXPECT_THAT(said("links"), IsEmpty());
  EXPECT_TRUE(is_untouched());
  EXPECT_EQ(said("volume/file"), "restored\n");
  EXPECT_EQ(said("volume/dir/inner"), "restored\n");
  EXPECT_TRUE(fs::is_regular_file(volume() / "pipe"));
  EXPECT_EQ(fs::read_symlink(volume() / "sub" / "mine"), "elsewhere");
  EXPECT_TRUE(fs::is_fifo(volume() / "sub" / "pipe"));
  EXPECT_THAT(in_volume(), testing::UnorderedElementsAre("file", "dir", "pipe", "sub"));
}

TEST_F(KopiaAmongLinks, AllComeBackWhenItFails) {
  EXPECT_FALSE(download(uploader(kManifest + "restore) echo broken >&2; exit 1;;")));
  EXPECT_EQ(fs::read_symlink(volume() / "file"), "../outside/file");
  EXPECT_EQ(fs::read_symlink(volume() / "sub" / "mine"), "elsewhere");
  EXPECT_THAT(in_volume(), testing::UnorderedElementsAre("file", "dir", "pipe", "sub"));
}

TEST_F(KopiaAmongLinks, ThoseThatAKilledProcessHadAsideComeBack) {
  const fs::path aside = volume() / ".landfall-aside-123456";
  fs::create_directories(aside / "sub");
  fs::create_symlink("lost", aside / "sub" / "found");
  fs::create_symlink("lost", aside / "file");
  fs::create_symlink("../outside", volume() / ".landfall-aside-trap");
  const auto down = download(uploader(kManifest + "restore) echo restored >file;;"));
  ASSERT_TRUE(down) << down.error().message();
  EXPECT_TRUE(is_untouched());
  EXPECT_EQ(fs::read_symlink(volume() / "sub" / "found"), "lost");
  EXPECT_EQ(said("volume/file"), "restored\n");
  EXPECT_FALSE(fs::exists(aside));
}

TEST_F(ScriptedKopia, AMissingProgramSaysWhatToInstall) {
  KopiaUploader missing({.program = file("nowhere"), .temporary_directory = scratch()}, *processes_);
  for (const IfMissing if_missing : {IfMissing::kFail, IfMissing::kCreate}) {
    const auto none = missing.open(repository_, if_missing, {});
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code(), Code::kUnsupported);
    EXPECT_THAT(none.error().message(), HasSubstr("install kopia 0.22 or newer in the image of the node agent"));
  }
  EXPECT_TRUE(leaves_nothing());
}

TEST_F(ScriptedKopia, OnlyRestores) {
  KopiaUploader kopia = uploader("connect) echo 'repository not initialized in the provided storage' >&2; exit 1;;");
  EXPECT_FALSE(kopia.can_upload());
  EXPECT_EQ(kopia.type(), "kopia");
  EXPECT_THAT(kopia.address(repository_), IsEmpty());
  const auto up = kopia.upload(repository_, {.directory = volume()}, reporter_, {});
  ASSERT_FALSE(up);
  EXPECT_EQ(up.error().code(), Code::kUnsupported);
  EXPECT_THAT(up.error().message(), HasSubstr("--uploader-type restic"));
  EXPECT_EQ(kopia.forget(repository_, {kSnapshot}, {}).error().code(), Code::kUnsupported);
  EXPECT_EQ(kopia.maintain(repository_, {}).error().code(), Code::kUnsupported);
  EXPECT_EQ(kopia.open(repository_, IfMissing::kCreate, {}).error().code(), Code::kUnsupported);
  EXPECT_EQ(kopia.open(repository_, IfMissing::kFail, {}).error().code(), Code::kNotFound);
}

TEST_F(ScriptedKopia, WhatCannotBeRightIsNotHandedToTheProgram) {
  KopiaUploader kopia = uploader("");
  for (const char* const id : {"", "--help", "latest", "k12", "ABC"}) {
    const auto down = kopia.download(repository_, {.snapshot = id, .directory = volume()}, reporter_, {});
    ASSERT_FALSE(down);
    EXPECT_EQ(down.error().code(), Code::kInvalid) << id;
  }
  repository_.s3->endpoint = "https://store/with/path";
  EXPECT_EQ(kopia.open(repository_, IfMissing::kFail, {}).error().code(), Code::kUnsupported);
  repository_.password = " ";
  EXPECT_EQ(kopia.open(repository_, IfMissing::kFail, {}).error().code(), Code::kUnauthenticated);
  EXPECT_THAT(said("arguments"), IsEmpty());
}

}  // namespace
}  // namespace landfall::kopia
