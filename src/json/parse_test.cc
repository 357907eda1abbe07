#include "json/parse.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "json/json.h"

namespace landfall::json {
namespace {

std::string error_of(std::string_view text, const Limits& limits = {}) {
  const auto result = parse(text, limits);
  return result ? "no error" : result.error().message();
}

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(Parse, KeepsIntegersAndDoublesApart) {
  const Json document = parse(R"([1, -1, 9223372036854775807, 1.0, 1e2])").value();
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(document[i].is_number_integer()) << i;
  for (std::size_t i = 3; i < 5; ++i) EXPECT_TRUE(document[i].is_number_float()) << i;
  EXPECT_EQ(document[2].get<std::int64_t>(), INT64_MAX);
}

TEST(Parse, TurnsIntegersBeyondInt64IntoDoublesAsGoDoes) {
  const Json document = parse("[9223372036854775808, -9223372036854775809, 123456789012345678901234567890]").value();
  for (const Json& number : document) EXPECT_TRUE(number.is_number_float()) << number;
  EXPECT_EQ(dump_go(document), "[9223372036854776000,-9223372036854776000,1.2345678901234568e+29]");
}

TEST(Parse, KeepsTheLastOfEqualKeysAsGoDoes) {
  EXPECT_EQ(dump(parse(R"({"a":{"x":1},"a":{"y":2},"b":[1],"b":[]})").value()), R"({"a":{"y":2},"b":[]})");
}

TEST(Parse, NamesTheLineTheColumnAndTheByte) {
  EXPECT_EQ(error_of("{\n  \"a\": nul,\n}"), "line 2, column 11 (byte 13): invalid literal");
  EXPECT_EQ(error_of("{\"ä\": }"), "line 1, column 7 (byte 8): unexpected '}'; expected '[', '{', or a literal");
  EXPECT_EQ(error_of("[1] x"), "line 1, column 5 (byte 5): invalid literal");
  EXPECT_EQ(error_of("[1"), "line 1, column 3 (byte 3): unexpected end of input; expected ']'");
  EXPECT_EQ(error_of("[1e999]"), "line 1, column 6 (byte 6): the number is too large");
}

TEST(Parse, DoesNotRepeatTheContentInItsErrors) {
  EXPECT_EQ(error_of("{\"password\":\"hunter2\n\"}").find("hunter2"), std::string::npos);
  EXPECT_EQ(error_of("[hunter2; expected ]").find("hunter2"), std::string::npos);
}

TEST(Parse, RefusesWhatIsNotStrictJson) {
  for (const std::string_view text :
       {"", " ", "{'a':1}", "[1,]", "{\"a\":1,}", "// x\n1", "NaN", "01", "+1", "1.", ".5", "\"\t\"", "[1][2]",
        "\"\\x\"", "\"\\ud800\"", "nul", "1 2", "\xEF\xBB\xBF{}"}) {
    EXPECT_FALSE(parse(text)) << text;
  }
}

TEST(Parse, RefusesBytesThatAreNotUtf8) {
  EXPECT_EQ(error_of("[\"ab\xff\"]"), "line 1, column 5 (byte 5): ill-formed UTF-8 byte");
  EXPECT_FALSE(parse("\"\xc0\x80\""));      // overlong
  EXPECT_FALSE(parse("\"\xed\xa0\x80\""));  // a surrogate
}

TEST(Parse, RefusesANulByteEvenAfterACompleteDocument) {
  EXPECT_EQ(error_of(std::string_view("{}\0x", 4)), "line 1, column 3 (byte 3): a NUL byte is not allowed in JSON");
}

TEST(Parse, BoundsTheDepthAndSaysWhere) {
  EXPECT_EQ(depth_of(parse(nested(kMaxDepth)).value()), kMaxDepth);
  EXPECT_EQ(error_of("[\"[{\\\"[\",\n" + nested(3), {.max_depth = 3}),
            "line 2, column 3 (byte 13): nested more than 3 levels deep");
  EXPECT_EQ(parse(std::string(10'000'000, '[')).error().code(), Code::kTooLarge);
}

TEST(Parse, BoundsTheSize) {
  EXPECT_TRUE(parse("[1]", {.max_bytes = 3}));
  EXPECT_EQ(parse("[12]", {.max_bytes = 3}).error().code(), Code::kTooLarge);
}

TEST(Parse, LeavesRoomOnTheStackForTheDeepestDocument) {
  const Json deep = parse(nested(kMaxDepth)).value();
  const Json copy = deep;  // NOLINT(performance-unnecessary-copy-initialization): copying is what is tested
  EXPECT_EQ(copy, deep);
  EXPECT_EQ(dump(copy), nested(kMaxDepth));
  EXPECT_EQ(dump_go(copy), nested(kMaxDepth));
}

TEST(DepthOf, CountsTheLongestChain) {
  EXPECT_EQ(depth_of(Json(1)), 0);
  EXPECT_EQ(depth_of(Json::object()), 1);
  EXPECT_EQ(depth_of(Json::parse(R"({"a":[],"b":{"c":[1]},"d":1})")), 3);
}

TEST(Dump, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(dump(Json("a\xff")), "\"a\xEF\xBF\xBD\"");
  EXPECT_EQ(dump_go(Json("a\xff")), R"("a\ufffd")");
}

TEST(Dump, KeepsADoubleADouble) { EXPECT_EQ(dump(Json(1.0)), "1.0"); }

TEST(DumpPretty, IndentsByTwo) {
  EXPECT_EQ(dump_pretty(Json::parse(R"({"b":[1],"a":{}})")), "{\n  \"a\": {},\n  \"b\": [\n    1\n  ]\n}");
}

// The expected texts are what Go 1.26 wrote.
TEST(DumpGo, WritesStringsAsGoDoes) {
  EXPECT_EQ(dump_go(Json("<a href=\"x\">&\xe2\x80\xa8\xe2\x80\xa9\x01\b\f\n\r\t\x1f\x7f\\/é")),
            "\"\\u003ca href=\\\"x\\\"\\u003e\\u0026\\u2028\\u2029\\u0001\\b\\f\\n\\r\\t\\u001f\x7f\\\\/é\"");
}

TEST(DumpGo, WritesNumbersAsGoDoes) {
  EXPECT_EQ(dump_go(Json::parse("[1.0,-0.0,0.1,1e20,1e21,1e-6,1e-7,1.5e-10,123456.789,-2.5e+300,5e-324]")),
            "[1,-0,0.1,100000000000000000000,1e+21,0.000001,1e-7,1.5e-10,123456.789,-2.5e+300,5e-324]");
  EXPECT_EQ(dump_go(Json(UINT64_MAX)), "18446744073709551615");
}

TEST(DumpGo, SortsKeysByByte) {
  EXPECT_EQ(dump_go(Json::parse(R"({"b":1,"a":2,"B":3,"":4,"ä":5,"a.b":6,"a/b":7})")),
            R"({"":4,"B":3,"a":2,"a.b":6,"a/b":7,"b":1,"ä":5})");
}

}  // namespace
}  // namespace landfall::json
