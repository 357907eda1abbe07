#include "kube/reviews.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "json/json.h"
#include "json/parse.h"
#include "kube/test_client.h"
#include "testkit/scripted_server.h"

namespace landfall::kube {
namespace {

using ::testing::ElementsAre;
using testkit::reply;
using testkit::ScriptedRequest;
using testkit::ScriptedServer;

// A server that answers every review with this status.
class Reviews : public testing::Test {
 protected:
  std::string status_;
  ScriptedServer server_{ScriptedServer::answering(
      [this](const ScriptedRequest&) { return reply(201, R"({"kind":"X","status":)" + status_ + "}"); })};
  TestClient client_{server_.url("")};

  json::Json sent() const { return json::parse(server_.requests().back().body).value(); }
};

TEST_F(Reviews, TellWhoseTokenItIs) {
  status_ = R"({"authenticated":true,"user":{"username":"ann","uid":"1","groups":["a","b"],"extra":{"k":["v"]}}})";
  const auto verdict = review_token(*client_, "tok", {}, {});
  ASSERT_TRUE(verdict) << verdict.error().message();
  EXPECT_TRUE(verdict->is_authenticated);
  EXPECT_EQ(verdict->user.username, "ann");
  EXPECT_THAT(verdict->user.groups, ElementsAre("a", "b"));
  EXPECT_THAT(verdict->user.extra.at("k"), ElementsAre("v"));
  EXPECT_EQ(server_.requests().back().target, "/apis/authentication.k8s.io/v1/tokenreviews");
  EXPECT_EQ(
      sent(),
      json::parse(R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{"token":"tok"}})").value());
}

TEST_F(Reviews, DoNotTakeATokenForAnotherAudience) {
  status_ = R"({"authenticated":true,"user":{"username":"ann"}})";
  EXPECT_FALSE(review_token(*client_, "tok", {"landfall"}, {}).value().is_authenticated);
  status_ = R"({"authenticated":true,"user":{"username":"ann"},"audiences":["landfall"]})";
  EXPECT_TRUE(review_token(*client_, "tok", {"landfall"}, {}).value().is_authenticated);
  status_ = R"({"error":"expired"})";
  EXPECT_EQ(review_token(*client_, "tok", {"landfall"}, {}).value().error, "expired");
}

TEST_F(Reviews, TellWhatAUserMayDo) {
  status_ = R"({"allowed":false,"denied":true,"reason":"no"})";
  const auto verdict =
      review_access(*client_, {.username = "ann", .groups = {"a"}},
                    {.verb = "create", .group = "velero.io", .resource = "backups", .name_space = "velero"}, {});
  ASSERT_TRUE(verdict) << verdict.error().message();
  EXPECT_FALSE(verdict->is_allowed);
  EXPECT_TRUE(verdict->is_denied);
  EXPECT_EQ(verdict->reason, "no");
  EXPECT_EQ(server_.requests().back().target, "/apis/authorization.k8s.io/v1/subjectaccessreviews");
  EXPECT_EQ(sent().at("spec"), json::parse(R"({"user":"ann","uid":"","groups":["a"],"extra":{},"resourceAttributes":
                {"verb":"create","group":"velero.io","resource":"backups","namespace":"velero"}})")
                                   .value());
}

TEST_F(Reviews, TellWhatWeMayDoWithAPath) {
  status_ = R"({"allowed":true})";
  EXPECT_TRUE(review_own_access(*client_, {.verb = "get", .path = "/metrics"}, {}).value().is_allowed);
  EXPECT_EQ(server_.requests().back().target, "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews");
  EXPECT_EQ(sent().at("spec"), json::parse(R"({"nonResourceAttributes":{"path":"/metrics","verb":"get"}})").value());
}

TEST_F(Reviews, AnAnswerWithoutAStatusIsNoVerdict) {
  status_ = "null";
  EXPECT_EQ(review_own_access(*client_, {.verb = "get", .path = "/"}, {}).error().code(), Code::kDataLoss);
}

}  // namespace
}  // namespace landfall::kube
