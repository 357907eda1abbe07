// With the real kopia, where LANDFALL_REAL_KOPIA names it: repositories are made as Velero makes them.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "base/environment.h"
#include "base/random.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "kopia/kopia_uploader.h"
#include "testkit/temp_dir.h"

namespace landfall::kopia {
namespace {

namespace fs = std::filesystem;
using extension::IfMissing;
using extension::RepositoryAccess;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

void write(const fs::path& path, std::string_view text) { std::ofstream(path) << text; }

std::string read(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string bytes(std::size_t count, std::uint64_t seed) {
  SeededRandom random(seed);
  std::string text(count, '\0');
  for (char& c : text) c = static_cast<char>(random.uniform(256));
  return text;
}

class Kopia : public testing::Test {
 protected:
  void SetUp() override {
    program_ = Environment::of_process().get("LANDFALL_REAL_KOPIA").value_or(std::string());
    if (program_.empty()) GTEST_SKIP() << "LANDFALL_REAL_KOPIA names no kopia";
    for (const fs::path& path : {volume(), target(), scratch(), fs::path(repository().path)}) {
      fs::create_directories(path);
    }
  }

  fs::path volume() const { return directory_.path() / "volume"; }
  fs::path target() const { return directory_.path() / "target"; }
  fs::path scratch() const { return directory_.path() / "scratch"; }
  RepositoryAccess repository() const {
    return {.path = directory_.path() / "bucket/pre/kopia/shop", .password = "static-passw0rd"};
  }
  KopiaUploader uploader() const {
    return KopiaUploader(
        {.program = program_, .temporary_directory = scratch(), .progress_interval = std::chrono::milliseconds(20)},
        *processes_);
  }
  // By the program itself.
  std::string kopia(const std::vector<std::string>& arguments) const {
    io::ProcessSpec spec;
    spec.argv = {program_, "--disable-file-logging", "--no-auto-maintenance"};
    spec.argv.insert(spec.argv.end(), arguments.begin(), arguments.end());
    spec.env = {{"PATH", "/usr/bin:/bin"},
                {"HOME", directory_.path()},
                {"KOPIA_PASSWORD", repository().password},
                {"KOPIA_CONFIG_PATH", directory_.path() / "writer.config"},
                {"KOPIA_CACHE_DIRECTORY", directory_.path() / "writer-cache"},
                {"KOPIA_CHECK_FOR_UPDATES", "false"}};
    const auto ran = processes_->run(spec, {}).value();
    if (!ran.succeeded()) ADD_FAILURE() << io::describe(ran);
    return ran.out;
  }
  std::string take_snapshot() const {
    kopia({"repository", "create", "filesystem", "--path=" + repository().path, "--override-username=default",
           "--override-hostname=default"});
    const std::string made = kopia({"snapshot", "create", volume(), "--json",
                                    "--override-source=default@default:snapshot-pod-volume/kopia/shop/db-0/data"});
    return json::string_at(json::parse(made).value(), {"id"}).value();
  }

  std::string program_;
  testkit::TempDir directory_;
  std::unique_ptr<io::ProcessRunner> processes_ = io::make_system_process_runner(system_clock());
  progress::ByteReporter reporter_{system_clock(), Logger()};
};

TEST_F(Kopia, BringsBackEveryFileWithOwnersModesTimesAndLinks) {
  write(volume() / "plain", "text");
  write(volume() / "with \n newline and \xc3\xbc", bytes(100'000, 1));
  fs::create_directories(volume() / "deep/empty directory");
  fs::create_symlink("plain", volume() / "link");
  fs::permissions(volume() / "plain", fs::perms::owner_read);
  const bool is_root = ::geteuid() == 0;
  if (is_root) {
    ASSERT_EQ(::chown((volume() / "plain").c_str(), 1234, 4321), 0);
  }
  const timespec long_ago{.tv_sec = 1'000'000'000, .tv_nsec = 123'456'789};
  const std::array<timespec, 2> times{long_ago, long_ago};
  ASSERT_EQ(::utimensat(AT_FDCWD, (volume() / "plain").c_str(), times.data(), 0), 0);
  const std::string snapshot = take_snapshot();
  write(target() / "mine", "stays");
  write(target() / "plain", "is overwritten");

  KopiaUploader uploader = this->uploader();
  ASSERT_TRUE(uploader.open(repository(), IfMissing::kCreate, {}));
  const auto down = uploader.download(repository(), {.snapshot = snapshot, .directory = target()}, reporter_, {});
  ASSERT_TRUE(down) << down.error().message();
  EXPECT_EQ(*down, ByteCount(100'004));
  EXPECT_EQ(read(target() / "plain"), "text");
  EXPECT_EQ(read(target() / "with \n newline and \xc3\xbc"), bytes(100'000, 1));
  EXPECT_EQ(read(target() / "mine"), "stays");
  EXPECT_TRUE(fs::is_directory(target() / "deep/empty directory"));
  EXPECT_EQ(fs::read_symlink(target() / "link"), "plain");
  struct stat info{};
  ASSERT_EQ(::stat((target() / "plain").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 0400U);
  EXPECT_EQ(info.st_mtim.tv_sec, long_ago.tv_sec);
  EXPECT_EQ(info.st_mtim.tv_nsec, long_ago.tv_nsec);
  if (is_root) {
    EXPECT_EQ(info.st_uid, 1234U);
    EXPECT_EQ(info.st_gid, 4321U);
  }
  EXPECT_TRUE(fs::is_empty(scratch()));
}

// The volume is somebody else's, and kopia runs as root.
TEST_F(Kopia, ARestoreLeavesTheVolumeByNoLink) {
  const fs::path outside = directory_.path() / "outside";
  fs::create_directories(outside);
  fs::create_directories(volume() / "dir");
  for (const char* const name : {"file", "pipe", "dir/inner"}) write(volume() / name, "restored");
  for (const char* const name : {"file", "inner"}) write(outside / name, "untouched");
  fs::create_symlink("/nowhere", volume() / "link");
  const std::string snapshot = take_snapshot();
  fs::create_symlink("../outside/file", target() / "file");
  fs::create_symlink("../outside", target() / "dir");
  fs::create_symlink("../outside", target() / "link");
  fs::create_symlink("../outside", target() / "mine");
  ASSERT_EQ(::mkfifo((target() / "pipe").c_str(), 0600), 0);
  const auto down = uploader().download(repository(), {.snapshot = snapshot, .directory = target()}, reporter_, {});
  ASSERT_TRUE(down) << down.error().message();
  for (const char* const name : {"file", "inner"}) EXPECT_EQ(read(outside / name), "untouched");
  for (const char* const name : {"file", "pipe", "dir/inner"}) EXPECT_EQ(read(target() / name), "restored");
  EXPECT_EQ(fs::read_symlink(target() / "link"), "/nowhere");
  EXPECT_EQ(fs::read_symlink(target() / "mine"), "../outside");
}

TEST_F(Kopia, SaysHowFarItIsNeverGoesBackAndEndsExact) {
  for (int i = 0; i < 20; ++i) write(volume() / std::to_string(i), bytes(4 << 20, static_cast<std::uint64_t>(i)));
  const std::string snapshot = take_snapshot();
  std::vector<progress::ByteProgress> seen;
  reporter_.subscribe(
      "test",
      [&](const progress::ByteProgress& now, const std::stop_token&) -> Status {
        seen.push_back(now);
        return {};
      },
      std::chrono::milliseconds(1));
  reporter_.start();
  const auto down = uploader().download(repository(), {.snapshot = snapshot, .directory = target()}, reporter_, {});
  ASSERT_TRUE(down) << down.error().message();
  EXPECT_GT(reporter_.snapshot().bytes.done, 79 * kMiB);  // by its own words, before anybody says that it is finished
  ASSERT_TRUE(reporter_.finish(*down, system_clock().after(std::chrono::seconds(60)), {}));
  EXPECT_EQ(*down, 80 * kMiB);
  EXPECT_GE(seen.size(), 3U);
  ByteCount before;
  for (const auto& one : seen) {
    EXPECT_GE(one.bytes.done, before);
    EXPECT_LE(one.bytes.done, 80 * kMiB);
    before = one.bytes.done;
  }
  EXPECT_EQ(seen.back().bytes.done, 80 * kMiB);
}

TEST_F(Kopia, TellsAWrongPasswordFromWhatIsNotThere) {
  const auto missing = uploader().open(repository(), IfMissing::kFail, {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code(), Code::kNotFound) << missing.error().message();
  write(volume() / "a", "a");
  take_snapshot();
  RepositoryAccess other = repository();
  other.password = "s3cret";
  const auto wrong = uploader().open(other, IfMissing::kFail, {});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code(), Code::kUnauthenticated) << wrong.error().message();
  EXPECT_THAT(wrong.error().message(), Not(HasSubstr("s3cret")));
  const auto none =
      uploader().download(repository(), {.snapshot = std::string(32, 'a'), .directory = target()}, reporter_, {});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code(), Code::kNotFound) << none.error().message();
  EXPECT_THAT(none.error().message(), HasSubstr("no such snapshot"));
}

TEST_F(Kopia, AFullDiskIsSaidWithTheFile) {
  write(volume() / "big", bytes(4 << 20, 1));
  const std::string snapshot = take_snapshot();
  if (::mount("tmpfs", target().c_str(), "tmpfs", 0, "size=1m") != 0) GTEST_SKIP() << "may not mount a small disk";
  const auto down = uploader().download(repository(), {.snapshot = snapshot, .directory = target()}, reporter_, {});
  ::umount(target().c_str());
  ASSERT_FALSE(down);
  EXPECT_THAT(down.error().message(), AllOf(HasSubstr("the disk is full"), HasSubstr("big")));
}

TEST_F(Kopia, SparseFilesStaySparseWhenAsked) {
  constexpr std::uintmax_t kSize = 256UL << 20U;
  std::ofstream(volume() / "sparse").close();
  fs::resize_file(volume() / "sparse", kSize);
  const std::string snapshot = take_snapshot();
  const auto down = uploader().download(
      repository(), {.snapshot = snapshot, .directory = target(), .writes_sparse_files = true}, reporter_, {});
  ASSERT_TRUE(down) << down.error().message();
  EXPECT_EQ(fs::file_size(target() / "sparse"), kSize);
  struct stat info{};
  ASSERT_EQ(::stat((target() / "sparse").c_str(), &info), 0);
  EXPECT_LT(info.st_blocks * 512, 16 << 20);
}

TEST_F(Kopia, AStopEndsIt) {
  for (int i = 0; i < 20; ++i) write(volume() / std::to_string(i), bytes(4 << 20, static_cast<std::uint64_t>(i)));
  const std::string snapshot = take_snapshot();
  std::stop_source stop;
  const std::jthread stopper([&](const std::stop_token& done) {
    while (!done.stop_requested() && fs::is_empty(target())) std::this_thread::yield();
    stop.request_stop();
  });
  const auto down =
      uploader().download(repository(), {.snapshot = snapshot, .directory = target()}, reporter_, stop.get_token());
  ASSERT_FALSE(down);
  EXPECT_EQ(down.error().code(), Code::kCancelled) << down.error().message();
  EXPECT_TRUE(fs::is_empty(scratch()));
}

}  // namespace
}  // namespace landfall::kopia
