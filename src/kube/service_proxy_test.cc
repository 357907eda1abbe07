#include "kube/service_proxy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "kube/pod_logs.h"
#include "kube/test_client.h"
#include "testkit/scripted_server.h"

namespace landfall::kube {
namespace {

using ::testing::HasSubstr;
using testkit::reply;
using testkit::ScriptedRequest;
using testkit::ScriptedServer;
using Kind = ProxyTarget::Kind;

ProxyTarget landfall_service() {
  return {.name_space = "velero", .name = "landfall", .port = "8443", .uses_tls = true};
}

std::string refusal(const ProxyTarget& target, std::string_view path = "/") {
  const auto made = proxy_path(target, path);
  return made ? "no error: " + *made : made.error().message();
}

TEST(ServiceProxy, BuildsThePathAsKubernetesReadsIt) {
  EXPECT_EQ(proxy_path(landfall_service(), "/v1/a b?c#d%2e").value(),
            "/api/v1/namespaces/velero/services/https:landfall:8443/proxy/v1/a%20b%3Fc%23d%252e");
  EXPECT_EQ(proxy_path({.name_space = "velero", .name = "landfall", .port = "http"}, "x").value(),
            "/api/v1/namespaces/velero/services/landfall:http/proxy/x");
  EXPECT_EQ(proxy_path({.name_space = "velero", .name = "landfall"}, "").value(),
            "/api/v1/namespaces/velero/services/landfall/proxy/");
  EXPECT_EQ(proxy_path({.name_space = "velero", .name = "landfall", .uses_tls = true}, "/").value(),
            "/api/v1/namespaces/velero/services/https:landfall:/proxy/");
  EXPECT_EQ(proxy_path({.kind = Kind::kPod, .name_space = "velero", .name = "db-0.x", .port = "80"}, "/").value(),
            "/api/v1/namespaces/velero/pods/db-0.x:80/proxy/");
}

TEST(ServiceProxy, RefusesNamesAndPathsThatLeadElsewhere) {
  EXPECT_THAT(refusal({.name_space = "velero/x", .name = "a"}), HasSubstr("proxy: namespace \"velero/x\""));
  EXPECT_THAT(refusal({.name_space = "", .name = "a"}), HasSubstr("proxy: namespace"));
  EXPECT_THAT(refusal({.name_space = "velero", .name = "a:b"}), HasSubstr("proxy: service \"a:b\""));
  EXPECT_THAT(refusal({.kind = Kind::kPod, .name_space = "velero", .name = ".."}), HasSubstr("proxy: pod \"..\""));
  EXPECT_THAT(refusal({.name_space = "velero", .name = "a", .port = "0"}), HasSubstr("out of range"));
  EXPECT_THAT(refusal({.name_space = "velero", .name = "a", .port = "80/x"}), HasSubstr("proxy: port \"80/x\""));
  EXPECT_THAT(refusal(landfall_service(), "/a/../../secrets"), HasSubstr("has a part \"..\""));
}

TEST(ServiceProxy, PostsAndStreamsThroughTheApiServer) {
  const ScriptedServer server(
      ScriptedServer::answering([](const ScriptedRequest& request) { return reply(200, "got " + request.body); }));
  const TestClient client(server.url(""));
  const auto answer = call_through_proxy(
      *client, landfall_service(),
      {.method = "POST", .path = "/v1/x", .query = {{"q", "1"}}, .content_type = "text/plain", .body = "hello"}, {});
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(answer->body, "got hello");
  std::string streamed;
  const Status status =
      stream_through_proxy(*client, landfall_service(), {.path = "/v1/stream"}, std::chrono::seconds(10),
                           [&](std::string_view bytes) -> Result<bool> {
                             streamed += bytes;
                             return true;
                           },
                           {});
  ASSERT_TRUE(status) << status.error().message();
  EXPECT_EQ(streamed, "got ");
  EXPECT_EQ(server.requests().at(0).target, "/api/v1/namespaces/velero/services/https:landfall:8443/proxy/v1/x?q=1");
  EXPECT_EQ(server.requests().at(0).header("content-type"), "text/plain");
  EXPECT_EQ(server.requests().at(1).target, "/api/v1/namespaces/velero/services/https:landfall:8443/proxy/v1/stream");
}

TEST(PodLogs, AsksForWhatWasAskedForAndStopsWhenToldTo) {
  const ScriptedServer server(
      ScriptedServer::answering([](const ScriptedRequest&) { return reply(200, "line 1\nline 2\n"); }));
  const TestClient client(server.url(""));
  std::string log;
  const Status status = read_pod_log(*client,
                                     {.name_space = "shop",
                                      .pod = "db-0",
                                      .container = "main",
                                      .follow = true,
                                      .previous = true,
                                      .timestamps = true,
                                      .tail_lines = 0,
                                      .since_seconds = 60,
                                      .limit_bytes = 1000},
                                     [&](std::string_view bytes) -> Result<bool> {
                                       log += bytes;
                                       return false;
                                     },
                                     {});
  ASSERT_TRUE(status) << status.error().message();
  EXPECT_EQ(log, "line 1\nline 2\n");
  EXPECT_EQ(server.requests().at(0).target,
            "/api/v1/namespaces/shop/pods/db-0/log?container=main&follow=true&previous=true&timestamps=true&tailLines=0"
            "&sinceSeconds=60&limitBytes=1000");
}

TEST(PodLogs, RefusesNumbersThatMakeNoSense) {
  const TestClient client("http://127.0.0.1:1");
  const auto drop = [](std::string_view) { return Result<bool>(true); };
  const Status status = read_pod_log(*client, {.name_space = "shop", .pod = "db-0", .limit_bytes = 0}, drop, {});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message(), "log of pod shop/db-0: limitBytes: must be at least 1");
}

}  // namespace
}  // namespace landfall::kube
