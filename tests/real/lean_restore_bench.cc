// The leanest client that can put a backup's objects into a cluster, for restore_bench to compare with: a libcurl
// handle per thread posts prepared bodies over 64 connections and does not look at the answers. First the namespaces,
// then as many small config maps into each, with the labels of a restore. Reports the wall time and CPU of the posting
// alone.
//
// LANDFALL_BENCH_NAMESPACES names the namespaces, with commas between them; LANDFALL_BENCH_EACH is how many config maps
// each gets (1000).

#include <benchmark/benchmark.h>
#include <curl/curl.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "io/file.h"
#include "real/real_components.h"

namespace landfall {
namespace {

constexpr int kThreads = 64;

struct Post {
  std::string url;
  std::string body;
};

std::size_t ignore(char*, std::size_t one, std::size_t count, void*) { return one * count; }

// One connection. Kept from one stage to the next, as any client would.
class Poster {
 public:
  explicit Poster(std::string authorities) : authorities_(std::move(authorities)) {
    curl_blob blob{.data = authorities_.data(), .len = authorities_.size(), .flags = CURL_BLOB_NOCOPY};
    headers_ = curl_slist_append(headers_, "Content-Type: application/json");
    headers_ = curl_slist_append(headers_, "Authorization: Bearer admintoken");
    curl_easy_setopt(easy_, CURLOPT_CAINFO_BLOB, &blob);
    curl_easy_setopt(easy_, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy_, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    curl_easy_setopt(easy_, CURLOPT_HTTPHEADER, headers_);
    curl_easy_setopt(easy_, CURLOPT_WRITEFUNCTION, &ignore);
  }
  Poster(const Poster&) = delete;
  Poster& operator=(const Poster&) = delete;
  ~Poster() {
    curl_slist_free_all(headers_);
    curl_easy_cleanup(easy_);
  }

  // Whether the object has been created.
  bool send(const Post& post) {
    curl_easy_setopt(easy_, CURLOPT_URL, post.url.c_str());
    curl_easy_setopt(easy_, CURLOPT_POSTFIELDSIZE, static_cast<long>(post.body.size()));
    curl_easy_setopt(easy_, CURLOPT_POSTFIELDS, post.body.data());
    long status = 0;
    const CURLcode code = curl_easy_perform(easy_);
    curl_easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
    return code == CURLE_OK && status == 201;
  }

 private:
  std::string authorities_;
  curl_slist* headers_ = nullptr;
  CURL* easy_ = curl_easy_init();
};

// Each of the threads takes the next one until none is left. Returns how many failed.
int send_all(const std::vector<Post>& posts, std::vector<std::unique_ptr<Poster>>& posters) {
  std::atomic<std::size_t> next = 0;
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> running;
    for (const auto& poster : posters) {
      running.emplace_back([&, sender = poster.get()] {
        for (std::size_t i = next++; i < posts.size(); i = next++) {
          wrong += sender->send(posts[i]) ? 0 : 1;
        }
      });
    }
  }
  return wrong;
}

double cpu_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) {
    out.push_back(part);
  }
  return out;
}

struct Prepared {
  std::vector<Post> namespaces;
  std::vector<Post> config_maps;
};

Prepared prepare(const std::vector<std::string>& namespaces, int each) {
  const std::string base = real_component("LANDFALL_REAL_API") + "/api/v1/namespaces";
  const std::string data(300, 'x');
  Prepared out;
  for (const std::string& name : namespaces) {
    out.namespaces.push_back({base, R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")" + name +
                                        R"(","labels":{"kubernetes.io/metadata.name":")" + name + R"("}}})"});
    for (int i = 0; i < each; ++i) {
      out.config_maps.push_back(
          {base + "/" + name + "/configmaps",
           R"({"apiVersion":"v1","data":{"value":")" + data + R"("},"kind":"ConfigMap","metadata":{"labels":{"app":)" +
               R"("bench","velero.io/backup-name":"lean-backup","velero.io/restore-name":"lean-restore"},"name":)" +
               R"("settings-)" + std::to_string(i) + R"(","namespace":")" + name + R"("}})"});
    }
  }
  return out;
}

void lean_restore(benchmark::State& state) {
  const Environment environment = Environment::of_process();
  const auto namespaces = split_at_commas(environment.get_or("LANDFALL_BENCH_NAMESPACES", ""));
  const Prepared prepared = prepare(namespaces, std::stoi(environment.get_or("LANDFALL_BENCH_EACH", "1000")));
  const auto authorities = io::read_file(real_component("LANDFALL_REAL_PKI") + "/ca.crt", 1 << 20);
  if (namespaces.empty() || !authorities) {
    state.SkipWithError("needs LANDFALL_BENCH_NAMESPACES, and the variables of the real components");
    return;
  }
  int wrong = 0;
  double wall = 0;
  double cpu = 0;
  for ([[maybe_unused]] auto _ : state) {
    const SteadyTime start = system_clock().now();
    const double cpu_before = cpu_seconds();
    std::vector<std::unique_ptr<Poster>> posters;
    for (int i = 0; i < kThreads; ++i) {
      posters.push_back(std::make_unique<Poster>(*authorities));
    }
    wrong = send_all(prepared.namespaces, posters) + send_all(prepared.config_maps, posters);
    posters.clear();
    cpu = cpu_seconds() - cpu_before;
    wall = std::chrono::duration<double>(system_clock().now() - start).count();
  }
  if (wrong != 0) {
    state.SkipWithError("calls failed");
  }
  state.counters["objects"] = static_cast<double>(prepared.namespaces.size() + prepared.config_maps.size());
  state.counters["wall_s"] = wall;
  state.counters["cpu_s"] = cpu;
}

BENCHMARK(lean_restore)->Iterations(1)->UseRealTime();

}  // namespace
}  // namespace landfall
