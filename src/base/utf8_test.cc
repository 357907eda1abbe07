#include "base/utf8.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace landfall {
namespace {

TEST(Utf8, AcceptsTheFirstAndLastCodePointOfEachLength) {
  for (const char* text :
       {"\x7F", "\u0080", "\u07FF", "\u0800", "\uD7FF", "\uE000", "\uFFFF", "\U00010000", "\U0010FFFF"}) {
    EXPECT_TRUE(is_valid_utf8(text)) << text;
    EXPECT_EQ(first_rune(text).size, std::string_view(text).size());
  }
  EXPECT_EQ(first_rune("\U0001F600!").value, 0x1F600U);
  EXPECT_TRUE(is_valid_utf8(""));
}

TEST(Utf8, RefusesBrokenSequences) {
  for (const char* text : {"\x80", "\xC3", "\xC0\xAF", "\xE0\x80\x80", "\xE2\x82", "\xED\xA0\x80", "\xF0\x80\x80\x80",
                           "\xF4\x90\x80\x80", "\xF8\x88\x80\x80\x80", "\xFF", "a\xE2(\xA1"}) {
    EXPECT_FALSE(is_valid_utf8(text));
  }
}

TEST(Utf8, ReplacesEachStrayByte) { EXPECT_EQ(to_valid_utf8("a\xFF\xE2\x82z\u00E9"), "a\uFFFD\uFFFD\uFFFDz\u00E9"); }

RC_GTEST_PROP(Utf8, TheReplacementIsAlwaysValidAndLeavesValidTextAlone, (const std::string& text)) {
  const std::string valid = to_valid_utf8(text);
  RC_ASSERT(is_valid_utf8(valid));
  RC_ASSERT((valid == text) == is_valid_utf8(text));
}

TEST(Utf8, KnowsWhatCanBeShown) {
  for (const char32_t rune : {U'a', U' ', U'~', U'\u00A1', U'\u0301', U'\u65E5', U'\uFFFD', U'\U0001F600'}) {
    EXPECT_TRUE(is_printable(rune)) << static_cast<std::uint32_t>(rune);
  }
  for (const char32_t rune : {U'\n', U'\x7F', U'\u00A0', U'\u00AD', U'\u200B', U'\u2028', U'\uE000', U'\uFEFF'}) {
    EXPECT_FALSE(is_printable(rune)) << static_cast<std::uint32_t>(rune);
  }
}

}  // namespace
}  // namespace landfall
