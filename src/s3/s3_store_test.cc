#include "s3/s3_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/manual_clock.h"
#include "base/rfc3339.h"
#include "s3/answers.h"
#include "s3/checksum.h"
#include "s3/test_support.h"
#include "testkit/temp_dir.h"

namespace landfall::s3 {
namespace {

using extension::BytesSource;
using extension::ObjectInfo;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testkit::reply;
using testkit::ScriptedConnection;
using testkit::ScriptedRequest;
using testkit::ScriptedServer;

Result<std::string> get_all(S3Store& store, const std::string& key) {
  TRY_ASSIGN(const std::unique_ptr<io::Reader> reader, "", store.get(key, {}));
  return io::read_all(*reader, 1UL << 20U);
}

TEST(S3Store, PutsASmallObjectInOneSignedRequest) {
  ScriptedServer server(in_turn({reply(200)}));
  const auto store = open_at(server.url(), {{"serverSideEncryption", "AES256"}, {"tagging", "a=1&b=2"}});
  ASSERT_TRUE(store->put("backups/ä b", BytesSource("hello"), {}, {}));
  const ScriptedRequest request = server.requests().at(0);
  EXPECT_EQ(request.method + " " + request.target, "PUT /bkt/backups/%C3%A4%20b");
  EXPECT_EQ(request.body, "hello");
  EXPECT_EQ(request.header("x-amz-checksum-crc32"), checksum(ChecksumAlgorithm::kCrc32, "hello"));
  EXPECT_EQ(request.header("x-amz-server-side-encryption"), "AES256");
  EXPECT_EQ(request.header("x-amz-tagging"), "a=1&b=2");
  EXPECT_EQ(request.header("x-amz-security-token"), kPlantedToken);
  EXPECT_EQ(request.header("x-amz-content-sha256"), "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824")
      << "over http the body is signed";
}

TEST(S3Store, TellsWhatTheServerSaid) {
  ScriptedServer server(in_turn({s3_error(403, "AccessDenied", "not for you")}));
  const auto error = open_at(server.url())->get("a/b", {}).error();
  EXPECT_EQ(error.code(), Code::kForbidden);
  EXPECT_THAT(error.message(), AllOf(HasSubstr("\"bkt\""), HasSubstr("\"a/b\""), HasSubstr("AccessDenied"),
                                     HasSubstr("not for you"), HasSubstr("REQ1")));
}

TEST(S3Store, ShowsNoSecretWhateverTheServerRepeats) {
  ScriptedServer server(ScriptedServer::answering([](const ScriptedRequest& request) {
    return s3_error(403, "SignatureDoesNotMatch",
                    std::string(kPlantedId) + " " + kPlantedSecret + " " + kPlantedToken + " " +
                        request.header("authorization").substr(request.header("authorization").size() - 64));
  }));
  const auto store = open_at(server.url());
  const auto error = store->get("a", {}).error();
  EXPECT_EQ(error.code(), Code::kUnauthenticated);
  expect_no_secret(error.message());
  const std::string authorization = server.requests().at(0).header("authorization");
  EXPECT_THAT(error.message(), testing::Not(HasSubstr(authorization.substr(authorization.size() - 64))));
  expect_no_secret(store->exists("a", {}).error().message());
  expect_no_secret(store->put("a", BytesSource("x"), {}, {}).error().message());
  expect_no_secret(open_at("http://127.0.0.1:1")->get("a", {}).error().message());
}

TEST(S3Store, TellsAMissingObjectFromAMissingBucket) {
  ScriptedServer server(in_turn({s3_error(404, "NoSuchKey"), s3_error(404, "NoSuchKey"), s3_error(404, "NoSuchBucket"),
                                 s3_error(404, "NoSuchBucket"), s3_error(416, "InvalidRange"), reply(206, "x")}));
  const auto store = open_at(server.url());
  EXPECT_EQ(store->get("k", {}).error().code(), Code::kNotFound);
  EXPECT_FALSE(*store->exists("k", {}));
  EXPECT_EQ(store->exists("k", {}).error().code(), Code::kNotFound);
  EXPECT_THAT(store->get("k", {}).error().message(), HasSubstr("NoSuchBucket"));
  EXPECT_TRUE(*store->exists("k", {})) << "an empty object has no first byte";
  EXPECT_TRUE(*store->exists("k", {}));
}

TEST(S3Store, TriesAgainWhatMayPass) {
  ScriptedServer server(
      in_turn({s3_error(500, "InternalError"), s3_error(503, "SlowDown"), reply(502, "<html>"), reply(200)}));
  ASSERT_TRUE(open_at(server.url())->put("k", BytesSource("hello"), {}, {}));
  for (const ScriptedRequest& request : server.requests()) {
    EXPECT_EQ(request.body, "hello");
  }
  EXPECT_EQ(server.requests().size(), 4);
}

TEST(S3Store, GivesUpAfterAWhile) {
  ScriptedServer server(in_turn({s3_error(503, "SlowDown")}));
  EXPECT_EQ(open_at(server.url())->put("k", BytesSource("x"), {}, {}).error().code(), Code::kThrottled);
  EXPECT_EQ(server.requests().size(), 4);
  ScriptedServer patient(in_turn({s3_error(503, "SlowDown", "", {{"Retry-After", "3000"}})}));
  EXPECT_EQ(open_at(patient.url())->put("k", BytesSource("x"), {}, {}).error().code(), Code::kThrottled);
  EXPECT_EQ(patient.requests().size(), 1) << "nobody waits for fifty minutes";
}

TEST(S3Store, GivesUpOnASilentServer) {
  ScriptedServer server([](ScriptedConnection& c) { c.hold(); });
  S3Options options = quick_options();
  options.tuning.idle_timeout = std::chrono::milliseconds(50);
  options.tuning.max_attempts = 2;
  EXPECT_EQ(open_at(server.url(), {}, options)->exists("k", {}).error().code(), Code::kTimeout);
}

TEST(S3Store, SaysThatTheClockIsWrong) {
  ManualClock clock;
  ScriptedServer server(in_turn({s3_error(403, "RequestTimeTooSkewed", "The difference is too large.",
                                          {{"Date", "Tue, 01 Jan 2030 00:20:00 GMT"}})}));
  const auto store = open_at(server.url(), {}, quick_options(), planted_environment(), clock);
  const auto error = store->list("", [](const ObjectInfo&) { return Status(); }, {}).error();
  EXPECT_EQ(error.code(), Code::kUnauthenticated);
  EXPECT_THAT(error.message(), HasSubstr("this machine's clock is 20 minutes behind the server's"));
}

TEST(S3Store, DoesNotFollowARedirectToAnotherHost) {
  ScriptedServer stranger(in_turn({reply(200, "stolen")}));
  for (const int status : {301, 302, 307}) {
    ScriptedServer server(in_turn({reply(status, "", {{"Location", stranger.url("/bkt/k?X=secret")}})}));
    const auto error = open_at(server.url())->get("k", {}).error();
    EXPECT_THAT(error.message(),
                AllOf(HasSubstr(stranger.url("/bkt/k")), HasSubstr("s3Url"), testing::Not(HasSubstr("X=secret"))));
    EXPECT_EQ(server.requests().size(), 1);
  }
  EXPECT_EQ(stranger.connections(), 0);
}

TEST(S3Store, SignsForTheRegionThatTheServerNames) {
  ScriptedServer server(in_turn({reply(400,
                                       "<Error><Code>AuthorizationHeaderMalformed</Code><Message>m</Message>"
                                       "<Region>eu-west-7</Region></Error>"),
                                 reply(200, "x"), reply(200, "x")}));
  const auto store = open_at(server.url());
  EXPECT_EQ(*get_all(*store, "k"), "x");
  EXPECT_EQ(*get_all(*store, "k"), "x");
  EXPECT_THAT(server.requests().at(0).header("authorization"), HasSubstr("/us-east-1/s3/"));
  EXPECT_THAT(server.requests().at(2).header("authorization"), HasSubstr("/eu-west-7/s3/"));
  ScriptedServer stubborn(in_turn({s3_error(301, "PermanentRedirect", "m", {{"x-amz-bucket-region", "eu-west-7"}})}));
  EXPECT_FALSE(open_at(stubborn.url())->get("k", {}));
  EXPECT_EQ(stubborn.requests().size(), 2) << "once, not for ever";
}

TEST(S3Store, TakesNewCredentialsWhenATokenHasExpired) {
  const testkit::TempDir dir;
  const std::string path =
      dir.write("c", "[default]\naws_access_key_id=OLD\naws_secret_access_key=s\naws_session_token=t\n");
  ScriptedServer server(ScriptedServer::answering([&](const ScriptedRequest& request) {
    if (request.header("authorization").find("OLD/") == std::string::npos) {
      return reply(200, "x");
    }
    dir.write("c", "[default]\naws_access_key_id=NEW\naws_secret_access_key=s\n");
    return s3_error(400, "ExpiredToken");
  }));
  EXPECT_EQ(*get_all(*open_at(server.url(), {{"credentialsFile", path}}), "k"), "x");

  ScriptedServer expired(in_turn({s3_error(400, "ExpiredToken")}));
  const auto error = open_at(expired.url())->get("k", {}).error();
  EXPECT_EQ(error.code(), Code::kUnauthenticated);
  EXPECT_THAT(error.message(), HasSubstr("renew the credentials"));
  EXPECT_EQ(expired.requests().size(), 1) << "the same again is of no use";
}

// Serves "0123456789" from where the Range says, four bytes at a time before it cuts.
std::string cut_answer(const ScriptedRequest& request) {
  const std::string all = "0123456789";
  const std::string range = request.header("range");
  const std::size_t from = range.empty() ? 0 : std::stoul(range.substr(6));
  const std::string rest = all.substr(from);
  std::string head = range.empty()
                         ? "HTTP/1.1 200 OK\r\n"
                         : "HTTP/1.1 206 Partial\r\nContent-Range: bytes " + std::to_string(from) + "-9/10\r\n";
  return head + "ETag: \"v1\"\r\nx-amz-checksum-crc32: " + checksum(ChecksumAlgorithm::kCrc32, all) +
         "\r\nContent-Length: " + std::to_string(rest.size()) + "\r\n\r\n" + rest.substr(0, 4);
}

TEST(S3Store, GoesOnWithADownloadThatWasCut) {
  ScriptedServer server([](ScriptedConnection& c) {
    if (const auto request = c.read_request()) {
      c.send(cut_answer(*request));
    }
  });
  const auto bytes = get_all(*open_at(server.url()), "k");
  ASSERT_TRUE(bytes) << bytes.error().message();
  EXPECT_EQ(*bytes, "0123456789");
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), 3);
  EXPECT_EQ(requests[2].header("range"), "bytes=8-");
  EXPECT_EQ(requests[2].header("if-match"), "\"v1\"");
}

