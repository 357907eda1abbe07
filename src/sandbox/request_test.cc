#include "sandbox/request.h"

#include <gtest/gtest.h>

#include <string>

#include "http/target.h"
#include "sandbox/api_error.h"

namespace landfall::sandbox {
namespace {

http::Request request_for(const std::string& method, const std::string& target, http::Headers headers = {}) {
  const auto parsed = http::parse_target(target).value();
  return {
      .method = method, .target = target, .path = parsed.path, .query = parsed.query, .headers = std::move(headers)};
}

Result<ApiRequest> read(const std::string& method, const std::string& target, http::Headers headers = {}) {
  static const Registry registry;
  return read_request(*registry.kinds(), request_for(method, target, std::move(headers)));
}

int status_of(const Result<ApiRequest>& result) { return result ? 200 : http_status_of(result.error()); }

TEST(ApiRequest, TellsTheVerbFromMethodAndPath) {
  EXPECT_EQ(read("GET", "/api/v1/namespaces/shop/pods/web")->verb, Verb::kGet);
  EXPECT_EQ(read("GET", "/api/v1/namespaces/shop/pods")->verb, Verb::kList);
  EXPECT_EQ(read("GET", "/api/v1/pods?watch=1")->verb, Verb::kWatch);
  EXPECT_EQ(read("GET", "/api/v1/pods?watch=false")->verb, Verb::kList);
  EXPECT_EQ(read("GET", "/api/v1/watch/namespaces/shop/pods")->verb, Verb::kWatch);
  EXPECT_EQ(read("DELETE", "/apis/apps/v1/namespaces/shop/deployments")->verb, Verb::kDeleteCollection);
}

TEST(ApiRequest, ReadsNamespacesAsObjectsAndAsPlaces) {
  const auto one = read("GET", "/api/v1/namespaces/shop").value();
  EXPECT_EQ(one.kind->kind, "Namespace");
  EXPECT_EQ(one.name, "shop");
  EXPECT_EQ(one.name_space, "");
  const auto finalize = read("PUT", "/api/v1/namespaces/shop/finalize").value();
  EXPECT_EQ(finalize.kind->kind, "Namespace");
  EXPECT_EQ(finalize.subresource, "finalize");
  const auto scale = read("GET", "/apis/apps/v1/namespaces/shop/deployments/web/scale").value();
  EXPECT_EQ(scale.name_space, "shop");
  EXPECT_EQ(scale.subresource, "scale");
}

TEST(ApiRequest, RefusesWhatAServerRefuses) {
  EXPECT_EQ(status_of(read("GET", "/api/v1/nothing")), 404);
  EXPECT_EQ(status_of(read("GET", "/api/v1/pods/web")), 404) << "a namespaced object needs its namespace";
  EXPECT_EQ(status_of(read("GET", "/api/v1/namespaces/shop/nodes")), 404) << "nodes have no namespace";
  EXPECT_EQ(status_of(read("GET", "/api/v1/namespaces/shop/configmaps/a/status")), 404);
  EXPECT_EQ(status_of(read("POST", "/api/v1/pods")), 405);
  EXPECT_EQ(status_of(read("PUT", "/api/v1/namespaces/shop/pods")), 405);
  EXPECT_EQ(status_of(read("DELETE", "/api/v1/namespaces")), 405) << "namespaces are not deleted in bulk";
  EXPECT_EQ(status_of(read("GET", "/api/v1/pods?labelSelector=a,,b")), 400);
  EXPECT_EQ(status_of(read("GET", "/api/v1/pods?fieldSelector=spec.colour%3Dred")), 400);
  EXPECT_EQ(status_of(read("GET", "/api/v1/pods?limit=x")), 400);
  EXPECT_EQ(status_of(read("GET", "/api/v1/pods?resourceVersionMatch=Exact")), 422);
  EXPECT_EQ(status_of(read("POST", "/api/v1/namespaces/shop/pods?dryRun=Some")), 422);
}

TEST(ApiRequest, TakesTheFirstFormatItCanWrite) {
  const std::string table = "application/json;as=Table;v=v1;g=meta.k8s.io, application/json";
  EXPECT_EQ(read("GET", "/api/v1/pods", {{"Accept", table}})->output.shape, OutputFormat::Shape::kTable);
  const std::string protobuf = "application/vnd.kubernetes.protobuf, */*";
  EXPECT_EQ(read("GET", "/api/v1/pods", {{"Accept", protobuf}})->output.shape, OutputFormat::Shape::kObject);
  EXPECT_TRUE(read("GET", "/api/v1/pods", {{"Accept", "application/json;q=0.5,application/yaml"}})->output.is_yaml);
  EXPECT_EQ(status_of(read("GET", "/api/v1/pods", {{"Accept", "application/vnd.kubernetes.protobuf"}})), 406);
}

TEST(ApiRequest, NamesTheManagerAfterTheClient) {
  EXPECT_EQ(read("POST", "/api/v1/namespaces", {{"User-Agent", "kubectl/v1.34 (linux)"}})->field_manager, "kubectl");
  EXPECT_EQ(read("POST", "/api/v1/namespaces?fieldManager=me")->field_manager, "me");
}

}  // namespace
}  // namespace landfall::sandbox
