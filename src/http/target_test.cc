#include "http/target.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace landfall::http {
namespace {

TEST(DecodePath, DecodesEachSegmentOnce) {
  EXPECT_EQ(decode_path("/a/b%20c/%25%32%35"), "/a/b c/%25");
  EXPECT_EQ(decode_path("/apis/"), "/apis/");
  EXPECT_EQ(decode_path("/"), "/");
  EXPECT_EQ(decode_path("/system:node/a;b=c/..."), "/system:node/a;b=c/...");
  EXPECT_EQ(decode_path("/%C3%A9"), "/\xc3\xa9");
}

struct BadPath {
  std::string_view path;
  std::string_view why;
};

class DecodePathRefuses : public ::testing::TestWithParam<BadPath> {};

TEST_P(DecodePathRefuses, APathThatTwoReadersCouldTakeDifferently) {
  const Result<std::string> path = decode_path(GetParam().path);
  ASSERT_FALSE(path) << *path;
  EXPECT_EQ(path.error().code(), Code::kInvalid);
  EXPECT_EQ(path.error().message(), GetParam().why);
}

INSTANTIATE_TEST_SUITE_P(
    Http, DecodePathRefuses,
    ::testing::Values(
        BadPath{"/a/../b", "the path has a \"..\" segment"}, BadPath{"/..", "the path has a \"..\" segment"},
        BadPath{"/a/%2e%2E/b", "the path has a \"..\" segment"}, BadPath{"/.%2e/", "the path has a \"..\" segment"},
        BadPath{"/./a", "the path has a \".\" segment"}, BadPath{"/%2e", "the path has a \".\" segment"},
        BadPath{"//", "the path has an empty segment"}, BadPath{"/a//b", "the path has an empty segment"},
        BadPath{"/a//", "the path has an empty segment"},
        BadPath{"/a%2fb", "the path has an encoded slash at offset 2"},
        BadPath{"/a%2Fb", "the path has an encoded slash at offset 2"},
        BadPath{"/a%00", "the path has a control character at offset 2"},
        BadPath{"/a%0d%0ab", "the path has a control character at offset 2"},
        BadPath{"/%7f", "the path has a control character at offset 1"},
        BadPath{"/a\\b", "the path has a backslash at offset 2"},
        BadPath{"/a%5c..", "the path has a backslash at offset 2"},
        BadPath{"/%", "the path has a bad escape at offset 1"}, BadPath{"/%4", "the path has a bad escape at offset 1"},
        BadPath{"/%zz", "the path has a bad escape at offset 1"}, BadPath{"/%c0%af", "the path is not UTF-8"},
        BadPath{"/%ff", "the path is not UTF-8"}, BadPath{"a", "the path must begin with a slash"},
        BadPath{"", "the path must begin with a slash"}));

std::vector<std::string> segments_of(std::string_view path) {
  std::vector<std::string> segments;
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::size_t end = std::min(path.find('/'), path.size());
    segments.emplace_back(path.substr(0, end));
    path.remove_prefix(end);
  }
  return segments;
}

RC_GTEST_PROP(DecodePath, GivesBackWhatWasEncoded, (const std::vector<std::string>& names)) {
  std::string raw;
  std::vector<std::string> meant;
  for (const std::string& name : names) {
    const bool plain = std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c < 0x7f; });
    if (name.empty() || name == "." || name == ".." || !plain || name.find_first_of("/\\") != std::string::npos)
      continue;
    raw += "/" + encode_segment(name);
    meant.push_back(name);
  }
  RC_PRE(!meant.empty());
  const Result<std::string> path = decode_path(raw);
  RC_ASSERT(path.has_value());
  RC_ASSERT(segments_of(*path) == meant);
}

// Bytes that are likely to be trouble.
rc::Gen<std::string> tricky_path() {
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(std::vector<std::string>{
                          "/", ".",   "..",  "%2e",    "%2E",  "%2f", "%5c",   "%00",   "%", "%2",
                          "a", "b c", "%41", "%c3%a9", "\xc3", "\\",  "%252e", "%252f", "?", "\x01"})),
                      [](const std::vector<std::string>& parts) {
                        std::string path = "/";
                        for (const std::string& part : parts) path += part;
                        return path;
                      });
}

RC_GTEST_PROP(DecodePath, NeverLetsATrickThrough, ()) {
  const std::string raw = *tricky_path();
  const Result<std::string> path = decode_path(raw);
  if (!path) return;
  const std::vector<std::string> segments = segments_of(*path);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    RC_ASSERT(segments[i] != ".");
    RC_ASSERT(segments[i] != "..");
    RC_ASSERT(!segments[i].empty() || i + 1 == segments.size());
    RC_ASSERT(segments[i].find('\\') == std::string::npos);
    RC_ASSERT(segments[i].find('\0') == std::string::npos);
  }
  RC_ASSERT(std::count(raw.begin(), raw.end(), '/') == std::count(path->begin(), path->end(), '/'));
}

TEST(ParseTarget, TakesTheOriginFormApart) {
  const Result<Target> target = parse_target("/api/v1/pods?labelSelector=a%3Db&watch&limit=5");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->path, "/api/v1/pods");
  EXPECT_EQ(target->raw_query, "labelSelector=a%3Db&watch&limit=5");
  EXPECT_EQ(target->query.get("labelSelector"), "a=b");
  EXPECT_EQ(target->query.get("watch"), "");
  EXPECT_FALSE(target->query.contains("wat"));
  EXPECT_TRUE(target->authority.empty());
}

TEST(ParseTarget, TakesTheAbsoluteFormApart) {
  const Result<Target> target = parse_target("http://host:81/a%20b?c");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->authority, "host:81");
  EXPECT_EQ(target->raw_path, "/a%20b");
  EXPECT_EQ(target->path, "/a b");
  EXPECT_EQ(parse_target("https://host")->path, "/");
  EXPECT_EQ(parse_target("http://host?q")->path, "/");
}

TEST(ParseTarget, ReadsTheAsterisk) { EXPECT_EQ(parse_target("*")->path, "*"); }

TEST(ParseTarget, RefusesOtherForms) {
  for (const std::string_view text :
       {"", "host:443", "ftp://host/", "http://", "http:///a", "http://me@host/", "/a#b"}) {
    EXPECT_FALSE(parse_target(text)) << text;
  }
}

TEST(Query, KeepsEveryValueOfANameInOrder) {
  const Result<Query> query = Query::parse("a=1&&b=x+y&a=%2B&a");
  ASSERT_TRUE(query);
  EXPECT_EQ(query->all("a"), (std::vector<std::string_view>{"1", "+", ""}));
  EXPECT_EQ(query->get("b"), "x y");
  EXPECT_EQ(query->size(), 4U);
}

TEST(Query, NamesThePlaceOfABadEscape) {
  const Result<Query> query = Query::parse("a=1&b=%g0");
  ASSERT_FALSE(query);
  EXPECT_EQ(query.error().message(), "the query has a bad escape at offset 6");
}

TEST(Query, RefusesMoreParametersThanAnyoneNeeds) {
  std::string raw;
  for (int i = 0; i < 1001; ++i) raw += "a&";
  EXPECT_FALSE(Query::parse(raw));
  raw.resize(raw.size() - 2);
  EXPECT_TRUE(Query::parse(raw));
}

}  // namespace
}  // namespace landfall::http
