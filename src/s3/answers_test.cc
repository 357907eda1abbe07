#include "s3/answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rfc3339.h"
#include "s3/checksum.h"
#include "s3/http_date.h"
#include "s3/s3_error.h"

namespace landfall::s3 {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(Answers, ReadAPageOfAListing) {
  const auto page = parse_list(
      "<?xml version=\"1.0\"?><ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
      "<EncodingType>url</EncodingType><IsTruncated>true</IsTruncated><NextContinuationToken>t=&amp;</"
      "NextContinuationToken>"
      "<Contents><Key>a/b+c%2Bd%C3%BC</Key><Size>12</Size></Contents>"
      "<CommonPrefixes><Prefix>a/f+/</Prefix></CommonPrefixes></ListBucketResult>");
  ASSERT_TRUE(page) << page.error().message();
  EXPECT_EQ(page->objects.at(0).key, "a/b c+dü");
  EXPECT_EQ(page->objects.at(0).size, 12);
  EXPECT_EQ(page->folders.at(0), "a/f /");
  EXPECT_EQ(page->next, "t=&");
  // A server that does not know the encoding does not say so, and a plus is a plus.
  EXPECT_EQ(
      parse_list("<ListBucketResult><Contents><Key>a+%41 &lt;</Key></Contents></ListBucketResult>")->objects.at(0).key,
      "a+%41 <");
}

TEST(Answers, RefuseWhatMakesNoSense) {
  for (const char* xml :
       {"", "<html><body>login</body></html>", "<ListBucketResult>", "<ListBucketResult><Contents/></ListBucketResult>",
        "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>", "{\"not\": \"XML\"}"}) {
    const auto page = parse_list(xml);
    ASSERT_FALSE(page) << xml;
    EXPECT_EQ(page.error().code(), Code::kDataLoss);
  }
}

TEST(Answers, DoNotExpandEntitiesNorFollowThem) {
  const auto page = parse_list(
      "<!DOCTYPE r [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;\"><!ENTITY f SYSTEM \"file:///etc/passwd\">]>"
      "<ListBucketResult><Contents><Key>&b;&f;</Key></Contents></ListBucketResult>");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->objects.at(0).key, "&b;&f;");
}

TEST(Answers, SurviveDeepNesting) {
  std::string xml;
  for (int i = 0; i < 500'000; ++i) {
    xml += "<a>";
  }
  EXPECT_FALSE(parse_list(xml));
  EXPECT_FALSE(parse_error_body("<Error>" + xml));
}

io::HttpHead head(int status, io::HttpHeaders headers = {}) {
  return {.status = status, .headers = std::move(headers)};
}

TEST(S3Error, SaysHowFarTheClockIsOff) {
  const auto error = error_from("GET x", head(403, {{"Date", "Mon, 31 Dec 2029 21:00:00 GMT"}}),
                                "<Error><Code>RequestTimeTooSkewed</Code><Message>m</Message></Error>",
                                *parse_rfc3339("2030-01-01T00:00:00Z"), {});
  EXPECT_EQ(error.code(), Code::kUnauthenticated);
  EXPECT_THAT(error.message(), HasSubstr("clock is 3 hours ahead of the server's"));
}

TEST(S3Error, HidesSecretsThatTheServerRepeats) {
  const auto error = error_from("GET x", head(403, {{"x-amz-request-id", "R1"}}),
                                "<Error><Code>AccessDenied</Code><Message>no SECRET and\n no TOKEN</Message></Error>",
                                WallTime(), {"SECRET", "TOKEN"});
  EXPECT_EQ(error.code(), Code::kForbidden);
  EXPECT_THAT(error.message(), AllOf(HasSubstr("AccessDenied"), HasSubstr("R1"), Not(HasSubstr("SECRET")),
                                     Not(HasSubstr("TOKEN")), Not(HasSubstr("\n"))));
}

TEST(S3Error, GoesByTheStatusWhereThereIsNoExplanation) {
  const auto code = [](int status, std::string_view body) {
    return error_from("x", head(status), body, {}, {}).code();
  };
  EXPECT_EQ(code(403, ""), Code::kForbidden);
  EXPECT_EQ(code(502, "<html>bad gateway</html>"), Code::kUnavailable);
  EXPECT_EQ(code(429, ""), Code::kThrottled);
  EXPECT_EQ(code(503, "<Error><Code>SlowDown</Code></Error>"), Code::kThrottled);
  EXPECT_EQ(code(400, "<Error><Code>RequestTimeout</Code></Error>"), Code::kUnavailable);
  EXPECT_EQ(code(400, "<Error><Code>EntityTooLarge</Code></Error>"), Code::kTooLarge);
}

TEST(HttpDate, ReadsTheFormThatServersWrite) {
  EXPECT_EQ(*parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT"), *parse_rfc3339("1994-11-06T08:49:37Z"));
  EXPECT_FALSE(parse_http_date("Sun, 06 Xxx 1994 08:49:37 GMT"));
  EXPECT_FALSE(parse_http_date(""));
}

TEST(Checksum, GivesTheKnownValues) {
  const std::string text = "123456789";
  EXPECT_EQ(checksum(ChecksumAlgorithm::kCrc32, text), "y/Q5Jg==");   // cbf43926
  EXPECT_EQ(checksum(ChecksumAlgorithm::kCrc32c, text), "4waSgw==");  // e3069283
  EXPECT_EQ(checksum(ChecksumAlgorithm::kSha1, ""), "2jmj7l5rSw0yVb/vlWAYkK/YBwk=");
  EXPECT_EQ(checksum(ChecksumAlgorithm::kSha256, ""), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
  EXPECT_EQ(md5_base64(""), "1B2M2Y8AsgTpgAmY7PhCfg==");
  Checksum pieces(ChecksumAlgorithm::kCrc32c);
  pieces.update("1234567");
  pieces.update("89");
  EXPECT_EQ(pieces.finish(), "4waSgw==");
}

}  // namespace
}  // namespace landfall::s3
