#include "cli/flag_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace landfall::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

TEST(ParseList, SplitsAtCommasWithoutQuoting) {
  EXPECT_THAT(parse_list("a,b"), ElementsAre("a", "b"));
  EXPECT_THAT(parse_list("\"a,b\""), ElementsAre("\"a", "b\""));
  EXPECT_THAT(parse_list(""), IsEmpty());
}

TEST(ParseRecord, SplitsAtCommasOutsideOfQuotes) {
  EXPECT_THAT(*parse_record(R"(a,"b,c")"), ElementsAre("a", "b,c"));
  EXPECT_THAT(*parse_record(""), IsEmpty());
  EXPECT_EQ(parse_record("\"a").error().code(), Code::kInvalid);
}

TEST(ParseMap, SplitsAtTheFirstSeparatorOfEachField) {
  EXPECT_THAT(*parse_map("a=1,b=x=y"), ElementsAre(Pair("a", "1"), Pair("b", "x=y")));
  EXPECT_THAT(*parse_map("old:new", ':'), ElementsAre(Pair("old", "new")));
}

TEST(ParseMap, ReadsQuotedFields) {
  EXPECT_THAT(*parse_map(R"("k=a,b",k2=c)"), ElementsAre(Pair("k", "a,b"), Pair("k2", "c")));
  EXPECT_THAT(*parse_map(R"("k=say ""hi""")"), ElementsAre(Pair("k", "say \"hi\"")));
}

TEST(ParseMap, NamesTheFieldThatIsNoPair) {
  EXPECT_EQ(parse_map("a=1,b").error().message(), "\"b\" is not of the form key=value");
  EXPECT_EQ(parse_map("\"a=1").error().code(), Code::kInvalid);
}

TEST(ParseBool, TakesGosSpellings) {
  EXPECT_EQ(parse_bool("T"), true);
  EXPECT_EQ(parse_bool("0"), false);
  EXPECT_FALSE(parse_bool("yes"));
}

}  // namespace
}  // namespace landfall::cli
