#include "restic/restored_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "testkit/temp_dir.h"

namespace landfall::restic {
namespace {

namespace fs = std::filesystem;

class RestoredFilesTest : public testing::Test {
 protected:
  RestoredFilesTest() { fs::create_directory(volume()); }
  fs::path volume() const { return directory_.path() / "volume"; }
  // The restore begins now. The clock of the file system is coarse: what was written is before, what will be is later.
  RestoredFiles begin() {
    pass();
    fs::create_directory(scratch());
    RestoredFiles files = RestoredFiles::create(volume(), scratch()).value();
    pass();
    return files;
  }
  void write(const std::string& name, std::string_view text) const { std::ofstream(volume() / name) << text; }

  testkit::TempDir directory_;

 private:
  // Until the clock has moved.
  void pass() const {
    const auto now = [&] {
      write("clock", "x");
      struct stat info{};
      ::stat((volume() / "clock").c_str(), &info);
      return std::pair(info.st_ctim.tv_sec, info.st_ctim.tv_nsec);
    };
    const auto before = now();
    while (now() == before) {
    }
  }
  fs::path scratch() const { return directory_.path() / "scratch"; }
};

TEST_F(RestoredFilesTest, CountsDataAndNotWhatIsOnlyAllocated) {
  RestoredFiles files = begin();
  ASSERT_TRUE(files.add("/big", 16 * kMiB));
  const int big = ::open((volume() / "big").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_GE(big, 0);
  if (::fallocate(big, 0, 0, 16 << 20) != 0) {
    ::close(big);
    GTEST_SKIP() << "this file system cannot allocate";
  }
  EXPECT_EQ(files.look(10), ByteCount(0));
  const std::string mebibyte(1 << 20, 'x');
  ASSERT_EQ(::pwrite(big, mebibyte.data(), mebibyte.size(), 8 << 20), 1 << 20);
  EXPECT_EQ(files.look(10), kMiB);
  for (int i = 0; i < 16; ++i) ASSERT_EQ(::pwrite(big, mebibyte.data(), mebibyte.size(), i << 20), 1 << 20);
  ::close(big);
  EXPECT_EQ(files.look(10), 16 * kMiB);
}

TEST_F(RestoredFilesTest, OnlyFilesOfTheSnapshotThatChangedSinceItBeganCount) {
  write("whole before", "12345");
  write("rewritten", "12345");
  RestoredFiles files = begin();
  ASSERT_TRUE(files.add("/whole before", ByteCount(5)));
  ASSERT_TRUE(files.add("/rewritten", ByteCount(5)));
  ASSERT_TRUE(files.add("/not there yet", ByteCount(5)));
  ASSERT_TRUE(files.add("/", ByteCount(5)));
  write("nobody asked for this", "12345");
  EXPECT_EQ(files.look(10), ByteCount(0));
  write("rewritten", "12345");
  EXPECT_EQ(files.look(10), ByteCount(5));
}

TEST_F(RestoredFilesTest, LinksLeadNowhere) {
  RestoredFiles files = begin();
  ASSERT_TRUE(files.add("/link", ByteCount(1'000'000)));
  write("elsewhere", "12345");
  fs::create_symlink("elsewhere", volume() / "link");
  EXPECT_EQ(files.look(10), ByteCount(0));
}

TEST_F(RestoredFilesTest, ManyFilesAreLookedAtAFewAtATime) {
  RestoredFiles files = begin();
  constexpr std::size_t kFiles = 5000;
  for (std::size_t i = 0; i < kFiles; ++i) {
    const std::string name = std::string(i % 100, 'n') + "\n" + std::to_string(i);
    ASSERT_TRUE(files.add("/" + name, ByteCount(3)));
    write(name, "abc");
  }
  EXPECT_EQ(files.look(kFiles / 5), ByteCount(3 * kFiles / 5));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(files.look(kFiles / 5));
  EXPECT_EQ(files.look(kFiles / 5), ByteCount(3 * kFiles));
  // Once more around: nothing counts twice.
  EXPECT_EQ(files.look(kFiles), ByteCount(3 * kFiles));
}

}  // namespace
}  // namespace landfall::restic
