#include "cli/artifacts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/artifact_route.h"
#include "base/strings.h"
#include "cli/test_cluster.h"
#include "json/json.h"
#include "kube/test_client.h"
#include "testkit/scripted_server.h"
#include "testkit/test_certificates.h"

namespace landfall::cli {
namespace {

using api::DownloadTarget;
using json::Json;
using testing::AllOf;
using testing::HasSubstr;
using testkit::reply;
using testkit::ScriptedConnection;
using testkit::ScriptedRequest;
using testkit::ScriptedServer;

constexpr const char* kProxy = "/api/v1/namespaces/velero/pods/velero-1:8086/proxy/artifacts?token=T";

// An API server that answers a DownloadRequest at once, and whose proxy leads to an endpoint with one file.
class ArtifactsTest : public testing::Test {
 protected:
  std::string answer(const ScriptedRequest& request) {
    if (request.method == "POST") {
      Json object = {{"metadata", {{"name", "ask"}}}, {"status", {{"downloadURL", url_}}}};
      if (has_route_) {
        EXPECT_TRUE(api::set_artifact_route(object, {.pod = pod_, .port = 8086, .path = "/artifacts", .token = "T"}));
      }
      return reply(201, object.dump());
    }
    if (request.target.starts_with("/api/v1/namespaces/velero/pods?")) {
      return reply(
          200,
          Json({{"items", Json::array({{{"metadata", {{"name", "velero-1"}}}, {"status", {{"phase", "Running"}}}}})}})
              .dump());
    }
    if (request.target == kProxy) return proxied_;
    if (request.target == std::string(kProxy) + "&follow=true") return reply(200, "line by line\n");
    return reply(404, R"({"kind":"Status","code":404,"reason":"NotFound","message":"pods \"x\" not found"})");
  }

  Result<std::string> read(DownloadTarget target = DownloadTarget::kBackupLog) {
    std::string text;
    const Status done = artifacts_.read(target, "nightly", std::chrono::seconds(30), [&](io::Reader& reader) -> Status {
      TRY_ASSIGN(text, "", io::read_all(reader, 1000));
      return {};
    });
    if (!done) return tl::unexpected(done.error());
    return text;
  }
  int proxied() const {
    int count = 0;
    for (const ScriptedRequest& request : server_.requests()) count += contains(request.target, "/proxy/") ? 1 : 0;
    return count;
  }

