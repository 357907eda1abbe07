#include "modifiers/patch_value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/json.h"

namespace landfall::modifiers {
namespace {

using json::Json;

Json value(std::string_view text) { return patch_value(text).value(); }

TEST(PatchValue, IsJsonWhereItLooksLikeJson) {
  EXPECT_EQ(value("3"), Json(3));
  EXPECT_EQ(value("-1.5e3"), Json(-1500.0));
  EXPECT_EQ(value("null"), Json());
  EXPECT_EQ(value("true"), Json(true));
  EXPECT_EQ(value("False"), Json(false));
  EXPECT_EQ(value(R"({"a": [1]})"), Json({{"a", Json::array({1})}}));
  EXPECT_EQ(value(R"(["a", "b"])"), Json({"a", "b"}));
  const auto broken = patch_value("[ -f /x ]");
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code(), Code::kInvalid);
  EXPECT_THAT(broken.error().message(), testing::HasSubstr("put it in double quotes"));
}

TEST(PatchValue, IsATextOtherwise) {
  EXPECT_EQ(value(""), Json(""));
  EXPECT_EQ(value("nginx:1.27"), Json("nginx:1.27"));
  EXPECT_EQ(value("Null"), Json("Null"));
  EXPECT_EQ(value(" 3"), Json(" 3"));
  EXPECT_EQ(value("0x10"), Json("0x10"));
  EXPECT_EQ(value("1e999"), Json("1e999"));
}

TEST(PatchValue, InQuotesIsATextWithoutThem) {
  EXPECT_EQ(value("\"3\""), Json("3"));
  EXPECT_EQ(value("\"true\""), Json("true"));
  EXPECT_EQ(value("\"\""), Json(""));
  EXPECT_EQ(value("\""), Json(""));
  EXPECT_EQ(value("\"{a}\""), Json("{a}"));
}

TEST(PatchValue, TakesEscapesInATextForWhatTheyStandFor) {
  EXPECT_EQ(value(R"(a\nb)"), Json("a\nb"));
  EXPECT_EQ(value(R"("say \"hi\"")"), Json("say \"hi\""));
  EXPECT_EQ(value(R"(say "hi" now)"), Json(R"(say "hi" now)"));
  EXPECT_EQ(value(R"(C:\data)"), Json(R"(C:\data)"));
}

}  // namespace
}  // namespace landfall::modifiers