TEST(S3Store, DoesNotMixTwoObjectsInADownload) {
  ScriptedServer server([](ScriptedConnection& c) {
    if (const auto request = c.read_request()) {
      c.send(request->has_header("range") ? s3_error(412, "PreconditionFailed") : cut_answer(*request));
    }
  });
  EXPECT_EQ(get_all(*open_at(server.url()), "k").error().code(), Code::kConflict);
}

TEST(S3Store, HoldsADownloadAgainstItsChecksum) {
  ScriptedServer server(in_turn({reply(200, "flipped", {{"x-amz-checksum-crc32", "AAAAAA=="}}),
                                 reply(200, "parts", {{"x-amz-checksum-crc32", "AAAAAA==-2"}})}));
  const auto store = open_at(server.url());
  EXPECT_EQ(get_all(*store, "k").error().code(), Code::kDataLoss);
  EXPECT_EQ(*get_all(*store, "k"), "parts");
  EXPECT_EQ(server.requests().at(0).header("x-amz-checksum-mode"), "ENABLED");
}

std::string page(const std::string& content) {
  return reply(200, "<ListBucketResult>" + content + "</ListBucketResult>");
}

Result<std::vector<std::string>> keys_below(S3Store& store, const std::string& prefix) {
  std::vector<std::string> keys;
  TRY("", store.list(prefix,
                     [&](const ObjectInfo& object) {
                       keys.push_back(object.key + "=" + std::to_string(object.size.value_or(0)));
                       return Status();
                     },
                     {}));
  return keys;
}

