#include "agent/done_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>

#include "testkit/temp_dir.h"

namespace landfall::agent {
namespace {

namespace fs = std::filesystem;

class DoneFile : public testing::Test {
 protected:
  DoneFile() { fs::create_directory(volume()); }
  fs::path volume() const { return directory_.path() / "volume"; }
  static mode_t mode_of(const fs::path& path) {
    struct stat info{};
    return ::lstat(path.c_str(), &info) == 0 ? info.st_mode : 0;
  }
  testkit::TempDir directory_;
};

TEST_F(DoneFile, IsEmptyAndCanBeReadAndTakenAwayByAnybody) {
  const mode_t before = ::umask(0077);
  const Status written = write_done_file(volume(), "uid-1");
  ::umask(before);
  ASSERT_TRUE(written) << written.error().message();
  EXPECT_EQ(mode_of(volume() / ".velero"), S_IFDIR | 0777U);
  EXPECT_EQ(mode_of(volume() / ".velero" / "uid-1"), S_IFREG | 0644U);
  EXPECT_EQ(fs::file_size(volume() / ".velero" / "uid-1"), 0U);
}

TEST_F(DoneFile, WhatABackupBroughtAlongGoes) {
  fs::create_directories(volume() / ".velero" / "deep");
  std::ofstream(volume() / ".velero" / "uid-of-another-restore") << "x";
  ASSERT_TRUE(write_done_file(volume(), "uid-1"));
  EXPECT_EQ(std::distance(fs::directory_iterator(volume() / ".velero"), fs::directory_iterator()), 1);
  ASSERT_TRUE(write_done_file(volume(), "uid-1")) << "again, after a restart";
}

TEST_F(DoneFile, DoesNotFollowALinkOutOfTheVolume) {
  const fs::path precious = directory_.path() / "precious";
  fs::create_directory(precious);
  std::ofstream(precious / "file") << "x";
  fs::create_directory_symlink(precious, volume() / ".velero");
  ASSERT_TRUE(write_done_file(volume(), "uid-1"));
  EXPECT_TRUE(fs::exists(precious / "file"));
  EXPECT_FALSE(fs::exists(precious / "uid-1"));
  EXPECT_EQ(mode_of(volume() / ".velero"), S_IFDIR | 0777U);
}

TEST_F(DoneFile, AFileInThePlaceOfTheFolderGoes) {
  std::ofstream(volume() / ".velero") << "x";
  ASSERT_TRUE(write_done_file(volume(), "uid-1"));
  EXPECT_TRUE(fs::is_regular_file(volume() / ".velero" / "uid-1"));
}

TEST_F(DoneFile, AUidThatLeadsElsewhereIsRefused) {
  for (const char* uid : {"", ".", "..", "../x", "a/b", ".hidden"}) {
    EXPECT_EQ(write_done_file(volume(), uid).error().code(), Code::kInvalid) << uid;
  }
  EXPECT_FALSE(fs::exists(volume() / ".velero"));
}

TEST_F(DoneFile, AMissingVolumeIsAnErrorWithItsPath) {
  const Status written = write_done_file(directory_.path() / "none", "uid-1");
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message(), testing::HasSubstr((directory_.path() / "none").string()));
}

}  // namespace
}  // namespace landfall::agent
