#include "io/spool_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <filesystem>

#include "io/test_support.h"

namespace landfall::io {
namespace {

TEST(SpoolFile, HasNoNameAndIsReadAtOffsets) {
  const TempDir directory = make_temp_dir();
  auto spool = SpoolFile::create(directory.path());
  ASSERT_TRUE(spool) << spool.error().message();
  EXPECT_TRUE(std::filesystem::is_empty(directory.path()));
  ASSERT_TRUE(spool->write("0123456789"));
  ASSERT_TRUE(spool->write("abcdef"));
  ASSERT_TRUE(spool->close());
  EXPECT_EQ(spool->size(), 16U);

  std::array<char, 4> buffer{};
  ASSERT_TRUE(spool->read_at(8, buffer));
  EXPECT_EQ(std::string_view(buffer.data(), 4), "89ab");
  SpoolReader reader = spool->reader(10, 6);
  EXPECT_EQ(read_all(reader, 100), "abcdef");
}

TEST(SpoolFile, RefusesToReadPastItsEnd) {
  auto spool = SpoolFile::create(testing::TempDir());
  ASSERT_TRUE(spool->write("0123"));
  ASSERT_TRUE(spool->close());
  std::array<char, 4> buffer{};
  const Status status = spool->read_at(1, buffer);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), Code::kInvalid);
  EXPECT_EQ(spool->read_at(UINT64_MAX, buffer).error().code(), Code::kInvalid);
  EXPECT_TRUE(spool->read_at(0, buffer));
}

TEST(SpoolFile, IsNotWrittenAfterClose) {
  auto spool = SpoolFile::create(testing::TempDir());
  ASSERT_TRUE(spool->close());
  EXPECT_FALSE(spool->write("x"));
}

TEST(SpoolFile, AFailedWriteIsNotForgotten) {
  const FileSizeLimit limit(10'000);
  auto spool = SpoolFile::create(testing::TempDir());
  ASSERT_TRUE(spool->write(std::string(9'000, 'x')));
  const Status status = spool->write(std::string(9'000, 'x'));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message(), "temporary file: write: File too large");
  EXPECT_FALSE(spool->write("x"));
  EXPECT_FALSE(spool->close());
}

TEST(SpoolFile, SaysWhereItCouldNotBeMade) {
  const auto spool = SpoolFile::create("/no/such");
  ASSERT_FALSE(spool);
  EXPECT_EQ(spool.error().message(), "create a temporary file in /no/such: No such file or directory");
}

}  // namespace
}  // namespace landfall::io
