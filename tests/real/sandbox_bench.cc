// The sandbox beside a real kube-apiserver with its etcd: 10,000 creates over 32 connections, medians of five
// alternating runs, and their ratio. Then what the sandbox's process takes in memory for 10,000 and for 300,000
// objects, and how a list of them comes. The sandbox is the program that stands beside this one ($LANDFALL_BINARY names
// another).

#include <benchmark/benchmark.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "io/process.h"
#include "io/temp_dir.h"
#include "kube/raw_list.h"
#include "real/bench_objects.h"
#include "real/real_client.h"

namespace landfall::kube {
namespace {

constexpr int kThreads = 32;
constexpr int kObjects = 10'000;
constexpr int kMany = 300'000;
constexpr std::size_t kRounds = 5;
// Objects a second, in a namespace of their own.
double create(Client& client, int count, std::atomic<int>& wrong) {
  return create_bench_objects({client, kBenchKind, fresh_namespace(client)}, kThreads, count, wrong);
}

// A sandbox in a process of its own.
class SandboxProcess {
 public:
  SandboxProcess() : runner_(io::make_system_process_runner(system_clock())) {
    const std::string beside = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "landfall";
    io::ProcessSpec spec;
    spec.argv = {Environment::of_process().get_or("LANDFALL_BINARY", beside),
                 "sandbox",
                 "start",
                 "--kubeconfig-out",
                 kubeconfig(),
                 "--no-workloads"};
    spec.env = {{"HOME", dir_.path()}};
    thread_ = std::jthread([this, spec](const std::stop_token& stop) {
      const auto ended = runner_->run(spec, stop);
      failed_ = !ended && ended.error().code() != Code::kCancelled;
    });
    while (!std::filesystem::exists(kubeconfig()) && !failed_) {
      system_clock().sleep_for(std::chrono::milliseconds(10), {});
    }
  }
  std::string kubeconfig() const { return dir_.path() + "/kubeconfig"; }

  // In MiB, of the process that has our kubeconfig among its arguments.
  double memory() const {
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      std::ifstream arguments(entry.path() / "cmdline", std::ios::binary);
      const std::string line(std::istreambuf_iterator<char>(arguments), {});
      if (line.find(kubeconfig()) == std::string::npos) {
        continue;
      }
      std::ifstream status(entry.path() / "status");
      for (std::string field; std::getline(status, field);) {
        if (field.starts_with("VmRSS:")) {
          return std::stod(field.substr(6)) / 1024;
        }
      }
    }
    return 0;
  }

 private:
  io::TempDir dir_ = io::TempDir::create("/tmp").value();
  std::unique_ptr<io::ProcessRunner> runner_;
  std::atomic<bool> failed_ = false;
  std::jthread thread_;
};

void create_objects(benchmark::State& state) {
  const SandboxProcess process;
  const RealClient sandbox({}, process.kubeconfig());
  const RealClient real;
  std::atomic<int> wrong = 0;
  std::array<double, kRounds> of_sandbox{};
  std::array<double, kRounds> of_real{};
  double memory = 0;
  for ([[maybe_unused]] auto _ : state) {
    for (std::size_t round = 0; round < kRounds; ++round) {
      of_sandbox[round] = create(*sandbox, kObjects, wrong);
      memory = round == 0 ? process.memory() : memory;
      of_real[round] = create(*real, kObjects, wrong);
    }
  }
  if (wrong != 0) {
    state.SkipWithError("calls failed");
  }
  state.counters["real_per_s"] = median(of_real);
  state.counters["sandbox_per_s"] = median(of_sandbox);
  state.counters["ratio"] = median(of_sandbox) / median(of_real);
  state.counters["MiB_for_10k"] = memory;
}

void hold_many(benchmark::State& state) {
  const SandboxProcess process;
  const RealClient sandbox({}, process.kubeconfig());
  std::atomic<int> wrong = 0;
  std::size_t listed = 0;
  double before_list = 0;
  for ([[maybe_unused]] auto _ : state) {
    create(*sandbox, kMany, wrong);
    before_list = process.memory();
    RawList list(Resource(*sandbox, kBenchKind), {.label_selector = "app=bench"});
    while (const auto page = list.next({}).value().page) {
      listed += page->items().size();
    }
  }
  if (wrong != 0 || listed != kMany) {
    state.SkipWithError("objects are missing");
  }
  state.counters["MiB_for_300k"] = before_list;
  state.counters["MiB_after_list"] = process.memory();
}

BENCHMARK(create_objects)->Unit(benchmark::kMillisecond)->Iterations(1)->UseRealTime();
BENCHMARK(hold_many)->Unit(benchmark::kMillisecond)->Iterations(1)->UseRealTime();

}  // namespace
}  // namespace landfall::kube
