#include "base/quote.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/utf8.h"

namespace landfall {
namespace {

std::string json(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

TEST(Quote, WritesWhatGoWrites) {
  EXPECT_EQ(quote("plain text"), R"("plain text")");
  EXPECT_EQ(quote("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(quote("\a\b\f\n\r\t\v"), R"("\a\b\f\n\r\t\v")");
  EXPECT_EQ(quote(std::string_view("\0\x1F\x7F", 3)), R"("\x00\x1f\x7f")");
  EXPECT_EQ(quote("caf\u00E9 \u65E5\u672C \U0001F600"), "\"caf\u00E9 \u65E5\u672C \U0001F600\"");
  EXPECT_EQ(quote("\u00A0\u200B\U0010FFFF"), R"("\u00a0\u200b\U0010ffff")");
  EXPECT_EQ(quote("\xFF\xC3"), R"("\xff\xc3")");
}

TEST(Quote, TellsAReplacementCharacterFromABrokenByte) { EXPECT_EQ(quote("\uFFFD\xFF"), "\"\uFFFD\\xff\""); }

TEST(JsonString, WritesWhatGosEncoderWrites) {
  EXPECT_EQ(json("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(json("\b\f\n\r\t"), R"("\b\f\n\r\t")");
  EXPECT_EQ(json("\a\v\x1F\x7F"), "\"\\u0007\\u000b\\u001f\x7F\"");
  EXPECT_EQ(json("<a> & b"), R"("\u003ca\u003e \u0026 b")");
  EXPECT_EQ(json("\u2028\u2029"), R"("\u2028\u2029")");
  EXPECT_EQ(json("\xFF\u00E9"), "\"\\ufffd\u00E9\"");
}

RC_GTEST_PROP(Quote, IsOneLineOfValidUtf8, (const std::string& text)) {
  const std::string quoted = quote(text);
  RC_ASSERT(is_valid_utf8(quoted));
  RC_ASSERT(quoted.find('\n') == std::string::npos);
}

RC_GTEST_PROP(JsonString, IsAlwaysValidUtf8WithoutControlCharacters, (const std::string& text)) {
  const std::string quoted = json(text);
  RC_ASSERT(is_valid_utf8(quoted));
  for (const char c : quoted) {
    RC_ASSERT(static_cast<unsigned char>(c) >= 0x20);
  }
}

}  // namespace
}  // namespace landfall
