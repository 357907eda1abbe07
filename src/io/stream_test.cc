#include "io/stream.h"

#include <gtest/gtest.h>

#include "io/test_support.h"

namespace landfall::io {
namespace {

TEST(ReadAll, ReadsUpToTheLimitAndNotOneByteMore) {
  StepReader fits("12345", 2);
  EXPECT_EQ(read_all(fits, 5), "12345");
  StepReader too_long("123456", 2);
  const auto result = read_all(too_long, 5);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Code::kTooLarge);
  EXPECT_EQ(result.error().message(), "more than 5 bytes");
}

TEST(ReadAll, PassesOnTheErrorOfTheReader) {
  StepReader reader("123456", 2, 4);
  EXPECT_EQ(read_all(reader, 100).error(), Error(Code::kUnavailable, "connection cut"));
}

TEST(Copy, CopiesEverythingAndCountsIt) {
  const std::string text(200'000, 'x');
  StepReader reader(text, 70'000);
  StringWriter writer;
  EXPECT_EQ(copy(reader, writer), text.size());
  EXPECT_EQ(writer.str(), text);
}

TEST(Copy, SaysWhichSideFailed) {
  StepReader broken("123456", 2, 4);
  StringWriter writer;
  EXPECT_EQ(copy(broken, writer).error().message(), "read: connection cut");
  StepReader reader("123456", 2);
  FullWriter full(3);
  EXPECT_EQ(copy(reader, full).error().message(), "write: disk full");
}

TEST(TeeReader, CopiesWhatItHandsOut) {
  StepReader reader("123456", 4);
  StringWriter copied;
  TeeReader tee(reader, copied);
  EXPECT_EQ(read_all(tee, 100), "123456");
  EXPECT_EQ(copied.str(), "123456");
}

TEST(TeeReader, FailsWhenTheCopyDoes) {
  StepReader reader("123456", 4);
  FullWriter full(5);
  TeeReader tee(reader, full);
  EXPECT_EQ(read_all(tee, 100).error().message(), "disk full");
}

}  // namespace
}  // namespace landfall::io
