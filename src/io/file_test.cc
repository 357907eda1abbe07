#include "io/file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "io/test_support.h"
#include "testkit/temp_dir.h"

namespace landfall::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class Files : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return directory_.path(name); }
  std::vector<std::string> names() const { return names_in(directory_.path()); }
  TempDir directory_ = make_temp_dir();
};

TEST_F(Files, WriteThroughLinksAndReplaceNothingThatIsNoFile) {
  const testkit::TempDir place;
  const std::filesystem::path link = place.path() / "link";
  std::filesystem::create_symlink("target", link);
  ASSERT_TRUE(write_file(link.string(), "first"));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_EQ(read_file((place.path() / "target").string(), 100).value(), "first");
  ASSERT_TRUE(write_file(link.string(), "second"));
  EXPECT_EQ(read_file((place.path() / "target").string(), 100).value(), "second");

  const std::filesystem::path pipe = place.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const Status refused = write_file(pipe.string(), "x");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(), HasSubstr("that is no file"));
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));

  std::filesystem::create_symlink("round", place.path() / "round");
  EXPECT_FALSE(write_file((place.path() / "round").string(), "x"));
}

TEST_F(Files, WhatIsWrittenCanBeRead) {
  const std::string bytes = std::string("a\0b", 3) + std::string(100'000, 'x');
  ASSERT_TRUE(write_file(path("f"), bytes));
  EXPECT_EQ(read_file(path("f"), 1'000'000), bytes);
  auto reader = FileReader::open(path("f"));
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->size(), bytes.size());
}

TEST_F(Files, ErrorsNameThePathAndSayWhatTheSystemSays) {
  const auto missing = read_file(path("none"), 10);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code(), Code::kNotFound);
  EXPECT_EQ(missing.error().message(), "open " + path("none") + ": No such file or directory");
  EXPECT_EQ(read_file(directory_.path(), 10).error().code(), Code::kInvalid);
  EXPECT_EQ(write_file(path("no/such/f"), "x").error().code(), Code::kNotFound);
  EXPECT_EQ(write_file("/proc/f", "x").error().code(), Code::kNotFound);
  EXPECT_EQ(write_file(path(std::string(300, 'n')), "x").error().code(), Code::kInvalid);
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(Files, AFileOverTheLimitIsNamed) {
  ASSERT_TRUE(write_file(path("f"), "123456"));
  const auto result = read_file(path("f"), 5);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Code::kTooLarge);
  EXPECT_EQ(result.error().message(), path("f") + ": more than 5 bytes");
}

TEST_F(Files, AWrittenFileAppearsOnlyWhenClosed) {
  auto writer = FileWriter::create(path("f"));
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->write("one "));
  ASSERT_EQ(names().size(), 1U);
  EXPECT_TRUE(is_temporary_name(names().front()));
  ASSERT_TRUE(writer->write("two"));
  ASSERT_TRUE(writer->close());
  EXPECT_THAT(names(), ElementsAre("f"));
  EXPECT_EQ(read_file(path("f"), 100), "one two");
}

TEST_F(Files, AnAbandonedFileLeavesNothingAndTheOldOneStays) {
  ASSERT_TRUE(write_file(path("f"), "old"));
  {
    auto writer = FileWriter::create(path("f"));
    ASSERT_TRUE(writer);
    ASSERT_TRUE(writer->write("new"));
    FileWriter moved = *std::move(writer);
  }
  EXPECT_THAT(names(), ElementsAre("f"));
  EXPECT_EQ(read_file(path("f"), 100), "old");
}

TEST_F(Files, AFailedWriteLeavesNothingAndCannotBeClosed) {
  const FileSizeLimit limit(10'000);
  auto writer = FileWriter::create(path("f"));
  ASSERT_TRUE(writer);
  const Status status = writer->write(std::string(20'000, 'x'));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), Code::kTooLarge);
  EXPECT_EQ(status.error().message(), path("f") + ": write: File too large");
  EXPECT_THAT(names(), IsEmpty());
  EXPECT_FALSE(writer->write("x"));
  EXPECT_FALSE(writer->close());
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(Files, ReplacesUnlessToldNotTo) {
  ASSERT_TRUE(write_file(path("f"), "one"));
  ASSERT_TRUE(write_file(path("f"), "two"));
  const Status refused = write_file(path("f"), "three", {.replace = false});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Code::kAlreadyExists);
  EXPECT_EQ(read_file(path("f"), 100), "two");
  ASSERT_TRUE(write_file(path("g"), "three", {.replace = false}));
  EXPECT_THAT(names(), ElementsAre("f", "g"));
}

TEST_F(Files, ADirectoryIsNotReplaced) {
  ASSERT_EQ(::mkdir(path("d").c_str(), 0700), 0);
  EXPECT_FALSE(write_file(path("d"), "x"));
  EXPECT_EQ(write_file(path("d/"), "x").error().code(), Code::kInvalid);
  EXPECT_THAT(names(), ElementsAre("d"));
}

TEST_F(Files, GivesTheFileTheModeAskedFor) {
  struct stat info{};
  ASSERT_TRUE(write_file(path("secret"), "x"));
  ASSERT_EQ(::stat(path("secret").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
  ASSERT_TRUE(write_file(path("tool"), "x", {.mode = 0700}));
  ASSERT_EQ(::stat(path("tool").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0700U);
}

TEST_F(Files, AFullDiskIsSaidSo) {
  const Descriptor full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  const Status status = write_descriptor(full.get(), "x");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error(), Error(Code::kInternal, "write: No space left on device"));
}

TEST(TempDir, IsRemovedWithAllThatIsInIt) {
  std::string path;
  {
    const TempDir directory = make_temp_dir();
    path = directory.path();
    ASSERT_EQ(::mkdir(directory.path("sub").c_str(), 0700), 0);
    ASSERT_TRUE(write_file(directory.path("sub/f"), "x"));
  }
  EXPECT_NE(::access(path.c_str(), F_OK), 0);
  EXPECT_EQ(TempDir::create("/no/such").error().code(), Code::kNotFound);
}

}  // namespace
}  // namespace landfall::io