  std::string url_ = "http://127.0.0.1:1/bucket/nightly-logs.gz?X-Amz-Signature=SIGNATURE";  // nobody listens there
  bool has_route_ = true;
  std::string pod_ = "velero-1";
  std::string proxied_ = reply(200, gzipped("by way of the API server"));
  ArtifactFlags flags_;
  io::StringReader in_{""};
  io::StringWriter out_;
  const Context context_{.program = "landfall", .clock = system_clock(), .in = in_, .out = out_, .err = out_};
  ScriptedServer server_{ScriptedServer::answering([this](const ScriptedRequest& request) { return answer(request); })};
  kube::TestClient client_{server_.url("")};
  Artifacts artifacts_{*client_, "velero", flags_, context_};
};

TEST_F(ArtifactsTest, ComeFromTheAddressWhereItCanBeReached) {
  const ScriptedServer store(
      ScriptedServer::answering([](const ScriptedRequest&) { return reply(200, gzipped("from the bucket")); }));
  url_ = store.url("/file");
  EXPECT_EQ(read().value(), "from the bucket");
  EXPECT_EQ(proxied(), 0);
}

TEST_F(ArtifactsTest, ComeThroughTheApiServerWhereNobodyListens) {
  EXPECT_EQ(read().value(), "by way of the API server");
  EXPECT_EQ(server_.requests().back().header("Authorization"), "Bearer secret-token");
}

TEST_F(ArtifactsTest, ComeThroughTheApiServerWhereTheNameIsUnknown) {
  url_ = "http://minio.velero.svc.invalid:9000/file";
  EXPECT_EQ(read().value(), "by way of the API server");
}

TEST_F(ArtifactsTest, ComeThroughTheApiServerWhereTheAuthorityIsUnknown) {
  const testkit::TestCertificates certificates;
  const auto identity = certificates.server();
  const ScriptedServer store(ScriptedServer::answering([](const ScriptedRequest&) { return reply(200); }),
                             testkit::ScriptedTls{identity.certificate, identity.key});
  url_ = store.url("/file");
  EXPECT_EQ(read().value(), "by way of the API server");
}

TEST_F(ArtifactsTest, ComeThroughTheApiServerWhereSomethingInBetweenRefuses) {
  for (const int status : {403, 407, 502, 503}) {
    const ScriptedServer store(ScriptedServer::answering([&](const ScriptedRequest&) { return reply(status, "no"); }));
    url_ = store.url("/file");
    EXPECT_EQ(read().value(), "by way of the API server") << status;
  }
}

TEST_F(ArtifactsTest, WaitForAHostThatCannotBeReachedOnce) {
  const ScriptedServer store([](ScriptedConnection&) {});  // takes the connection and hangs up
  url_ = store.url("/file");
  ASSERT_TRUE(read());
  const int tries = store.connections();
  ASSERT_TRUE(read(DownloadTarget::kBackupResults));
  EXPECT_EQ(store.connections(), tries);
}

TEST_F(ArtifactsTest, AreMissingWhereTheStoreSaysSo) {
  const ScriptedServer store(ScriptedServer::answering([](const ScriptedRequest&) { return reply(404); }));
  url_ = store.url("/file");
  EXPECT_EQ(read().error().code(), Code::kNotFound);
  EXPECT_EQ(proxied(), 0);
}

TEST_F(ArtifactsTest, AreMissingWhereTheEndpointSaysSo) {
  proxied_ = reply(404, "backup nightly: no such file");
  EXPECT_EQ(read().error(), Error(Code::kNotFound, "there is no such file"));
}

TEST_F(ArtifactsTest, AreNotMissingWhenTheAuthoritiesAre) {
  flags_.ca_file = "/no/such/authorities";
  const Error error = read().error();
  EXPECT_EQ(error.code(), Code::kInvalid);
  EXPECT_THAT(error.message(), AllOf(HasSubstr("--cacert: "), HasSubstr("/no/such/authorities")));
}

TEST_F(ArtifactsTest, AreFoundInAnotherPodWhenTheServerDoesNotKnowItsOwn) {
  pod_ = "node-7";
  EXPECT_EQ(read().value(), "by way of the API server");
}

TEST_F(ArtifactsTest, ThatAreDocumentsAreReadCompressedOrNot) {
  for (const std::string& body : {gzipped("[1, 2]"), std::string("[1, 2]")}) {
    proxied_ = reply(200, body);
    EXPECT_EQ(artifacts_.document(DownloadTarget::kRestoreVolumeInfo, "r1").value(), Json::array({1, 2}));
  }
  for (const std::string& body : {gzipped("[1, 2]").substr(0, 15), std::string("[1, 2"), std::string()}) {
    proxied_ = reply(200, body);
    EXPECT_FALSE(artifacts_.document(DownloadTarget::kRestoreVolumeInfo, "r1")) << body;
  }
}

TEST_F(ArtifactsTest, AreFollowedThroughTheApiServer) {
  url_ = "http://127.0.0.1:1/artifacts?token=T";
  io::StringWriter log;
  ASSERT_TRUE(artifacts_.follow(DownloadTarget::kBackupLog, "nightly", std::chrono::seconds(30), log));
  EXPECT_EQ(log.str(), "line by line\n");
}

TEST_F(ArtifactsTest, SayBothReasonsWhenNoWayIsOpen) {
  proxied_ = reply(403, R"({"kind":"Status","code":403,"reason":"Forbidden","message":"User \"jane\" cannot get )"
                        R"(resource \"pods/proxy\""})");
  const Error error = read().error();
  EXPECT_EQ(error.code(), Code::kUnavailable);
  EXPECT_THAT(error.message(), AllOf(HasSubstr("http://127.0.0.1:1/bucket/nightly-logs.gz: cannot connect: "),
                                     HasSubstr("; through the API server: pod velero-1: User \"jane\" cannot get "),
                                     HasSubstr("run this where that address can be reached")));
  EXPECT_THAT(error.message(), Not(HasSubstr("SIGNATURE")));
  EXPECT_THAT(error.message(), Not(HasSubstr("token")));
}

TEST_F(ArtifactsTest, OfVelerosServerSayWhatCanBeDone) {
  has_route_ = false;
  EXPECT_THAT(read().error().message(), AllOf(HasSubstr("cannot connect"), HasSubstr("no way through the API server"),
                                              HasSubstr("run this where")));

  const testkit::TestCertificates certificates;
  const auto identity = certificates.server();
  const ScriptedServer store(ScriptedServer::answering([](const ScriptedRequest&) { return reply(200); }),
                             testkit::ScriptedTls{identity.certificate, identity.key});
  url_ = store.url("/file");
  EXPECT_THAT(read().error().message(),
              AllOf(HasSubstr("authority"), HasSubstr("--cacert"), HasSubstr("--insecure-skip-tls-verify")));
}

}  // namespace
}  // namespace landfall::cli
