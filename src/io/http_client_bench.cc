// How close the client comes to the leanest loop that libcurl allows: a handle per thread and prepared requests.
// Prints requests per second for both and their ratio, and the ratio of the processor time a request takes, the
// server's part included: on a busy machine only that one means something. All are medians of five alternating runs.

#include <benchmark/benchmark.h>
#include <curl/curl.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "io/http_client.h"
#include "testkit/scripted_server.h"
#include "testkit/test_certificates.h"

namespace landfall::io {
namespace {

using testkit::ScriptedConnection;
using testkit::ScriptedServer;

constexpr int kThreads = 64;
constexpr int kCallsPerThread = 400;
constexpr std::size_t kRounds = 5;

// Reads requests without taking them apart more than it must.
void serve(ScriptedConnection& connection) {
  const std::string answer = testkit::reply(201, std::string(1000, 'y'), {{"content-type", "application/json"}});
  constexpr std::string_view kLength = "Content-Length: ";
  std::string unread;
  while (auto bytes = connection.read_some()) {
    unread += *bytes;
    while (true) {
      const std::size_t end = unread.find("\r\n\r\n");
      const std::size_t field = unread.find(kLength);
      if (end == std::string::npos || field > end) {
        break;
      }
      std::size_t length = 0;
      const char* digits = unread.data() + field + kLength.size();
      std::from_chars(digits, unread.data() + end, length);
      if (unread.size() < end + 4 + length) {
        break;
      }
      unread.erase(0, end + 4 + length);
      connection.send(answer);
    }
  }
}

struct Speed {
  double per_second;
  double processor;  // microseconds a request
};

double processor_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

Speed measure(const std::function<void()>& calls_of_one_thread) {
  const SteadyTime start = system_clock().now();
  const double processor = processor_seconds();
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back(calls_of_one_thread);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  constexpr double kCalls = kThreads * kCallsPerThread;
  const std::chrono::duration<double> took = system_clock().now() - start;
  return {.per_second = kCalls / took.count(), .processor = (processor_seconds() - processor) * 1e6 / kCalls};
}

std::size_t append(char* bytes, std::size_t one, std::size_t count, void* text) {
  static_cast<std::string*>(text)->append(bytes, one * count);
  return one * count;
}

void bare_calls(const std::string& url, const std::string& body, const std::string& ca, std::atomic<int>& wrong) {
  CURL* easy = curl_easy_init();
  curl_slist* headers = curl_slist_append(nullptr, "Content-Type: application/json");
  curl_blob authority{.data = nullptr, .len = ca.size(), .flags = CURL_BLOB_COPY};
  std::string copy = ca;
  authority.data = copy.data();
  curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
  curl_easy_setopt(easy, CURLOPT_CAINFO_BLOB, &authority);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, static_cast<long>(body.size()));
  curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body.data());
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &append);
  for (int i = 0; i < kCallsPerThread; ++i) {
    std::string answer;
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &answer);
    if (curl_easy_perform(easy) != CURLE_OK || answer.size() != 1000) {
      ++wrong;
    }
  }
  curl_slist_free_all(headers);
  curl_easy_cleanup(easy);
}

void our_calls(HttpClient& client, const std::string& url, const std::string& body, const std::stop_token& stop,
               std::atomic<int>& wrong) {
  for (int i = 0; i < kCallsPerThread; ++i) {
    const auto response = client.send({.method = "POST",
                                       .url = url,
                                       .headers = {{"Content-Type", "application/json"}},
                                       .body = HttpBody::view(body),
                                       .deadline = system_clock().after(std::chrono::minutes(1))},
                                      stop);
    if (!response || response->body.size() != 1000) {
      ++wrong;
    }
  }
}

double median(std::array<Speed, kRounds> speeds, double Speed::* what) {
  std::ranges::sort(speeds, {}, what);
  return speeds[kRounds / 2].*what;
}

void compare(benchmark::State& state, bool secure) {
  const testkit::TestCertificates certificates;
  const auto pair = certificates.server();
  const testkit::ScriptedTls tls{.certificate_pem = pair.certificate, .key_pem = pair.key};
  const ScriptedServer server(serve, secure ? std::optional(tls) : std::nullopt);
  const auto client = HttpClient::create({.tls = {.ca_pem = certificates.ca()}}).value();
  const std::string url = server.url("/api/v1/namespaces/default/configmaps");
  const std::string body(1000, 'x');
  const std::stop_source stop;
  std::atomic<int> wrong = 0;
  std::array<Speed, kRounds> bare{};
  std::array<Speed, kRounds> ours{};
  for ([[maybe_unused]] auto _ : state) {
    for (std::size_t round = 0; round < kRounds; ++round) {
      bare[round] = measure([&] { bare_calls(url, body, certificates.ca(), wrong); });
      ours[round] = measure([&] { our_calls(*client, url, body, stop.get_token(), wrong); });
    }
  }
  if (wrong != 0) {
    state.SkipWithError("requests failed");
  }
  state.counters["bare_per_second"] = median(bare, &Speed::per_second);
  state.counters["ours_per_second"] = median(ours, &Speed::per_second);
  state.counters["ratio"] = median(ours, &Speed::per_second) / median(bare, &Speed::per_second);
  state.counters["processor_ratio"] = median(bare, &Speed::processor) / median(ours, &Speed::processor);
}

void BM_PostsOver64Connections(benchmark::State& state) { compare(state, false); }
BENCHMARK(BM_PostsOver64Connections)->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);

void BM_PostsOver64TlsConnections(benchmark::State& state) { compare(state, true); }
BENCHMARK(BM_PostsOver64TlsConnections)->Iterations(1)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace landfall::io
