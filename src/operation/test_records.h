#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "base/guarded.h"
#include "operation/memory_records.h"
#include "testkit/gate.h"

namespace landfall::operation {

// For tests: records in memory that fail, block and die as a test tells them to. What is in `memory` outlives the
// death: another one over it is the store that the next process sees.
class TestRecords final : public RecordStore {
 public:
  // Whether what fails, or what it dies in, is done all the same.
  enum class Effect { kNone, kDone };
  struct Script {
    int failing_puts = 0;
    int dies_after = -1;  // operations that change something or list; -1: it does not
    Effect effect = Effect::kNone;
    testkit::Gate* gate = nullptr;  // of every put
  };

  TestRecords(MemoryRecords& memory, Script script) : memory_(memory), counts_({.script = script}) {}

  Result<std::vector<std::string>> list(const std::stop_token& stop) override {
    return call([&] { return memory_.list(stop); });
  }
  Result<std::string> get(const std::string& name, const std::stop_token& stop) override {
    return memory_.get(name, stop);
  }
  Status put(const std::string& name, std::string_view bytes, const std::stop_token& stop) override {
    const auto [is_failing, has_effect, gate] = counts_.update([](Counts& counts) {
      ++counts.puts;
      Script& script = counts.script;
      return std::tuple(script.failing_puts > 0 && script.failing_puts-- > 0, script.effect == Effect::kDone,
                        script.gate);
    });
    if (gate != nullptr && !gate->await(stop)) return fail(Code::kCancelled, "stopped");
    if (is_failing) {
      if (has_effect) (void)memory_.put(name, bytes, stop);
      return fail(Code::kUnavailable, "no answer");
    }
    return call([&] { return memory_.put(name, bytes, stop); });
  }
  Status remove(const std::string& name, const std::stop_token& stop) override {
    return call([&] { return memory_.remove(name, stop); });
  }

  int put_count() const {
    return counts_.with([](const Counts& counts) { return counts.puts; });
  }
  bool is_dead() const {
    return counts_.with([](const Counts& counts) { return counts.is_dead; });
  }
  // Asked to stop when it dies: for flushes that would wait for a dead store.
  std::stop_token death() const { return death_.get_token(); }
  bool await_puts(int count) {
    return await([&](const Counts& counts) { return counts.puts >= count; });
  }
  // Until there are no more than so many records, or it is dead.
  bool await_records_at_most(std::size_t count) {
    return await([&](const Counts& counts) { return counts.is_dead || memory_.list({})->size() <= count; });
  }

 private:
  struct Counts {
    Script script;
    int puts = 0;
    int operations = 0;
    bool is_dead = false;
  };

  template <class Ready>
  bool await(const Ready& ready) {
    return counts_.wait_until(system_clock(), {}, system_clock().after(testkit::kPatience), ready);
  }

  template <class Run>
  auto call(const Run& run) -> decltype(run()) {
    return counts_.update([&](Counts& counts) -> decltype(run()) {
      const auto refuse = [] { return fail(Code::kUnavailable, "the process is dead"); };
      if (counts.is_dead) return refuse();
      if (counts.script.dies_after < 0 || counts.operations++ < counts.script.dies_after) return run();
      counts.is_dead = true;
      if (counts.script.effect == Effect::kDone) (void)run();
      death_.request_stop();
      return refuse();
    });
  }

  MemoryRecords& memory_;
  Monitor<Counts> counts_;
  std::stop_source death_;
};

}  // namespace landfall::operation