TEST(S3Store, ListsPageByPage) {
  ScriptedServer server(in_turn({page("<Contents><Key>p/a</Key><Size>1</Size></Contents><IsTruncated>true</IsTruncated>"
                                      "<NextContinuationToken>a+/=</NextContinuationToken>"),
                                 page("<Contents><Key>p/b</Key><Size>2</Size></Contents>"),
                                 page("<CommonPrefixes><Prefix>p/y/</Prefix></CommonPrefixes>")}));
  const auto store = open_at(server.url());
  EXPECT_THAT(*keys_below(*store, "p/"), ElementsAre("p/a=1", "p/b=2"));
  EXPECT_THAT(*store->folders("p/", {}), ElementsAre("p/y/"));
  EXPECT_THAT(server.requests().at(1).target, HasSubstr("&continuation-token=a%2B%2F%3D"));
  EXPECT_THAT(server.requests().at(2).target, HasSubstr("&delimiter=%2F"));
  EXPECT_EQ(store->folders("p", {}).error().code(), Code::kInvalid);
}

TEST(S3Store, DoesNotTrustAListing) {
  ScriptedServer outside(in_turn({page("<Contents><Key>q/a</Key></Contents>")}));
  EXPECT_EQ(keys_below(*open_at(outside.url()), "p/").error().code(), Code::kDataLoss);
  ScriptedServer endless(
      in_turn({page("<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>")}));
  EXPECT_EQ(keys_below(*open_at(endless.url()), "").error().code(), Code::kDataLoss);
  const std::string circle = "<Contents><Key>a</Key></Contents><IsTruncated>true</IsTruncated><NextContinuationToken>";
  ScriptedServer in_circles(
      in_turn({page(circle + "t0</NextContinuationToken>"), page(circle + "t1</NextContinuationToken>")}));
  EXPECT_EQ(keys_below(*open_at(in_circles.url()), "").error().code(), Code::kDataLoss);
  ScriptedServer huge(in_turn({page(std::string(kMaxAnswer, ' '))}));
  EXPECT_EQ(keys_below(*open_at(huge.url()), "").error().code(), Code::kTooLarge);
  ScriptedServer huge_error(in_turn({reply(403, std::string(kMaxAnswer + 1, '<'))}));
  EXPECT_EQ(keys_below(*open_at(huge_error.url()), "").error().code(), Code::kForbidden);
}

