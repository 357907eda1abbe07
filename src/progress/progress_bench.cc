#include <benchmark/benchmark.h>
#include <malloc.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "progress/item_reporter.h"
#include "progress/item_tracker.h"

namespace landfall::progress {
namespace {

constexpr std::size_t kItems = 300'000;

// Names as a large cluster has them: 40 kinds in 200 namespaces.
struct World {
  World() {
    names.reserve(kItems);
    kinds.reserve(40);
    namespaces.reserve(200);
    for (std::size_t i = 0; i < kItems; ++i) {
      names.push_back("checkout-service-7d4b9c8f6d-" + std::to_string(i));
    }
    for (int i = 0; i < 40; ++i) {
      kinds.push_back("widgets" + std::to_string(i) + ".shop.example.com");
    }
    for (int i = 0; i < 200; ++i) {
      namespaces.push_back("team-namespace-" + std::to_string(i));
    }
  }
  ItemId id(std::size_t i) const {
    return {.kind = kinds[i % kinds.size()], .ns = namespaces[i / 40 % namespaces.size()], .name = names[i]};
  }
  // The worst case for a map of maps: all of one kind in one namespace.
  ItemId same_place(std::size_t i) const { return {.kind = kinds[0], .ns = namespaces[0], .name = names[i]}; }

  std::vector<std::string> names;
  std::vector<std::string> kinds;
  std::vector<std::string> namespaces;
};

const World& world() {
  static const World kWorld;
  return kWorld;
}

ItemId pick(bool is_spread, std::size_t i) { return is_spread ? world().id(i) : world().same_place(i); }

// Memory for each item that was seen, planned and done.
void BM_TrackerMemory(benchmark::State& state) {
  const bool is_spread = state.range(0) != 0;
  world();
  for (auto _ : state) {
    const auto before = mallinfo2().uordblks;
    ItemTracker tracker;
    for (std::size_t i = 0; i < kItems; ++i) {
      tracker.planned(pick(is_spread, i));
    }
    tracker.collected();
    state.counters["bytes_per_item"] = static_cast<double>(mallinfo2().uordblks - before) / static_cast<double>(kItems);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kItems));
}
BENCHMARK(BM_TrackerMemory)->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void BM_TrackerDone(benchmark::State& state) {
  const bool is_spread = state.range(0) != 0;
  ItemTracker tracker;
  for (std::size_t i = 0; i < kItems; ++i) {
    tracker.planned(pick(is_spread, i));
  }
  std::size_t i = 0;
  for (auto _ : state) {
    tracker.done(pick(is_spread, i), Outcome::kCreated);
    i = (i + 7919) % kItems;
  }
}
BENCHMARK(BM_TrackerDone)->Arg(0)->Arg(1);

void BM_TrackerCounts(benchmark::State& state) {
  ItemTracker tracker;
  for (std::size_t i = 0; i < kItems; ++i) {
    i % 2 == 0 ? tracker.planned(world().id(i)) : tracker.not_selected(world().id(i), "excluded namespace");
  }
  tracker.collected();
  for (auto _ : state) {
    benchmark::DoNotOptimize(tracker.counts());
  }
}
BENCHMARK(BM_TrackerCounts);

// What a worker pays for an item: started and done, on the machine's clock, with two subscribers listening.
std::unique_ptr<ItemReporter> shared_reporter;
std::atomic<std::size_t> next_item;

void set_up(const benchmark::State& /*state*/) {
  next_item = 0;
  shared_reporter = std::make_unique<ItemReporter>(system_clock(), Logger());
  for (const char* name : {"resource", "metrics"}) {
    shared_reporter->subscribe(name, [](const ItemProgress&, const std::stop_token&) { return Status(); });
  }
  for (std::size_t i = 0; i < kItems; ++i) {
    shared_reporter->planned(world().id(i));
  }
  shared_reporter->collected();
  shared_reporter->step(ItemStep::kRestoringItems);
  shared_reporter->start();
}
void tear_down(const benchmark::State& /*state*/) { shared_reporter.reset(); }

void BM_ReporterItem(benchmark::State& state) {
  for (auto _ : state) {
    const ItemId id = world().id(next_item++ * 7919 % kItems);
    shared_reporter->started(id);
    shared_reporter->done(id, Outcome::kCreated);
  }
}
BENCHMARK(BM_ReporterItem)->Setup(set_up)->Teardown(tear_down)->Threads(1)->Threads(8)->UseRealTime();

}  // namespace
}  // namespace landfall::progress
