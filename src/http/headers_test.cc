#include "http/headers.h"

#include <gtest/gtest.h>

namespace landfall::http {
namespace {

TEST(Headers, FindNamesWithoutRegardToCase) {
  const Headers headers{{"Content-Type", "text/plain"}};
  EXPECT_EQ(headers.get("content-TYPE"), "text/plain");
  EXPECT_FALSE(headers.contains("Content-Typ"));
}

TEST(Headers, KeepEveryValueOfAName) {
  Headers headers{{"Accept", "a"}, {"Host", "h"}, {"accept", "b"}};
  EXPECT_EQ(headers.all("ACCEPT"), (std::vector<std::string_view>{"a", "b"}));
  EXPECT_EQ(headers.get("accept"), "a");
}

TEST(Headers, ReplaceAllValuesOfAName) {
  Headers headers{{"Accept", "a"}, {"Host", "h"}, {"accept", "b"}};
  headers.set("Accept", "c");
  EXPECT_EQ(headers, (Headers{{"Host", "h"}, {"Accept", "c"}}));
}

TEST(Headers, FindAWordInAList) {
  const Headers headers{{"Connection", "keep-alive,\t Close "}, {"Connection", "upgrade"}};
  EXPECT_TRUE(headers.has_word("connection", "close"));
  EXPECT_TRUE(headers.has_word("connection", "Upgrade"));
  EXPECT_FALSE(headers.has_word("connection", "keep"));
}

TEST(FieldValue, RefusesWhatCouldEndTheLine) {
  EXPECT_TRUE(is_field_value("plain, \t \xc3\xa9"));
  EXPECT_FALSE(is_field_value("a\r\nSet-Cookie: b"));
  EXPECT_FALSE(is_field_value("a\nb"));
  EXPECT_FALSE(is_field_value(std::string_view("a\0b", 3)));
  EXPECT_FALSE(is_field_value("a\x7f"));
}

TEST(Token, RefusesSeparatorsAndNothing) {
  EXPECT_TRUE(is_token("X-Trace_1.2~"));
  EXPECT_FALSE(is_token(""));
  EXPECT_FALSE(is_token("X Trace"));
  EXPECT_FALSE(is_token("X:"));
  EXPECT_FALSE(is_token("\xc3\xa9"));
}

}  // namespace
}  // namespace landfall::http
