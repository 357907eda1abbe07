#include "io/url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace landfall::io {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Url, IsTakenApart) {
  const Result<Url> url = parse_url("HTTPS://user:p%40ss@Api.Example.com:6443/a/b%2Fc?x=1&y=%20#end");
  ASSERT_TRUE(url) << url.error().message();
  EXPECT_EQ(url->scheme, "https");
  EXPECT_EQ(url->userinfo, "user:p%40ss");
  EXPECT_EQ(url->host, "api.example.com");
  EXPECT_EQ(url->port, 6443);
  EXPECT_EQ(url->path, "/a/b%2Fc");
  EXPECT_EQ(url->query, "x=1&y=%20");
  EXPECT_EQ(url->fragment, "end");
}

TEST(Url, TellsAnEmptyQueryFromNone) {
  EXPECT_EQ(parse_url("http://h/p?")->query, "");
  EXPECT_EQ(parse_url("http://h/p")->query, std::nullopt);
  EXPECT_EQ(to_string(*parse_url("http://h/p?")), "http://h/p?");
}

TEST(Url, KeepsThePathAsItIsWritten) {
  EXPECT_EQ(parse_url("http://h//a/../b/./c")->path, "//a/../b/./c");
  EXPECT_EQ(parse_url("http://h?q")->path, "");
}

TEST(Url, PutsBracketsAroundAnIpv6Address) {
  const Result<Url> url = parse_url("https://[FD00::1]:6443/x");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->host, "fd00::1");
  EXPECT_EQ(to_string(*url), "https://[fd00::1]:6443/x");
  EXPECT_EQ(authority(*url), "[fd00::1]:6443");
}

TEST(Url, LeavesTheUsualPortOutOfTheHostHeader) {
  EXPECT_EQ(authority(*parse_url("https://h:443/")), "h");
  EXPECT_EQ(authority(*parse_url("http://h:443/")), "h:443");
  EXPECT_EQ(authority(*parse_url("http://h/")), "h");
  EXPECT_EQ(effective_port(*parse_url("socks5://h")), 1080);
  EXPECT_EQ(effective_port(*parse_url("https://h:8443")), 8443);
}

TEST(Url, RefusesWhatCouldMeanTwoThings) {
  for (const char* text : {"",
                           "h",
                           "/path",
                           "http:",
                           "http:/h",
                           "http://",
                           "http:///path",
                           "http://:80/",
                           "://h",
                           "1http://h",
                           "http://h:0/",
                           "http://h:65536/",
                           "http://h:8a/",
                           "http://h:+1/",
                           "http://[::1/",
                           "http://[::1]x/",
                           "http://[h]/",
                           "http://::1/",
                           "http://a b/",
                           "http://h/a b",
                           "http://h/\r\nX: y",
                           "http://h/%",
                           "http://h/%2",
                           "http://h/%zz",
                           "http://h\\@x/",
                           "http://ex%61mple.com/",
                           "http://.h/",
                           "http://h/\x80",
                           "http://h/{x}",
                           "http://[fe80::1%25eth0]/"}) {
    const Result<Url> url = parse_url(text);
    EXPECT_FALSE(url) << text;
    if (!url) {
      EXPECT_EQ(url.error().code(), Code::kInvalid);
    }
  }
}

TEST(Url, SaysWhereItIsWrongButNotWhatStandsThere) {
  const Result<Url> url = parse_url("https://u:secret@h/a b?token=secret");
  ASSERT_FALSE(url);
  EXPECT_THAT(url.error().message(), HasSubstr("offset 20"));
  EXPECT_THAT(url.error().message(), Not(HasSubstr("secret")));
}

TEST(Url, ShowsNoSecretsInLogs) {
  EXPECT_EQ(redact_url("https://user:pass@h:9000/bucket/key?X-Amz-Signature=abc#f"), "https://h:9000/bucket/key");
  EXPECT_EQ(redact_url("not a url with secrets"), "(not a URL)");
}

// The table that Amazon's signature rules give: everything but the unreserved characters, in upper case.
TEST(PercentEncode, FollowsTheRulesOfASignature) {
  EXPECT_EQ(percent_encode("AZaz09-._~"), "AZaz09-._~");
  EXPECT_EQ(percent_encode(" /+=&?#%*'()!:@,;$"), "%20%2F%2B%3D%26%3F%23%25%2A%27%28%29%21%3A%40%2C%3B%24");
  EXPECT_EQ(percent_encode("\xc3\xa4\n"), "%C3%A4%0A");
  EXPECT_EQ(percent_encode_path("a b/c+d//e"), "a%20b/c%2Bd//e");
}

TEST(PercentDecode, RefusesHalfAnEscape) {
  EXPECT_EQ(percent_decode("a%2fb+c").value(), "a/b+c");
  for (const char* text : {"%", "a%1", "%g0", "%0g"}) {
    EXPECT_FALSE(percent_decode(text)) << text;
  }
}

TEST(BuildQuery, EncodesNamesAndValues) {
  EXPECT_EQ(build_query({{"labelSelector", "app in (a,b)"}, {"watch", ""}, {"a&b", "c=d"}}),
            "labelSelector=app%20in%20%28a%2Cb%29&watch=&a%26b=c%3Dd");
  EXPECT_EQ(build_query({}), "");
}

TEST(JoinPath, PutsOneSlashBetween) {
  EXPECT_EQ(join_path("/api/", "/v1"), "/api/v1");
  EXPECT_EQ(join_path("/api", "v1/"), "/api/v1/");
  EXPECT_EQ(join_path("", "/v1"), "/v1");
  EXPECT_EQ(join_path("/api/", ""), "/api/");
  EXPECT_EQ(join_path("/", "/"), "/");
}

RC_GTEST_PROP(PercentEncode, IsUndoneByDecoding, (const std::string& bytes)) {
  RC_ASSERT(percent_decode(percent_encode(bytes)).value() == bytes);
  RC_ASSERT(percent_decode(percent_encode_path(bytes)).value() == bytes);
}

RC_GTEST_PROP(Url, OfAnyEncodedPathAndQueryIsReadBack, (const std::string& path, const std::string& query)) {
  const Url url{.scheme = "https",
                .host = "h.example",
                .port = 8443,
                .path = "/" + percent_encode_path(path),
                .query = build_query({{query, path}})};
  RC_ASSERT(parse_url(to_string(url)).value() == url);
}

}  // namespace
}  // namespace landfall::io
