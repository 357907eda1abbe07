// The HTTP client against a real kube-apiserver.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <stop_token>
#include <thread>

#include "base/clock.h"
#include "io/file.h"
#include "io/http_client.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "real/real_components.h"

namespace landfall {
namespace {

using testing::HasSubstr;

std::string pki(const std::string& name) {
  return io::read_file(real_component("LANDFALL_REAL_PKI") + "/" + name, 1 << 20).value_or("missing " + name);
}

std::unique_ptr<io::HttpClient> client(io::HttpTlsOptions tls) {
  auto created = io::HttpClient::create({.tls = std::move(tls), .proxy = {}, .environment = {}});
  EXPECT_TRUE(created) << created.error().message();
  return *std::move(created);
}

io::HttpRequest get(const std::string& path) {
  return {.url = real_component("LANDFALL_REAL_API") + path,
          .headers = {{"Authorization", "Bearer admintoken"}},
          .deadline = system_clock().after(std::chrono::seconds(30))};
}

TEST(ApiServer, AnswersAListOverVerifiedTlsWithABearerToken) {
  const auto http = client({.ca_pem = pki("ca.crt")});
  const auto response = http->send(get("/api/v1/namespaces"), {});
  ASSERT_TRUE(response) << response.error().message();
  EXPECT_EQ(response->status, 200);
  const auto list = json::parse(response->body);
  ASSERT_TRUE(list) << list.error().message();
  EXPECT_EQ(json::string_or(*list, {"kind"}, ""), "NamespaceList");
}

TEST(ApiServer, IsNotTrustedWithoutItsAuthority) {
  const auto response = client({})->send(get("/api"), {});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code(), Code::kUnauthenticated) << response.error().message();
  EXPECT_THAT(response.error().message(), HasSubstr("127.0.0.1"));
}

TEST(ApiServer, KnowsUsByAClientCertificate) {
  const auto http =
      client({.ca_pem = pki("ca.crt"), .client_certificate_pem = pki("admin.crt"), .client_key_pem = pki("admin.key")});
  io::HttpRequest request = get("/apis/authentication.k8s.io/v1/selfsubjectreviews");
  request.method = "POST";
  request.headers = {{"Content-Type", "application/json"}};
  request.body = io::HttpBody::bytes(R"({"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"})");
  const auto response = http->send(request, {});
  ASSERT_TRUE(response) << response.error().message();
  EXPECT_EQ(response->status, 201);
  EXPECT_THAT(response->body, HasSubstr("\"certificate-admin\""));
}

TEST(ApiServer, RefusesAnUnknownToken) {
  io::HttpRequest request = get("/api/v1/namespaces");
  request.headers = {{"Authorization", "Bearer nobody"}};
  const auto response = client({.ca_pem = pki("ca.crt")})->send(request, {});
  ASSERT_TRUE(response) << response.error().message();
  EXPECT_EQ(response->status, 401);
}

TEST(ApiServer, StreamsAWatchUntilItIsCancelled) {
  const auto http = client({.ca_pem = pki("ca.crt")});
  std::stop_source stop;
  std::string seen;
  const auto result = http->stream(get("/api/v1/namespaces?watch=true&resourceVersion=0"),
                                   {.on_head = {},
                                    .on_body = [&](std::string_view bytes) -> Result<io::HttpFlow> {
                                      seen += bytes;
                                      if (seen.find("kube-system") != std::string::npos) {
                                        stop.request_stop();
                                      }
                                      return io::HttpFlow::kContinue;
                                    }},
                                   stop.get_token());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code(), Code::kCancelled);
  EXPECT_THAT(seen, HasSubstr("\"type\":\"ADDED\""));
}

}  // namespace
}  // namespace landfall
