#include "io/websocket_handshake.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace landfall::io {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kKey = "dGhlIHNhbXBsZSBub25jZQ==";  // with its answer from RFC 6455, section 1.3

HttpHead granted() {
  return {.status = 101,
          .headers = {{"Upgrade", "WebSocket"},
                      {"Connection", "keep-alive, Upgrade"},
                      {"Sec-WebSocket-Accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="}}};
}

TEST(WebSocketHandshake, AsksAsTheStandardHasIt) {
  const HttpRequest request{.url = "https://[::1]:6443/a%20b?x=1", .headers = {{"Authorization", "Bearer t"}}};
  const std::string text = upgrade_request(request, *parse_url(request.url), {"v5", "v4"}, kKey, "us");
  EXPECT_THAT(
      text, StartsWith("GET /a%20b?x=1 HTTP/1.1\r\nHost: [::1]:6443\r\nUser-Agent: us\r\nAuthorization: Bearer t\r\n"));
  EXPECT_THAT(text, AllOf(HasSubstr("Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"),
                          HasSubstr(std::string("Sec-WebSocket-Key: ") + kKey + "\r\n"),
                          HasSubstr("Sec-WebSocket-Protocol: v5, v4\r\n\r\n")));
}

TEST(WebSocketHandshake, ChecksTheAnswer) {
  HttpHead head = granted();
  EXPECT_EQ(check_upgrade(head, kKey, {}).value(), "");
  EXPECT_EQ(check_upgrade(head, kKey, {"v5"}).error().code(), Code::kUnsupported);
  head.headers.add("Sec-WebSocket-Protocol", "v4");
  EXPECT_EQ(check_upgrade(head, kKey, {"v5", "v4"}).value(), "v4");
  EXPECT_EQ(check_upgrade(head, kKey, {"v5"}).error().code(), Code::kUnsupported);

  EXPECT_THAT(check_upgrade(granted(), "another", {}).error().message(), HasSubstr("Sec-WebSocket-Accept is wrong"));
  for (const char* name : {"Upgrade", "Connection", "Sec-WebSocket-Accept"}) {
    head = granted();
    head.headers.remove(name);
    EXPECT_EQ(check_upgrade(head, kKey, {}).error().code(), Code::kDataLoss) << name;
  }
  head = granted();
  head.headers.add("Sec-WebSocket-Extensions", "permessage-deflate");
  EXPECT_EQ(check_upgrade(head, kKey, {}).error().code(), Code::kDataLoss);
}

UpgradeAnswer fed(const std::string& bytes, std::size_t step) {
  UpgradeAnswer answer(1000, 10, 20);
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    const Status taken = answer.feed(std::string_view(bytes).substr(at, step));
    EXPECT_TRUE(taken) << taken.error().message();
  }
  return answer;
}

TEST(UpgradeAnswer, ReadsARefusalHoweverItsBodyIsSent) {
  for (const std::size_t step : {1U, 7U, 1000U}) {
    for (const char* rest :
         {"Content-Length: 5\r\n\r\nhello", "Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\n\r\n"}) {
      const UpgradeAnswer answer = fed("HTTP/1.1 403 Forbidden\r\nX: y\r\n" + std::string(rest), step);
      ASSERT_TRUE(answer.has_head());
      EXPECT_EQ(answer.head().status, 403);
      EXPECT_EQ(answer.head().headers.get("x"), "y");
      EXPECT_TRUE(answer.has_body());
      EXPECT_EQ(answer.body(), "hello");
    }
    const UpgradeAnswer until_close = fed("HTTP/1.1 400 Bad\r\n\r\nhello", step);
    EXPECT_FALSE(until_close.has_body());
    EXPECT_EQ(until_close.body(), "hello");
    const UpgradeAnswer too_long = fed("HTTP/1.1 400 Bad\r\n\r\n" + std::string(50, 'x'), step);
    EXPECT_TRUE(too_long.has_body());
    EXPECT_EQ(too_long.body().size(), 20U);
  }
}

TEST(UpgradeAnswer, KeepsWhatComesBehindTheHeadOfAnUpgrade) {
  for (const std::size_t step : {1U, 1000U}) {
    const UpgradeAnswer answer =
        fed("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 101 Switching Protocols\r\nA: b\r\n\r\n\x82\x01x", step);
    EXPECT_TRUE(answer.is_upgraded());
    EXPECT_EQ(answer.head().headers.get("a"), "b");
    EXPECT_EQ(answer.rest(), "\x82\x01x");
  }
}

TEST(UpgradeAnswer, RefusesWhatIsNotHttpAndHeadersWithoutEnd) {
  UpgradeAnswer other(1000, 10, 20);
  EXPECT_EQ(other.feed("SSH-2.0-OpenSSH\r\n").error().code(), Code::kDataLoss);
  UpgradeAnswer endless(1000, 10, 20);
  EXPECT_EQ(endless.feed(std::string(2000, 'x')).error().code(), Code::kTooLarge);
}

}  // namespace
}  // namespace landfall::io
