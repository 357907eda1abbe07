// The HTTP client against real S3 servers: they answer, and refuse who does not sign.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "base/clock.h"
#include "io/http_client.h"
#include "real/real_components.h"

namespace landfall {
namespace {

class ObjectServer : public testing::TestWithParam<const char*> {};

TEST_P(ObjectServer, RefusesAnUnsignedListingWithAnXmlError) {
  auto http = io::HttpClient::create({.tls = {}, .proxy = {}, .environment = {}});
  ASSERT_TRUE(http) << http.error().message();
  const auto response = (*http)->send(
      {.url = real_component(GetParam()) + "/", .deadline = system_clock().after(std::chrono::seconds(30))}, {});
  ASSERT_TRUE(response) << response.error().message();
  EXPECT_EQ(response->status, 403);
  EXPECT_THAT(response->body, testing::HasSubstr("AccessDenied"));
}

INSTANTIATE_TEST_SUITE_P(Real, ObjectServer, testing::Values("LANDFALL_REAL_MINIO", "LANDFALL_REAL_VERSITYGW"),
                         [](const auto& server) {
                           return std::string(server.param) == "LANDFALL_REAL_MINIO" ? "MinIO" : "versitygw";
                         });

}  // namespace
}  // namespace landfall
