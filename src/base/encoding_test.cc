#include "base/encoding.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace landfall {
namespace {

TEST(Hex, WritesLowerAndReadsBothCases) {
  EXPECT_EQ(hex_encode("\x0F\xA9"), "0fa9");
  EXPECT_EQ(hex_decode("0fA9"), "\x0F\xA9");
}

TEST(Hex, RefusesStrayCharactersAndHalfBytes) {
  EXPECT_EQ(hex_decode("0g").error().message(), "not hexadecimal: unexpected character at offset 1");
  EXPECT_FALSE(hex_decode("abc"));
}

TEST(Base64, MatchesThePublishedExamples) {
  const std::vector<std::pair<std::string, std::string>> examples = {{"", ""},
                                                                     {"f", "Zg=="},
                                                                     {"fo", "Zm8="},
                                                                     {"foo", "Zm9v"},
                                                                     {"foob", "Zm9vYg=="},
                                                                     {"fooba", "Zm9vYmE="},
                                                                     {"foobar", "Zm9vYmFy"},
                                                                     {"\xFB\xFF\xFE", "+//+"}};
  for (const auto& [bytes, text] : examples) {
    EXPECT_EQ(base64_encode(bytes), text);
    EXPECT_EQ(base64_decode(text), bytes);
  }
}

TEST(Base64, IsStrict) {
  for (const char* text : {"Zg", "Zg=", "Zg===", "Z===", "====", "=", "Zm9v\n", "Zm9v\r\n\r\n", "Zm 9",
                           "Zg==Zg==", "Zm9=v", "-__-", "Zh==", "Zm9="}) {
    const auto bytes = base64_decode(text);
    ASSERT_FALSE(bytes) << text;
    EXPECT_EQ(bytes.error().code(), Code::kInvalid);
  }
}

TEST(Base64, NamesThePlaceButNotTheSecret) {
  EXPECT_EQ(base64_decode("c2Vj!mV0").error().message(), "not base64: unexpected character at offset 4");
}

TEST(Base64Url, HasItsOwnAlphabetAndNoPadding) {
  EXPECT_EQ(base64url_encode("\xFB\xFF\xFE\xFF"), "-__-_w");
  EXPECT_EQ(base64url_decode("-__-_w"), "\xFB\xFF\xFE\xFF");
  EXPECT_FALSE(base64url_decode("Zg=="));
  EXPECT_FALSE(base64url_decode("+//+"));
  EXPECT_FALSE(base64url_decode("Z"));
}

RC_GTEST_PROP(Encoding, EveryCodeReadsBackWhatItWrites, (const std::string& bytes)) {
  RC_ASSERT(hex_decode(hex_encode(bytes)) == bytes);
  RC_ASSERT(base64_decode(base64_encode(bytes)) == bytes);
  RC_ASSERT(base64url_decode(base64url_encode(bytes)) == bytes);
}

RC_GTEST_PROP(Encoding, ThereIsOneTextForEachBytes, (const std::string& text)) {
  const auto bytes = base64_decode(text);
  if (bytes) {
    RC_ASSERT(base64_encode(*bytes) == text);
  }
}

}  // namespace
}  // namespace landfall
