#include "sandbox/faults.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "json/access.h"
#include "json/json.h"
#include "sandbox/api_error.h"

namespace landfall::sandbox {
namespace {

using json::Json;
using std::chrono::milliseconds;

// A step of splitmix64, as a number from 0 up to 1.
double draw(std::uint64_t& state) {
  SeededRandom random(state);
  state = random.bits() | 1U;
  return random.unit();
}

Result<double> share_at(const Json& document, std::string_view field) {
  const double value = json::double_or(document, {field}, 0);
  if (value < 0 || value > 1) return fail(Code::kInvalid, std::string(field) + ": must be between 0 and 1");
  return value;
}

Result<std::int64_t> count_at(const Json& document, std::string_view field, std::int64_t fallback, std::int64_t most) {
  const std::int64_t value = json::int_or(document, {field}, fallback);
  if (value < 0 || value > most) {
    return fail(Code::kInvalid, std::string(field) + ": must be between 0 and " + std::to_string(most));
  }
  return value;
}

}  // namespace

bool FaultPlan::is_active() const {
  return latency > Duration::zero() || latency_spread > Duration::zero() || throttled > 0 || failed > 0;
}

Result<FaultPlan> FaultPlan::from_json(const Json& document) {
  static constexpr auto kKnown =
      std::to_array<std::string_view>({"seed", "latencyMs", "latencySpreadMs", "throttled", "throttleBurst",
                                       "retryAfterSeconds", "failed", "droppedWatches"});
  if (!document.is_object()) return fail(Code::kInvalid, "expected an object");
  for (const auto& [key, value] : document.items()) {
    if (std::ranges::find(kKnown, key) == kKnown.end()) return fail(Code::kInvalid, key + ": there is no such fault");
    if (!value.is_number()) return fail(Code::kInvalid, key + ": expected a number");
  }
  FaultPlan plan;
  TRY_ASSIGN(const auto seed, "", count_at(document, "seed", 1, INT64_MAX));
  plan.seed = static_cast<std::uint64_t>(seed);
  TRY_ASSIGN(const auto latency, "", count_at(document, "latencyMs", 0, 600'000));
  TRY_ASSIGN(const auto spread, "", count_at(document, "latencySpreadMs", 0, 600'000));
  plan.latency = milliseconds(latency);
  plan.latency_spread = milliseconds(spread);
  TRY_ASSIGN(plan.throttled, "", share_at(document, "throttled"));
  TRY_ASSIGN(const auto burst, "", count_at(document, "throttleBurst", 1, 1'000'000));
  plan.throttle_burst = static_cast<int>(burst);
  TRY_ASSIGN(const auto retry, "", count_at(document, "retryAfterSeconds", 1, 3600));
  plan.retry_after_seconds = static_cast<int>(retry);
  TRY_ASSIGN(plan.failed, "", share_at(document, "failed"));
  TRY_ASSIGN(plan.dropped, "", share_at(document, "droppedWatches"));
  return plan;
}

Json FaultPlan::to_json() const {
  const auto in_ms = [](Duration d) { return std::chrono::duration_cast<milliseconds>(d).count(); };
  return {{"seed", seed},           {"latencyMs", in_ms(latency)},     {"latencySpreadMs", in_ms(latency_spread)},
          {"throttled", throttled}, {"throttleBurst", throttle_burst}, {"retryAfterSeconds", retry_after_seconds},
          {"failed", failed},       {"droppedWatches", dropped}};
}

void Faults::set(const FaultPlan& plan) {
  state_.with([&](State& state) { state = {.plan = plan, .state = plan.seed}; });
}

FaultPlan Faults::plan() const {
  return state_.with([](const State& state) { return state.plan; });
}

Faults::Verdict Faults::next() {
  return state_.with([](State& state) {
    Verdict out;
    const FaultPlan& plan = state.plan;
    if (!plan.is_active()) return out;
    out.delay = plan.latency;
    if (plan.latency_spread > Duration::zero()) {
      const double part = draw(state.state) * static_cast<double>(plan.latency_spread.count());
      out.delay += Duration(static_cast<Duration::rep>(part));
    }
    if (state.burst_left == 0 && plan.throttled > 0 && draw(state.state) < plan.throttled) {
      state.burst_left = plan.throttle_burst;
    }
    if (state.burst_left > 0) {
      --state.burst_left;
      out.refusal = too_many_requests("the server has received too many requests and has asked us to try again later",
                                      plan.retry_after_seconds);
    } else if (plan.failed > 0 && draw(state.state) < plan.failed) {
      out.refusal = server_error("an injected fault");
    }
    return out;
  });
}

bool Faults::drops_watch() {
  return state_.with([](State& state) { return state.plan.dropped > 0 && draw(state.state) < state.plan.dropped; });
}

}  // namespace landfall::sandbox
