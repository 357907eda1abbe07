#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netdb.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "io/http_client.h"
#include "testkit/scripted_server.h"
#include "testkit/test_certificates.h"

namespace {

// Opened when somebody resolves this name; the answer does not come before the other one is opened.
constexpr std::string_view kSlowName = "slow.resolver.test";

struct SlowResolver {
  landfall::testkit::Gate asked;
  landfall::testkit::Gate answer;
};
std::atomic<SlowResolver*> g_slow_resolver = nullptr;
std::atomic<int> g_slow_threads = 0;

}  // namespace

// Stands before the C library's, for libcurl too, so that a name server can be slow without one.
extern "C" int getaddrinfo(const char* name, const char* service, const addrinfo* hints, addrinfo** result) {
  if (name != nullptr && name == kSlowName) {
    SlowResolver* slow = g_slow_resolver;
    ++g_slow_threads;
    slow->asked.open();
    slow->answer.await();
    --g_slow_threads;
    return EAI_NONAME;
  }
  using Function = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): what dlsym is for
  static const auto real = reinterpret_cast<Function>(::dlsym(RTLD_NEXT, "getaddrinfo"));
  return real(name, service, hints, result);
}

namespace landfall::io {
namespace {

using ::testing::HasSubstr;
using testkit::Gate;
using testkit::reply;
using testkit::ScriptedConnection;
using testkit::ScriptedRequest;
using testkit::ScriptedServer;
using testkit::ScriptedTls;

// Generous for a busy machine; a call that does not notice its stop would take until the server's patience ends, which
// is testkit::kPatience at least.
constexpr auto kAtOnce = std::chrono::seconds(20);

std::unique_ptr<HttpClient> make_client(HttpTlsOptions tls = {}) {
  return HttpClient::create({.tls = std::move(tls)}).value();
}

// Runs the call on a thread of its own, stops it as soon as when() returns, and says how it ended.
HttpError stopped(const std::function<HttpResult<HttpResponse>(const std::stop_token&)>& call,
                  const std::function<bool()>& when) {
  std::stop_source stop;
  std::optional<HttpError> error;
  SteadyTime ended;
  std::thread thread([&] {
    const auto response = call(stop.get_token());
    ended = system_clock().now();
    if (!response) error = response.error();
  });
  EXPECT_TRUE(when());
  const SteadyTime start = system_clock().now();
  stop.request_stop();
  thread.join();
  EXPECT_LT(ended - start, kAtOnce);
  return error.value_or(HttpError(Error(Code::kInternal, "it succeeded"), true));
}

TEST(HttpCancel, EndsACallThatIsResolvingAName) {
  SlowResolver slow;
  g_slow_resolver = &slow;
  const auto client = make_client();
  const HttpError error = stopped(
      [&](const std::stop_token& stop) {
        return client->send({.url = "http://" + std::string(kSlowName) + "/"}, stop);
      },
      [&] { return slow.asked.await(); });
  EXPECT_EQ(error.code(), Code::kCancelled);
  EXPECT_FALSE(error.request_may_have_been_sent());
  EXPECT_THAT(error.message(), HasSubstr("cancelled while connecting"));
  EXPECT_EQ(g_slow_threads, 1) << "the resolver is still at it, and nobody waits for it";
  slow.answer.open();
  while (g_slow_threads > 0) std::this_thread::yield();
}

TEST(HttpCancel, EndsACallThatIsInTheTlsHandshake) {
  ScriptedServer server([](ScriptedConnection& c) { c.hold(); });
  std::string url = server.url();
  url.replace(0, 4, "https");
  const auto client = make_client({.skip_verification = true});
  const HttpError error = stopped([&](const std::stop_token& stop) { return client->send({.url = url}, stop); },
                                  [&] { return server.await_connections(1); });
  EXPECT_EQ(error.code(), Code::kCancelled);
  EXPECT_FALSE(error.request_may_have_been_sent());
}

TEST(HttpCancel, EndsACallThatWaitsForTheResponse) {
  ScriptedServer server([](ScriptedConnection& c) {
    if (c.read_request()) c.hold();
  });
  const auto client = make_client();
  const HttpError error =
      stopped([&](const std::stop_token& stop) { return client->send({.method = "POST", .url = server.url()}, stop); },
              [&] { return server.await_requests(1); });
  EXPECT_EQ(error.code(), Code::kCancelled);
  EXPECT_TRUE(error.request_may_have_been_sent());
  EXPECT_THAT(error.message(), HasSubstr("cancelled while waiting for the response"));
  EXPECT_TRUE(server.await_finished(1)) << "the connection is closed";
}

TEST(HttpCancel, EndsAWatch) {
  Gate event_seen;
  ScriptedServer server([](ScriptedConnection& c) {
    if (c.read_request() && c.send("HTTP/1.1 200 OK\r\n\r\nevent\n")) c.hold();
  });
  const auto client = make_client();
  const HttpError error = stopped(
      [&](const std::stop_token& stop) {
        return client->stream({.url = server.url()},
                              {.on_body =
                                   [&](std::string_view) {
                                     event_seen.open();
                                     return HttpFlow::kContinue;
                                   }},
                              stop);
      },
      [&] { return event_seen.await(); });
  EXPECT_EQ(error.code(), Code::kCancelled);
}

TEST(HttpCancel, EndsABodyThatNeverStopsComing) {
  Gate started;
  ScriptedServer server([](ScriptedConnection& c) {
    const std::string piece(100'000, 'x');
    if (c.read_request() && c.send("HTTP/1.1 200 OK\r\n\r\n")) {
      while (c.send(piece)) {
      }
    }
  });
  const auto client = make_client();
  const HttpError error = stopped(
      [&](const std::stop_token& stop) {
        return client->stream({.url = server.url()},
                              {.on_body =
                                   [&](std::string_view) {
                                     started.open();
                                     return HttpFlow::kContinue;
                                   }},
                              stop);
      },
      [&] { return started.await(); });
  EXPECT_EQ(error.code(), Code::kCancelled);
}

TEST(HttpCancel, EndsAnUploadThatIsStuck) {
  Gate never;
  ScriptedServer server([&](ScriptedConnection& c) {
    if (c.read_head()) c.wait(never);
  });
  const std::string bytes(64UL << 20U, 'x');
  const auto client = make_client();
  const HttpError error = stopped(
      [&](const std::stop_token& stop) {
        return client->send({.method = "PUT", .url = server.url(), .body = HttpBody::view(bytes)}, stop);
      },
      [&] { return server.await_requests(1); });
  EXPECT_EQ(error.code(), Code::kCancelled);
  EXPECT_TRUE(error.request_may_have_been_sent());
}

TEST(HttpCancel, EndsADownloadThatWaitsForMore) {
  Gate reading;
  ScriptedServer server([](ScriptedConnection& c) {
    if (c.read_request() && c.send("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nsome")) c.hold();
  });
  const auto client = make_client();
  const HttpError error = stopped(
      [&](const std::stop_token& stop) -> HttpResult<HttpResponse> {
        auto download = client->open({.url = server.url()}, stop);
        if (!download) return tl::unexpected(download.error());
        reading.open();
        const Result<std::string> all = read_all(**download, 100);
        return tl::unexpected(HttpError(all ? Error(Code::kInternal, "whole") : all.error(), true));
      },
      [&] { return reading.await(); });
  EXPECT_EQ(error.code(), Code::kCancelled);
}

TEST(HttpCancel, BeforeTheCallSendsNothing) {
  ScriptedServer server([](ScriptedConnection&) {});
  std::stop_source stop;
  stop.request_stop();
  const auto response = make_client()->send({.url = server.url()}, stop.get_token());
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().code(), Code::kCancelled);
  EXPECT_EQ(server.connections(), 0);
}

TEST(HttpCancel, OfOneCallLeavesTheOthersAlone) {
  Gate release;
  ScriptedServer server([&](ScriptedConnection& c) {
    const auto request = c.read_request();
    if (request && request->target == "/kept" && c.wait(release)) c.send(reply(200, "kept"));
    if (request && request->target == "/stopped") c.hold();
  });
  const auto client = make_client();
  std::string kept;
  std::thread other([&] { kept = client->send({.url = server.url("/kept")}, {})->body; });
  const HttpError error =
      stopped([&](const std::stop_token& stop) { return client->send({.url = server.url("/stopped")}, stop); },
              [&] { return server.await_requests(2); });
  release.open();
  other.join();
  EXPECT_EQ(error.code(), Code::kCancelled);
  EXPECT_EQ(kept, "kept");
}

// 64 threads share the client, some of them over TLS; each gets its own answers, over no more connections than threads.
void share_a_client(HttpClient& client, const ScriptedServer& server, int threads, int calls) {
  std::atomic<int> right = 0;
  std::vector<std::thread> workers;
  workers.reserve(static_cast<std::size_t>(threads));
  for (int t = 0; t < threads; ++t) {
    workers.emplace_back([&, t] {
      std::stop_source stop;
      for (int i = 0; i < calls; ++i) {
        const std::string text = std::to_string(t) + "/" + std::to_string(i);
        const auto response = client.send(
            {.method = "POST", .url = server.url("/" + text), .body = HttpBody::bytes(text)}, stop.get_token());
        if (response && response->body == "/" + text + " " + text) ++right;
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  EXPECT_EQ(right, threads * calls);
  EXPECT_LE(server.connections(), threads);
}

ScriptedServer::Script echo() {
  return ScriptedServer::answering(
      [](const ScriptedRequest& request) { return reply(200, request.target + " " + request.body); });
}

TEST(HttpThreads, ShareAClient) {
  ScriptedServer server(echo());
  const auto client = make_client();
  share_a_client(*client, server, 64, 20);
}

TEST(HttpThreads, ShareAClientOverTls) {
  const testkit::TestCertificates certificates;
  const auto pair = certificates.server();
  ScriptedServer server(echo(), ScriptedTls{.certificate_pem = pair.certificate, .key_pem = pair.key});
  const auto client = make_client({.ca_pem = certificates.ca()});
  share_a_client(*client, server, 32, 5);
}

TEST(HttpThreads, MayBeStoppedAllAtOnceAndAtAnyMoment) {
  ScriptedServer server(echo());
  const auto client = make_client();
  std::stop_source stop;
  std::atomic<int> cancelled = 0;
  std::vector<std::thread> workers;
  for (int t = 0; t < 16; ++t) {
    workers.emplace_back([&] {
      while (true) {
        const auto response = client->send({.url = server.url("/x")}, stop.get_token());
        if (response) continue;
        if (response.error().code() == Code::kCancelled) ++cancelled;
        return;
      }
    });
  }
  ASSERT_TRUE(server.await_requests(200));
  client->close_idle_connections();
  stop.request_stop();
  for (std::thread& worker : workers) worker.join();
  EXPECT_EQ(cancelled, 16);
}

}  // namespace
}  // namespace landfall::io