TEST(S3Store, RemovesInBatchesAndNamesWhatFailed) {
  ScriptedServer server(in_turn({reply(200,
                                       "<DeleteResult><Error><Key>k1500</Key><Code>AccessDenied</Code>"
                                       "<Message>locked</Message></Error></DeleteResult>"),
                                 reply(200, "<DeleteResult/>")}));
  std::vector<std::string> keys;
  for (int i = 1000; i < 2500; ++i) {
    keys.push_back("k" + std::to_string(i));
  }
  const auto removed = open_at(server.url())->remove(keys, {});
  EXPECT_EQ(removed.error().code(), Code::kForbidden);
  EXPECT_THAT(removed.error().message(), AllOf(HasSubstr("\"k1500\""), HasSubstr("locked")));
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), 2);
  EXPECT_EQ(requests[0].target, "/bkt?delete=");
  EXPECT_EQ(requests[0].header("content-md5"), md5_base64(requests[0].body));
  EXPECT_THAT(requests[1].body, AllOf(HasSubstr("<Key>k1000</Key>"), testing::Not(HasSubstr("<Key>k1500</Key>"))));
}

TEST(S3Store, RemovesOneByOneWhereTheServerKnowsNoBatches) {
  ScriptedServer server(in_turn({s3_error(501, "NotImplemented"), reply(204), s3_error(404, "NoSuchKey"), reply(204)}));
  const auto store = open_at(server.url());
  ASSERT_TRUE(store->remove(std::vector<std::string>{"a&<b", "f/"}, {}));
  ASSERT_TRUE(store->remove(std::vector<std::string>{"c"}, {}));
  EXPECT_THAT(server.requests().at(0).body, HasSubstr("<Key>a&amp;&lt;b</Key>"));
  EXPECT_EQ(server.requests().at(1).method + server.requests().at(1).target, "DELETE/bkt/f/");
  EXPECT_EQ(store->remove(std::vector<std::string>{"../x", "d"}, {}).error().code(), Code::kInvalid);
  EXPECT_EQ(server.requests().back().target, "/bkt/d") << "all are tried";
}

