#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "base/manual_clock.h"
#include "io/http_client.h"
#include "testkit/scripted_server.h"
#include "testkit/test_certificates.h"

namespace landfall::io {
namespace {

using ::testing::HasSubstr;
using testkit::Gate;
using testkit::reply;
using testkit::ScriptedConnection;
using testkit::ScriptedServer;

std::unique_ptr<HttpClient> make_client(HttpTlsOptions tls = {}) {
  return HttpClient::create({.tls = std::move(tls)}).value();
}

std::string pattern(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<char>((i * 7 + i / 251) & 0xff);
  }
  return bytes;
}

TEST(HttpDownload, HandsOutTheHeadAndThenTheBody) {
  ScriptedServer server(ScriptedServer::answering([](const auto&) { return reply(200, "body", {{"ETag", "x"}}); }));
  const auto client = make_client();
  for (int i = 0; i < 2; ++i) {
    auto download = client->open({.url = server.url()}, {});
    ASSERT_TRUE(download) << download.error().message();
    EXPECT_EQ((*download)->head().status, 200);
    EXPECT_EQ((*download)->head().headers.get("etag"), "x");
    EXPECT_EQ(read_all(**download, 100).value(), "body");
    std::vector<char> buffer(10);
    EXPECT_EQ((*download)->read(buffer).value(), 0U) << "the end stays the end";
  }
  EXPECT_EQ(server.connections(), 1) << "a download that was read to its end leaves its connection";
}

TEST(HttpDownload, CarriesManyMegabytesUnchanged) {
  const testkit::TestCertificates certificates;
  const auto pair = certificates.server();
  const std::string bytes = pattern(20UL << 20U);
  const auto answer = ScriptedServer::answering([&](const auto&) { return reply(200, bytes); });
  ScriptedServer plain(answer);
  ScriptedServer secure(answer, testkit::ScriptedTls{.certificate_pem = pair.certificate, .key_pem = pair.key});
  const auto client = make_client({.ca_pem = certificates.ca()});
  for (const std::string& url : {plain.url(), secure.url()}) {
    auto download = client->open({.url = url}, {});
    ASSERT_TRUE(download) << download.error().message();
    EXPECT_TRUE(read_all(**download, bytes.size()).value() == bytes) << url;
  }
}

TEST(HttpDownload, ReadsChunksAndTrailers) {
  ScriptedServer server([](ScriptedConnection& c) {
    if (!c.read_request() || !c.send("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")) return;
    for (int i = 0; i < 1000; ++i) {
      c.send("400\r\n" + std::string(0x400, 'c') + "\r\n");
    }
    c.send("0\r\nSum: 42\r\n\r\n");
  });
  const auto client = make_client();
  auto download = client->open({.url = server.url()}, {});
  ASSERT_TRUE(download);
  EXPECT_EQ(read_all(**download, 2'000'000)->size(), 0x400U * 1000);
  EXPECT_EQ((*download)->trailers().get("sum"), "42");
}

TEST(HttpDownload, HoldsBackAServerThatIsFasterThanTheReader) {
  std::atomic<std::size_t> sent = 0;
  Gate stuck;
  constexpr std::size_t kTotal = 256UL << 20U;
  ScriptedServer server([&](ScriptedConnection& c) {
    if (!c.read_request() || !c.send("HTTP/1.1 200 OK\r\ncontent-length: " + std::to_string(kTotal) + "\r\n\r\n"))
      return;
    const std::string piece(1UL << 20U, 'x');
    while (sent < kTotal && c.send(piece)) {
      sent += piece.size();
    }
    stuck.open();  // reached only when the client has gone
  });
  const auto client = make_client();
  {
    auto download = client->open({.url = server.url()}, {});
    ASSERT_TRUE(download);
    std::vector<char> buffer(1000);
    for (int i = 0; i < 100; ++i) {
      ASSERT_EQ((*download)->read(buffer).value(), buffer.size());
    }
  }
  ASSERT_TRUE(stuck.await());
  EXPECT_LT(sent, kTotal / 2) << "only what buffers hold has left the server";
}

TEST(HttpDownload, DoesNotCountTheReadersOwnTimeAsIdle) {
  ManualClock clock;
  Gate second_half;
  ScriptedServer server([&](ScriptedConnection& c) {
    if (c.read_request() && c.send("HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\nhalf") && c.wait(second_half)) {
      c.send("half");
    }
  });
  const auto client = HttpClient::create({}, clock).value();
  auto download = client->open({.url = server.url(), .idle_timeout = std::chrono::seconds(30)}, {});
  ASSERT_TRUE(download) << download.error().message();
  std::vector<char> buffer(4);
  ASSERT_EQ((*download)->read(buffer).value(), 4U);

  clock.advance(std::chrono::hours(1));
  std::thread later([&] { second_half.open(); });
  const Result<std::size_t> rest = (*download)->read(buffer);
  later.join();

  EXPECT_TRUE(rest) << rest.error().message();
}

TEST(HttpDownload, HandsOutWhatCameBeforeItFails) {
  ScriptedServer server([](ScriptedConnection& c) {
    if (c.read_request()) c.send("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nonly this");
  });
  const auto client = make_client();
  auto download = client->open({.url = server.url()}, {});
  ASSERT_TRUE(download);
  std::string got;
  std::vector<char> buffer(4);
  Result<std::size_t> last = 1;
  while ((last = (*download)->read(buffer)) && *last > 0) {
    got.append(buffer.data(), *last);
  }
  EXPECT_EQ(got, "only this");
  ASSERT_FALSE(last);
  EXPECT_EQ(last.error().code(), Code::kUnavailable);
  EXPECT_THAT(last.error().message(), HasSubstr("in the middle of the response"));
  EXPECT_FALSE((*download)->read(buffer)) << "the error stays";
}

TEST(HttpDownload, ClosesItsConnectionWhenItIsGivenUp) {
  ScriptedServer server([](ScriptedConnection& c) {
    if (c.read_request() && c.send("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nsome")) {
      EXPECT_TRUE(c.hold());
    }
  });
  const auto client = make_client();
  ASSERT_TRUE(client->open({.url = server.url()}, {}));
  EXPECT_TRUE(server.await_finished(1));
}

TEST(HttpDownload, KeepsToTheLimitOfItsRequest) {
  ScriptedServer server([](ScriptedConnection& c) {
    if (!c.read_request() || !c.send("HTTP/1.1 200 OK\r\n\r\n")) return;
    while (c.send("0123456789")) {
    }
  });
  const auto client = make_client();
  auto download = client->open({.url = server.url(), .max_response_body = 1000}, {});
  ASSERT_TRUE(download);
  const Result<std::string> all = read_all(**download, 1'000'000);
  ASSERT_FALSE(all);
  EXPECT_EQ(all.error().code(), Code::kTooLarge);
}

TEST(HttpDownload, MayOutliveItsClient) {
  ScriptedServer server(ScriptedServer::answering([](const auto&) { return reply(200, std::string(100'000, 'x')); }));
  auto download = make_client()->open({.url = server.url()}, {});
  ASSERT_TRUE(download);
  EXPECT_EQ(read_all(**download, 1'000'000)->size(), 100'000U);
}

TEST(HttpDownload, DoesNotUnpack) {
  const auto client = make_client();
  const auto download = client->open({.url = "http://127.0.0.1:1/", .accept_gzip = true}, {});
  ASSERT_FALSE(download);
  EXPECT_EQ(download.error().code(), Code::kInvalid);
}

}  // namespace
}  // namespace landfall::io
