// The client against a real kube-apiserver, beside the leanest loop that libcurl allows: a handle per thread that posts
// prepared bodies and does not look at the answers. 10,000 config maps over 64 connections, medians of five alternating
// runs, and their ratio. Then: what it takes to list them, as raw pages and as documents.

#include <benchmark/benchmark.h>
#include <curl/curl.h>
#include <malloc.h>

#include <array>
#include <atomic>
#include <fstream>
#include <string>
#include <vector>

#include "json/parse.h"
#include "kube/raw_list.h"
#include "real/bench_objects.h"
#include "real/real_client.h"

namespace landfall::kube {
namespace {

constexpr int kThreads = 64;
constexpr int kObjects = 10'000;
constexpr std::size_t kRounds = 5;
std::size_t ignore(char*, std::size_t one, std::size_t count, void*) { return one * count; }

void post_bare(const std::string& url, const std::string& ca, const std::vector<std::string>& bodies,
               std::atomic<int>& next, std::atomic<int>& wrong) {
  CURL* easy = curl_easy_init();
  curl_slist* headers = curl_slist_append(nullptr, "Content-Type: application/json");
  headers = curl_slist_append(headers, "Authorization: Bearer admintoken");
  std::string authorities = ca;
  curl_blob blob{.data = authorities.data(), .len = authorities.size(), .flags = CURL_BLOB_COPY};
  curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
  curl_easy_setopt(easy, CURLOPT_CAINFO_BLOB, &blob);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &ignore);
  for (int i = next++; i < kObjects; i = next++) {
    const std::string& body = bodies[static_cast<std::size_t>(i)];
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, static_cast<long>(body.size()));
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body.data());
    long status = 0;
    const CURLcode code = curl_easy_perform(easy);
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    wrong += code == CURLE_OK && status == 201 ? 0 : 1;
  }
  curl_slist_free_all(headers);
  curl_easy_cleanup(easy);
}

void create_objects(benchmark::State& state) {
  const RealClient real;
  const std::string ca = real_file("ca.crt");
  std::vector<std::string> bodies;
  for (int i = 0; i < kObjects; ++i) {
    bodies.push_back(json::dump(bench_object(i)));
  }
  std::atomic<int> wrong = 0;
  std::array<double, kRounds> bare{};
  std::array<double, kRounds> ours{};
  for ([[maybe_unused]] auto _ : state) {
    for (std::size_t round = 0; round < kRounds; ++round) {
      const std::string for_bare = fresh_namespace(*real);
      const std::string url = real.server() + "/api/v1/namespaces/" + for_bare + "/configmaps";
      bare[round] =
          rate_of(kThreads, kObjects, [&](std::atomic<int>& next) { post_bare(url, ca, bodies, next, wrong); });
      ours[round] = create_bench_objects({*real, kBenchKind, fresh_namespace(*real)}, kThreads, kObjects, wrong);
    }
  }
  if (wrong != 0) {
    state.SkipWithError("calls failed");
  }
  state.counters["bare_per_s"] = median(bare);
  state.counters["ours_per_s"] = median(ours);
  state.counters["ratio"] = median(ours) / median(bare);
}

// The most memory this process has had since the last reset, in MiB.
double peak_memory() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with("VmHWM:")) {
      return std::stod(line.substr(6)) / 1024;
    }
  }
  return 0;
}
void reset_peak_memory() {
  ::malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";
}

void list_objects(benchmark::State& state, bool raw) {
  const RealClient real;
  const Resource config_maps(*real, kBenchKind, fresh_namespace(*real));
  std::atomic<int> wrong = 0;
  create_bench_objects(config_maps, kThreads, kObjects, wrong);
  std::size_t objects = 0;
  std::size_t bytes = 0;
  reset_peak_memory();
  for ([[maybe_unused]] auto _ : state) {
    objects = 0;
    if (!raw) {
      objects = config_maps.list({}, {}).value().items.size();
      continue;
    }
    RawList list(config_maps, {});
    std::string text;
    while (auto page = list.next({}).value().page) {
      for (const RawItem& item : page->items()) {
        text.clear();
        page->append_object(item, text);
        bytes += text.size();
        ++objects;
      }
    }
  }
  if (wrong != 0 || objects < kObjects) {
    state.SkipWithError("objects are missing");
  }
  state.counters["objects"] = static_cast<double>(objects);
  state.counters["peak_MiB"] = peak_memory();
  state.counters["objects_per_s"] =
      benchmark::Counter(static_cast<double>(objects), benchmark::Counter::kIsIterationInvariantRate);
}

BENCHMARK_CAPTURE(list_objects, as_raw_pages, true)->Unit(benchmark::kMillisecond)->Iterations(3)->UseRealTime();
BENCHMARK_CAPTURE(list_objects, as_documents, false)->Unit(benchmark::kMillisecond)->Iterations(3)->UseRealTime();
BENCHMARK(create_objects)->Unit(benchmark::kMillisecond)->Iterations(1)->UseRealTime();

}  // namespace
}  // namespace landfall::kube
