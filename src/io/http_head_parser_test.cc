#include "io/http_head_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace landfall::io {
namespace {

using ::testing::ElementsAre;

TEST(HttpHeadParser, CollectsFieldsUntilTheEmptyLine) {
  HttpHeadParser parser(1000, 10);
  for (const char* line : {"HTTP/1.1 200 OK\r\n", "Content-Type:  text/plain \r\n", "Warning: a\r\n", "warning:b\n"}) {
    ASSERT_TRUE(parser.add(line)) << line;
  }
  EXPECT_FALSE(parser.at_end_of_head());
  ASSERT_TRUE(parser.add("\r\n"));
  EXPECT_TRUE(parser.at_end_of_head());
  EXPECT_EQ(parser.headers().get("content-type"), "text/plain");
  EXPECT_THAT(parser.headers().get_all("WARNING"), ElementsAre("a", "b"));
}

TEST(HttpHeadParser, ForgetsAnInterimResponse) {
  HttpHeadParser parser(1000, 10);
  for (const char* line : {"HTTP/1.1 103 Early Hints\r\n", "Link: x\r\n", "\r\n", "HTTP/1.1 200 OK\r\n", "A: b\r\n"}) {
    ASSERT_TRUE(parser.add(line)) << line;
  }
  EXPECT_FALSE(parser.at_end_of_head());
  EXPECT_FALSE(parser.headers().has("link"));
  EXPECT_TRUE(parser.headers().has("a"));
}

TEST(HttpHeadParser, KeepsTrailersApart) {
  HttpHeadParser parser(1000, 10);
  ASSERT_TRUE(parser.add("HTTP/1.1 200 OK\r\n"));
  ASSERT_TRUE(parser.add("\r\n"));
  parser.begin_trailers();
  ASSERT_TRUE(parser.add("Checksum: 42\r\n"));
  EXPECT_FALSE(parser.headers().has("checksum"));
  EXPECT_EQ(parser.trailers().get("checksum"), "42");
}

TEST(HttpHeadParser, JoinsAFoldedLine) {
  HttpHeadParser parser(1000, 10);
  for (const char* line : {"HTTP/1.1 200 OK\r\n", "A: one\r\n", "\t two\r\n"}) {
    ASSERT_TRUE(parser.add(line)) << line;
  }
  EXPECT_EQ(parser.headers().get("a"), "one two");
}

TEST(HttpHeadParser, StopsAtItsLimitsEvenOverManyInterimResponses) {
  HttpHeadParser by_size(100, 1000);
  ASSERT_TRUE(by_size.add("HTTP/1.1 200 OK\r\n"));
  EXPECT_EQ(by_size.add("A: " + std::string(100, 'x')).error().code(), Code::kTooLarge);

  HttpHeadParser by_count(100000, 5);
  Status last;
  for (int i = 0; i < 10 && last; ++i) {
    ASSERT_TRUE(by_count.add("HTTP/1.1 100 Continue\r\n"));
    last = by_count.add("A: b\r\n");
    ASSERT_TRUE(by_count.add("\r\n"));
  }
  ASSERT_FALSE(last);
  EXPECT_EQ(last.error().code(), Code::kTooLarge);
}

TEST(HttpHeadParser, RefusesWhatIsNoHeader) {
  for (const char* line : {"no colon\r\n", ": no name\r\n", "a b: c\r\n", " folded: first\r\n", "A: b\x01\r\n"}) {
    HttpHeadParser parser(1000, 10);
    ASSERT_TRUE(parser.add("HTTP/1.1 200 OK\r\n"));
    const Status added = parser.add(line);
    ASSERT_FALSE(added) << line;
    EXPECT_EQ(added.error().code(), Code::kDataLoss);
  }
}

}  // namespace
}  // namespace landfall::io
