#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>

#include "restic/test_restic.h"

namespace landfall::restic {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

INSTANTIATE_TEST_SUITE_P(Programs, Restic, restic_programs(), restic_name);

TEST_P(Restic, BringsBackEveryFileWithOwnersModesTimesLinksAndAttributes) {
  write(volume() / "plain", "text");
  write(volume() / "with \n newline and \xc3\xbc", bytes(100'000, 1));
  fs::create_directory(volume() / "empty directory");
  fs::create_symlink("plain", volume() / "link");
  fs::create_hard_link(volume() / "plain", volume() / "hard");
  fs::permissions(volume() / "plain", fs::perms::owner_read);
  const bool is_root = ::geteuid() == 0;
  if (is_root) {
    ASSERT_EQ(::chown((volume() / "plain").c_str(), 1234, 4321), 0);
  }
  const bool has_xattrs = ::setxattr((volume() / "plain").c_str(), "user.color", "blue", 4, 0) == 0;
  const timespec long_ago{.tv_sec = 1'000'000'000, .tv_nsec = 123'456'789};
  const std::array<timespec, 2> times{long_ago, long_ago};
  ASSERT_EQ(::utimensat(AT_FDCWD, (volume() / "plain").c_str(), times.data(), 0), 0);
  std::ofstream(volume() / "sparse").close();
  fs::resize_file(volume() / "sparse", 3'000'000);

  ASSERT_TRUE(uploader_.open(repository(), IfMissing::kCreate, {}));
  const auto up = upload({{"backup", "b"}, {"pod", "db-0"}});
  EXPECT_EQ(up.snapshot.size(), 64U);
  EXPECT_EQ(up.unreadable_count, 0U);
  EXPECT_GE(up.total, ByteCount(3'100'004));
  const auto down = uploader_.download(repository(), {.snapshot = up.snapshot, .directory = target()}, reporter_, {});
  ASSERT_TRUE(down) << down.error().message();

  EXPECT_EQ(read(target() / "plain"), "text");
  EXPECT_EQ(read(target() / "with \n newline and \xc3\xbc"), bytes(100'000, 1));
  EXPECT_TRUE(fs::is_directory(target() / "empty directory"));
  EXPECT_EQ(fs::read_symlink(target() / "link"), "plain");
  EXPECT_EQ(fs::file_size(target() / "sparse"), 3'000'000U);
  EXPECT_TRUE(fs::equivalent(target() / "plain", target() / "hard"));
  struct stat info{};
  ASSERT_EQ(::stat((target() / "plain").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0400U);
  EXPECT_EQ(info.st_mtim.tv_sec, long_ago.tv_sec);
  EXPECT_EQ(info.st_mtim.tv_nsec, long_ago.tv_nsec);
  if (is_root) {
    EXPECT_EQ(info.st_uid, 1234U);
    EXPECT_EQ(info.st_gid, 4321U);
  }
  if (has_xattrs) {
    std::string color(4, '\0');
    EXPECT_EQ(::getxattr((target() / "plain").c_str(), "user.color", color.data(), color.size()), 4);
    EXPECT_EQ(color, "blue");
  }
}

TEST_P(Restic, SaysHowFarItIsAndNeverGoesBack) {
  for (int i = 0; i < 40; ++i) write(volume() / std::to_string(i), bytes(1 << 20, static_cast<std::uint64_t>(i)));
  ASSERT_TRUE(uploader_.open(repository(), IfMissing::kCreate, {}));
  const auto up = uploader_.upload(repository(), {.directory = volume()}, listen(), {});
  ASSERT_TRUE(up) << up.error().message();
  EXPECT_EQ(up->total, 40 * kMiB);
  ASSERT_TRUE(reporter_.finish(up->total, system_clock().after(std::chrono::seconds(60)), {}));
  EXPECT_GE(seen_.size(), 3U);
  ByteCount before;
  for (const auto& one : seen_) {
    EXPECT_TRUE(one.bytes.total || one.bytes.done == ByteCount());
    EXPECT_GE(one.bytes.done, before);
    before = one.bytes.done;
  }
  EXPECT_EQ(seen_.back().bytes.done, 40 * kMiB);
  EXPECT_EQ(seen_.back().bytes.total, 40 * kMiB);
}

TEST_P(Restic, ARestoreIntoAVolumeThatIsNotEmptyDoesNotLie) {
  for (int i = 0; i < 40; ++i) write(volume() / std::to_string(i), bytes(1 << 20, static_cast<std::uint64_t>(i)));
  write(target() / "mine", bytes(5 << 20, 99));
  ASSERT_TRUE(uploader_.open(repository(), IfMissing::kCreate, {}));
  const auto up = upload();
  progress::ByteReporter reporter(system_clock(), Logger());
  std::vector<progress::ByteProgress> seen;
  reporter.subscribe(
      "test",
      [&](const progress::ByteProgress& now, const std::stop_token&) -> Status {
        seen.push_back(now);
        return {};
      },
      std::chrono::milliseconds(1));
  reporter.start();
  const auto down = uploader_.download(repository(), {.snapshot = up.snapshot, .directory = target()}, reporter, {});
  ASSERT_TRUE(down) << down.error().message();
  EXPECT_EQ(*down, 40 * kMiB);
  ASSERT_TRUE(reporter.finish(*down, system_clock().after(std::chrono::seconds(60)), {}));
  EXPECT_EQ(read(target() / "mine").size(), std::size_t{5} << 20U);
  EXPECT_EQ(read(target() / "7"), bytes(1 << 20, 7));
  for (const auto& one : seen) EXPECT_LE(one.bytes.done, 40 * kMiB);
  const auto first = std::ranges::find_if(seen, [](const auto& one) { return one.bytes.total.has_value(); });
  ASSERT_NE(first, seen.end());
  EXPECT_LT(first->bytes.done, 10 * kMiB) << "what was there before is not restored";
  EXPECT_EQ(seen.back().bytes.done, 40 * kMiB);
}

TEST_P(Restic, ARestoreOverLinksAndPipesThatAreThereAlreadySucceeds) {
  write(volume() / "file", "text");
  fs::create_directory(volume() / "sub");
  fs::create_symlink("../file", volume() / "sub" / "link");
  ASSERT_EQ(::mkfifo((volume() / "pipe").c_str(), 0600), 0);
  ASSERT_TRUE(uploader_.open(repository(), IfMissing::kCreate, {}));
  const auto up = upload();
  for (int i = 0; i < 2; ++i) {
    const auto down = uploader_.download(repository(), {.snapshot = up.snapshot, .directory = target()}, reporter_, {});
    ASSERT_TRUE(down) << down.error().message();
  }
  EXPECT_EQ(fs::read_symlink(target() / "sub" / "link"), "../file");
  EXPECT_TRUE(fs::is_fifo(target() / "pipe"));
}

// The volume is somebody else's, and restic runs as root.
TEST_P(Restic, ARestoreLeavesTheVolumeByNoLinkAndWaitsAtNoPipe) {
  const fs::path outside = directory_.path() / "outside";
  fs::create_directory(outside);
  fs::create_directories(volume() / "dir" / "deep");
  fs::create_directory(volume() / "\xfe");
  // What is restored, from where a link leads out.
  const std::vector<std::pair<std::string, std::string>> files = {
      {"dir/inner", "dir"}, {"dir/deep/inner", "dir"}, {"file", "file"},      {"empty", "empty"},
      {"pipe", ""},         {"\xff", "\xff"},          {"\xfe/plain", "\xfe"}};
  for (const auto& [file, link] : files) {
    write(volume() / file, file == "empty" ? "" : "restored");
    if (link.empty()) continue;
    const bool is_directory = link != file;
    const fs::path victim = outside / link;
    if (is_directory) fs::create_directories((victim / file.substr(link.size() + 1)).parent_path());
    write(is_directory ? victim / file.substr(link.size() + 1) : victim, "untouched");
    if (!fs::is_symlink(target() / link)) fs::create_symlink("../outside/" + link, target() / link);
  }
  ASSERT_EQ(::mkfifo((target() / "pipe").c_str(), 0600), 0);
  fs::create_symlink("../outside/file", target() / "mine");
  ASSERT_TRUE(uploader_.open(repository(), IfMissing::kCreate, {}));
  const auto up = upload();
  const auto down = uploader_.download(repository(), {.snapshot = up.snapshot, .directory = target()}, reporter_, {});
  ASSERT_TRUE(down) << down.error().message();
  for (const auto& [file, link] : files) {
    EXPECT_EQ(read(target() / file), file == "empty" ? "" : "restored") << file;
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(target() / file))) << file;
    if (!link.empty()) {
      EXPECT_EQ(read(outside / file), "untouched") << file;
    }
  }
  EXPECT_TRUE(fs::is_symlink(target() / "mine")) << "the snapshot has no such name";
}

TEST_P(Restic, AReadOnlyRepositoryIsRestoredWithoutALock) {
  write(volume() / "file", "text");
  ASSERT_TRUE(uploader_.open(repository(), IfMissing::kCreate, {}));
  const auto up = upload();
  // Root may write anywhere: where the locks belong there is no directory.
  fs::remove_all(fs::path(repository().path) / "locks");
  std::ofstream(fs::path(repository().path) / "locks").close();
  RepositoryAccess read_only = repository();
  read_only.is_read_only = true;
  const auto down = uploader_.download(read_only, {.snapshot = up.snapshot, .directory = target()}, reporter_, {});
  ASSERT_TRUE(down) << down.error().message();
  EXPECT_EQ(read(target() / "file"), "text");
}

TEST_P(Restic, WhereTheMachineDoesNotTellTheFilesAreMeasured) {
  for (int i = 0; i < 40; ++i) write(volume() / std::to_string(i), bytes(1 << 20, static_cast<std::uint64_t>(i)));
  write(target() / "mine", bytes(5 << 20, 99));
  write(target() / "7", bytes(1 << 20, 7));  // whole already, and written again
  ASSERT_TRUE(uploader_.open(repository(), IfMissing::kCreate, {}));
  const auto up = upload();
  ResticOptions blind = options();
  blind.written_by = [](int) { return std::nullopt; };
  ResticUploader uploader(blind, *processes_);
  const auto down = uploader.download(repository(), {.snapshot = up.snapshot, .directory = target()}, listen(), {});
  ASSERT_TRUE(down) << down.error().message();
  EXPECT_EQ(*down, 40 * kMiB);
  ASSERT_TRUE(reporter_.finish(*down, system_clock().after(std::chrono::seconds(60)), {}));
  for (const auto& one : seen_) EXPECT_LE(one.bytes.done, 40 * kMiB);
  EXPECT_EQ(seen_.back().bytes.done, 40 * kMiB);
}

TEST_P(Restic, AnEmptyVolumeNeedsNoSnapshot) {
  ASSERT_TRUE(uploader_.open(repository(), IfMissing::kCreate, {}));
  EXPECT_EQ(upload().snapshot, "");
  const auto gone = uploader_.upload(repository(), {.directory = volume() / "gone"}, reporter_, {});
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code(), Code::kNotFound);
}

TEST_P(Restic, ReadsUnchangedFilesOnceWithAParent) {
  write(volume() / "a", bytes(2 << 20, 1));
  ASSERT_TRUE(uploader_.open(repository(), IfMissing::kCreate, {}));
  const auto first = upload();
  const auto second = uploader_.upload(repository(), {.directory = volume(), .parent = first.snapshot}, reporter_, {});
  ASSERT_TRUE(second) << second.error().message();
  EXPECT_LT(second->added.value_or(kGiB), 100 * kKiB);
  EXPECT_NE(second->snapshot, first.snapshot);
}

TEST_P(Restic, AParentThatIsForgottenIsNotMissed) {
  write(volume() / "a", bytes(1000, 1));
  ASSERT_TRUE(uploader_.open(repository(), IfMissing::kCreate, {}));
  const auto up =
      uploader_.upload(repository(), {.directory = volume(), .parent = std::string(64, 'a')}, reporter_, {});
  ASSERT_TRUE(up) << up.error().message();
  EXPECT_EQ(up->total, ByteCount(1000));
  EXPECT_EQ(up->snapshot.size(), 64U);
}

TEST_P(Restic, TellsAWrongPasswordFromARepositoryThatIsNotThere) {
  const auto missing = uploader_.open(repository(), IfMissing::kFail, {});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code(), Code::kNotFound) << missing.error().message();
  EXPECT_THAT(missing.error().message(), HasSubstr("there is no restic repository"));
  ASSERT_TRUE(uploader_.open(repository(), IfMissing::kCreate, {}));
  ASSERT_TRUE(uploader_.open(repository(), IfMissing::kCreate, {}));
  RepositoryAccess other = repository();
  other.password = "s3cret";
  for (const IfMissing if_missing : {IfMissing::kFail, IfMissing::kCreate}) {
    const auto wrong = uploader_.open(other, if_missing, {});
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().code(), Code::kUnauthenticated) << wrong.error().message();
    EXPECT_THAT(wrong.error().message(), AllOf(HasSubstr("password"), Not(HasSubstr("s3cret"))));
  }
}

TEST_P(Restic, ForgetsAndCleansUp) {
  write(volume() / "a", bytes(1 << 20, 1));
  ASSERT_TRUE(uploader_.open(repository(), IfMissing::kCreate, {}));
  const auto up = upload();
  write(volume() / "a", bytes(1 << 20, 2));
  const auto kept = upload();
  const std::string never(64, 'a');
  const Status forgotten = uploader_.forget(repository(), {never, up.snapshot}, {});
  ASSERT_TRUE(forgotten) << forgotten.error().message();
  ASSERT_TRUE(uploader_.forget(repository(), {up.snapshot}, {}));
  const Status maintained = uploader_.maintain(repository(), {});
  ASSERT_TRUE(maintained) << maintained.error().message();
  const auto gone = uploader_.download(repository(), {.snapshot = up.snapshot, .directory = target()}, reporter_, {});
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().code(), Code::kNotFound) << gone.error().message();
  EXPECT_TRUE(uploader_.download(repository(), {.snapshot = kept.snapshot, .directory = target()}, reporter_, {}));
}

TEST_P(Restic, WhatIsNoSnapshotIsNotHandedToTheProgram) {
  for (const char* const id : {"", "--help", "latest", "abc;rm", "ABCDEF"}) {
    const auto down = uploader_.download(repository(), {.snapshot = id, .directory = target()}, reporter_, {});
    ASSERT_FALSE(down);
    EXPECT_EQ(down.error().code(), Code::kInvalid) << id;
  }
}

TEST_P(Restic, AStopEndsIt) {
  for (int i = 0; i < 20; ++i) write(volume() / std::to_string(i), bytes(1 << 20, static_cast<std::uint64_t>(i)));
  ASSERT_TRUE(uploader_.open(repository(), IfMissing::kCreate, {}));
  std::stop_source stop;
  stop.request_stop();
  const auto up = uploader_.upload(repository(), {.directory = volume()}, reporter_, stop.get_token());
  ASSERT_FALSE(up);
  EXPECT_EQ(up.error().code(), Code::kCancelled);
}

}  // namespace
}  // namespace landfall::restic
