#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "base/random.h"
#include "json/json.h"
#include "kube/resource.h"

// What the benchmarks against an API server share.
namespace landfall::kube {

inline const k8s::GroupVersionResource kBenchKind{"", "v1", "configmaps"};

// A small object.
inline json::Json bench_object(int number) {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", {{"name", "object-" + std::to_string(number)}, {"labels", {{"app", "bench"}}}}},
          {"data", {{"value", std::string(300, 'x')}}}};
}

inline std::string fresh_namespace(Client& client) {
  const std::string name = "bench-" + name_suffix(system_random(), 8);
  const auto created = Resource(client, {"", "v1", "namespaces"})
                           .create({{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", name}}}}, {});
  return created ? name : "";
}

// How many a second, when each of the threads takes the next number until `count` are taken.
inline double rate_of(int threads, int count, const std::function<void(std::atomic<int>& next)>& work) {
  std::atomic<int> next = 0;
  const SteadyTime start = system_clock().now();
  {
    std::vector<std::jthread> running;
    running.reserve(static_cast<std::size_t>(threads));
    for (int i = 0; i < threads; ++i) {
      running.emplace_back([&] { work(next); });
    }
  }
  const std::chrono::duration<double> took = system_clock().now() - start;
  return count / took.count();
}

// Creates objects through the client in a namespace of their own, and counts what failed.
inline double create_bench_objects(const Resource& in, int threads, int count, std::atomic<int>& wrong) {
  return rate_of(threads, count, [&](std::atomic<int>& next) {
    for (int number = next++; number < count; number = next++) {
      wrong += in.create(bench_object(number), {}) ? 0 : 1;
    }
  });
}

template <std::size_t N>
double median(std::array<double, N> values) {
  std::ranges::sort(values);
  return values[N / 2];
}

}  // namespace landfall::kube
