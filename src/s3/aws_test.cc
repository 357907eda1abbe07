#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "base/encoding.h"
#include "s3/test_support.h"
#include "testkit/temp_dir.h"
#include "testkit/test_certificates.h"

// What is particular to AWS, whose hosts a proxy plays here.
namespace landfall::s3 {
namespace {

using extension::BytesSource;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testkit::reply;
using testkit::ScriptedConnection;
using testkit::ScriptedRequest;
using testkit::ScriptedServer;

class Aws {
 public:
  using Answer = std::function<std::string(const ScriptedRequest&)>;
  explicit Aws(Answer answer)
      : answer_(std::move(answer)),
        certificate_(authority_.server({"bkt.s3.us-east-1.amazonaws.com", "bkt.s3.eu-west-1.amazonaws.com"})),
        server_([this](ScriptedConnection& c) { serve(c); },
                testkit::ScriptedTls{
                    .certificate_pem = certificate_.certificate, .key_pem = certificate_.key, .from_start = false}) {}

  std::unique_ptr<S3Store> open(std::map<std::string, std::string> config = {}) {
    config.emplace("bucket", "bkt");
    config.emplace("caCert", authority_.ca());
    auto variables = planted_environment().all();
    variables["HTTPS_PROXY"] = "http://127.0.0.1:" + std::to_string(server_.port());
    auto store = open_s3_store(config, Environment(variables), system_clock(), quick_options());
    EXPECT_TRUE(store) << store.error().message();
    return *std::move(store);
  }

  // "HEAD bkt.s3.us-east-1.amazonaws.com/", with "!" before it when it was signed.
  std::vector<std::string> seen() const {
    std::vector<std::string> out;
    for (const ScriptedRequest& request : server_.requests()) {
      if (request.method != "CONNECT") {
        out.push_back((request.has_header("authorization") ? "!" : "") + request.method + " " + request.header("host") +
                      request.target);
      }
    }
    return out;
  }
  std::vector<ScriptedRequest> requests() const { return server_.requests(); }

 private:
  void serve(ScriptedConnection& c) {
    if (!c.read_request() || !c.send("HTTP/1.1 200 OK\r\n\r\n") || !c.start_tls()) {
      return;
    }
    while (const auto request = c.read_request()) {
      c.send(answer_(*request));
    }
  }

  Answer answer_;
  testkit::TestCertificates authority_;
  testkit::CertificateAndKey certificate_;
  ScriptedServer server_;
};

TEST(Aws, FindsTheRegionOfTheBucketWithoutShowingCredentials) {
  Aws aws([](const ScriptedRequest& request) {
    return request.method == "HEAD" ? "HTTP/1.1 403 Forbidden\r\nx-amz-bucket-region: eu-west-1\r\n\r\n" : reply(200);
  });
  const auto store = aws.open();
  ASSERT_TRUE(store->put("k", BytesSource("x"), {}, {}));
  ASSERT_TRUE(store->put("k", BytesSource("x"), {}, {}));
  EXPECT_THAT(aws.seen(), ElementsAre("HEAD bkt.s3.us-east-1.amazonaws.com/", "!PUT bkt.s3.eu-west-1.amazonaws.com/k",
                                      "!PUT bkt.s3.eu-west-1.amazonaws.com/k"));
  EXPECT_EQ(aws.requests().back().header("x-amz-content-sha256"), "UNSIGNED-PAYLOAD");
  EXPECT_THAT(aws.requests().back().header("authorization"), HasSubstr("/eu-west-1/s3/"));
}

TEST(Aws, SaysThatThereIsNoSuchBucket) {
  Aws aws([](const ScriptedRequest&) { return "HTTP/1.1 404 Not Found\r\n\r\n"; });
  const auto error = aws.open()->get("k", {}).error();
  EXPECT_EQ(error.code(), Code::kNotFound);
  EXPECT_THAT(error.message(), HasSubstr("no bucket \"bkt\""));
}

TEST(Aws, FollowsTheBucketToItsRegionOnce) {
  for (const bool is_temporary : {false, true}) {
    Aws aws([&](const ScriptedRequest& request) {
      if (request.header("host").find("eu-west-1") != std::string::npos) {
        return reply(200, "x");
      }
      return is_temporary
                 ? s3_error(307, "TemporaryRedirect", "m", {{"Location", "https://bkt.s3-eu-west-1.amazonaws.com/k"}})
                 : s3_error(301, "PermanentRedirect", "m", {{"x-amz-bucket-region", "eu-west-1"}});
    });
    const auto store = aws.open({{"region", "us-east-1"}});
    const auto got = store->get("k", {});
    ASSERT_TRUE(got) << got.error().message();
    EXPECT_THAT(aws.seen(),
                ElementsAre("!GET bkt.s3.us-east-1.amazonaws.com/k", "!GET bkt.s3.eu-west-1.amazonaws.com/k"));
  }
}

TEST(Aws, GetsTheCustomersKeyWithEveryPartButNoMessageShowsIt) {
  const testkit::TempDir dir;
  const std::string key(32, 'K');
  Aws aws([&](const ScriptedRequest& request) {
    return request.method == "POST"
               ? reply(200, "<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>")
               : s3_error(400, "InvalidArgument", "bad key " + base64_encode(key));
  });
  const auto store = aws.open({{"region", "us-east-1"}, {"customerKeyEncryptionFile", dir.write("k", key)}});
  const std::string text(100, 'x');
  const auto put = store->put("k", BytesSource(text), {}, {});
  EXPECT_THAT(put.error().message(), AllOf(HasSubstr("InvalidArgument"), Not(HasSubstr(base64_encode(key)))));
  EXPECT_FALSE(store->exists("k", {}));
  for (const ScriptedRequest& request : aws.requests()) {
    const bool is_about_bytes = request.method != "CONNECT" && request.method != "DELETE";
    EXPECT_EQ(request.header("x-amz-server-side-encryption-customer-key"), is_about_bytes ? base64_encode(key) : "");
  }
  EXPECT_THAT(*store->signed_url("k", std::chrono::minutes(1), {}), Not(HasSubstr("customer")));
}

TEST(Aws, DoesNotTakeAStrangersHostForARegion) {
  Aws aws([](const ScriptedRequest&) {
    return s3_error(301, "PermanentRedirect", "m", {{"x-amz-bucket-region", "x.evil.example/"}});
  });
  EXPECT_FALSE(aws.open({{"region", "us-east-1"}})->get("k", {}));
  EXPECT_EQ(aws.seen().size(), 1);
}

}  // namespace
}  // namespace landfall::s3
