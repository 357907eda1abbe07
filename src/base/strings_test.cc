#include "base/strings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

namespace landfall {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(Split, KeepsEmptyParts) {
  EXPECT_THAT(split("a,b", ','), ElementsAre("a", "b"));
  EXPECT_THAT(split(",a,", ','), ElementsAre("", "a", ""));
  EXPECT_THAT(split("", ','), ElementsAre(""));
}

RC_GTEST_PROP(Split, IsUndoneByJoin, (const std::string& text)) { RC_ASSERT(join(split(text, ','), ",") == text); }

TEST(SplitWords, TakesAnyRunOfWhiteSpace) {
  EXPECT_THAT(split_words(" a\t\nb\u00A0c\u3000 "), ElementsAre("a", "b", "c"));
  EXPECT_THAT(split_words(" \t "), IsEmpty());
}

TEST(SplitWords, KeepsBytesThatAreNotUtf8InTheirWord) {
  EXPECT_THAT(split_words("a\xA0 \xC2"), ElementsAre("a\xA0", "\xC2"));
}

TEST(Trim, TakesWhiteSpaceOffBothEndsOnly) {
  EXPECT_EQ(trim(" \n a b\u2028\t"), "a b");
  EXPECT_EQ(trim("\u3000\u3000"), "");
  EXPECT_EQ(trim("\xA0"
                 "a\x85"),
            "\xA0"
            "a\x85")
      << "half of a character is not white space";
}

RC_GTEST_PROP(Trim, AgreesWithTheWords, (std::string text)) {
  for (char& c : text) {
    c = c % 3 == 0 ? ' ' : c;
  }
  const auto words = split_words(text);
  if (words.empty()) {
    RC_ASSERT(trim(text).empty());
    return;
  }
  RC_ASSERT(trim(text).data() == words.front().data());
  RC_ASSERT(trim(text).data() + trim(text).size() == words.back().data() + words.back().size());
}

TEST(Cut, SplitsAtTheFirstSeparator) {
  EXPECT_THAT(*cut("key=a=b", '='), Pair("key", "a=b"));
  EXPECT_THAT(*cut("=", '='), Pair("", ""));
  EXPECT_EQ(cut("key", '='), std::nullopt);
}

TEST(StripPrefix, LeavesTheRest) {
  EXPECT_EQ(strip_prefix("s3://bucket", "s3://"), "bucket");
  EXPECT_EQ(strip_prefix("s3:", "s3://"), std::nullopt);
}

TEST(StripSuffix, LeavesTheRest) {
  EXPECT_EQ(strip_suffix("backup.tar.gz", ".gz"), "backup.tar");
  EXPECT_EQ(strip_suffix("gz", ".gz"), std::nullopt);
}

TEST(Join, TakesAnyContainerOfStrings) {
  EXPECT_EQ(join(std::set<std::string>{"b", "a"}, ", "), "a, b");
  EXPECT_EQ(join(std::vector<std::string_view>{}, ", "), "");
  EXPECT_EQ(join(std::vector<std::string>{"", ""}, "-"), "-");
}

TEST(ToLower, LeavesWhatIsNotAscii) { EXPECT_EQ(to_lower("Ab-Z[\u00C4"), "ab-z[\u00C4"); }

TEST(ParseInt64, ReadsTheWholeRange) {
  EXPECT_EQ(parse_int64("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(parse_int64("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(parse_int64("+007"), 7);
}

TEST(ParseInt64, RefusesWhatIsNotAWholeNumber) {
  for (const char* text : {"", "+", "-", " 1", "1 ", "1.0", "1e3", "0x1", "--1", "+-1", "a"}) {
    const auto number = parse_int64(text);
    ASSERT_FALSE(number) << text;
    EXPECT_EQ(number.error().code(), Code::kInvalid);
    EXPECT_EQ(number.error().message(), quote(text) + " is not a whole number");
  }
}

TEST(ParseInt64, NamesTheRangeThatANumberIsOutOf) {
  EXPECT_EQ(parse_int64("9223372036854775808").error().message(),
            "\"9223372036854775808\" is out of range: use a number from -9223372036854775808 to 9223372036854775807");
  EXPECT_FALSE(parse_int64("-9223372036854775809"));
}

TEST(ParseUint64, ReadsTheWholeRangeAndNoSign) {
  EXPECT_EQ(parse_uint64("18446744073709551615"), UINT64_MAX);
  EXPECT_FALSE(parse_uint64("18446744073709551616"));
  EXPECT_FALSE(parse_uint64("-1"));
  EXPECT_FALSE(parse_uint64("+1"));
}

RC_GTEST_PROP(ParseInt64, ReadsWhatToStringWrites, (std::int64_t number)) {
  RC_ASSERT(parse_int64(std::to_string(number)) == number);
}

}  // namespace
}  // namespace landfall