TEST(S3Store, SignsUrlsForThePublicAddress) {
  ManualClock clock;
  const auto store = open_at("http://10.0.0.1:9000", {{"publicUrl", "https://s3.example.com"}, {"region", "eu-west-1"}},
                             quick_options(), planted_environment(), clock);
  const auto url = store->signed_url("a/b c", std::chrono::minutes(10), {});
  ASSERT_TRUE(url);
  EXPECT_THAT(*url, AllOf(testing::StartsWith("https://bkt.s3.example.com/a/b%20c?X-Amz-Algorithm="),
                          HasSubstr("%2F20300101%2Feu-west-1%2Fs3%2F"), HasSubstr("&X-Amz-Expires=600&")));
  EXPECT_EQ(store->signed_url("a", std::chrono::days(8), {}).error().code(), Code::kInvalid);
}

TEST(S3Store, PutsIfAbsentOnlyOnce) {
  ScriptedServer taken(in_turn({s3_error(404, "NoSuchKey"), s3_error(412, "PreconditionFailed")}));
  EXPECT_EQ(open_at(taken.url())->put("k", BytesSource("x"), {.if_absent = true}, {}).error().code(),
            Code::kAlreadyExists);
  EXPECT_EQ(taken.requests().at(1).header("if-none-match"), "*");

  // The answer to the first attempt is lost, so the second finds what the first has stored.
  std::string mark;
  ScriptedServer ours(ScriptedServer::answering([&](const ScriptedRequest& request) {
    if (request.method == "GET") {
      return s3_error(404, "NoSuchKey");
    }
    if (request.method == "HEAD") {
      return reply(200, "", {{"x-amz-meta-landfall-upload", mark}});
    }
    const bool is_first = std::exchange(mark, request.header("x-amz-meta-landfall-upload")).empty();
    return is_first ? s3_error(500, "InternalError") : s3_error(412, "PreconditionFailed");
  }));
  EXPECT_TRUE(open_at(ours.url())->put("k", BytesSource("x"), {.if_absent = true}, {}));
}

TEST(S3Store, AbortsOldUploadsOnly) {
  ManualClock clock;
  ScriptedServer server(in_turn({reply(200,
                                       "<ListMultipartUploadsResult><Upload><Key>b/x</Key><UploadId>old</UploadId>"
                                       "<Initiated>2029-12-30T00:00:00.000Z</Initiated></Upload><Upload><Key>b/y</Key>"
                                       "<UploadId>new</UploadId><Initiated>2029-12-31T23:00:00Z</Initiated></Upload>"
                                       "</ListMultipartUploadsResult>"),
                                 reply(204)}));
  const auto store = open_at(server.url(), {}, quick_options(), planted_environment(), clock);
  EXPECT_EQ(*store->sweep("b/", clock.wall_now() - std::chrono::hours(24), {}), 1);
  ASSERT_EQ(server.requests().size(), 2);
  EXPECT_EQ(server.requests()[1].method + server.requests()[1].target, "DELETE/bkt/b/x?uploadId=old");
}

}  // namespace
}  // namespace landfall::s3
