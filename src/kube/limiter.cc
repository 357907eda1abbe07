#include "kube/limiter.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace landfall::kube {
namespace {

// Calls that were sent together are refused together: one lowering stands for all of them.
constexpr Duration kOneEvent = std::chrono::milliseconds(500);

Duration seconds(double count) { return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(count)); }

Error no_turn(const std::stop_token& stop) {
  return stop.stop_requested() ? Error(Code::kCancelled, "stopped while waiting for a turn")
                               : Error(Code::kTimeout, "the deadline passed while waiting for a turn");
}

}  // namespace

RateLimiter::RateLimiter(double per_second, int burst, Clock& clock)
    : step_(per_second > 0 ? seconds(1 / per_second) : Duration::zero()),
      credit_(per_second > 0 ? seconds(std::max(1, burst) / per_second) : Duration::zero()),
      clock_(clock),
      last_(clock.now() - credit_) {}

Status RateLimiter::acquire(SteadyTime deadline, const std::stop_token& stop) {
  if (step_ == Duration::zero()) {
    return {};
  }
  const SteadyTime now = clock_.now();
  const SteadyTime turn = last_.with([&](SteadyTime& last) {
    const SteadyTime next = std::max(last, now - credit_) + step_;
    if (next <= std::max(deadline, now)) {
      last = next;
    }
    return next;
  });
  if (turn <= now) {
    return {};
  }
  if (turn > deadline || !clock_.sleep_for(turn - now, stop)) {
    return tl::unexpected(no_turn(stop));
  }
  return {};
}

ConcurrencyLimiter::ConcurrencyLimiter(int most, Clock& clock)
    : most_(std::max(1, most)),
      clock_(clock),
      state_(State{.limit = static_cast<double>(most_), .lowered_at = clock.now() - kOneEvent}) {}

Result<ConcurrencyLimiter::Place> ConcurrencyLimiter::acquire(SteadyTime deadline, const std::stop_token& stop) {
  const bool got = state_.wait_then(
      clock_, stop, deadline, [](const State& s) { return s.under_way < static_cast<int>(s.limit); },
      [](State& s) { ++s.under_way; });
  if (!got) {
    return tl::unexpected(no_turn(stop));
  }
  return Place(this);
}

ConcurrencyLimiter::Place::~Place() {
  if (limiter_ != nullptr) {
    limiter_->state_.update([](State& s) { --s.under_way; });
  }
}

void ConcurrencyLimiter::succeeded() {
  if (limit() == most_) {
    return;  // the usual case: nothing to give back, nobody to wake
  }
  state_.update([&](State& s) { s.limit = std::min<double>(most_, s.limit + 1 / s.limit); });
}

void ConcurrencyLimiter::pushed_back() {
  const SteadyTime now = clock_.now();
  state_.update([&](State& s) {
    if (now - s.lowered_at >= kOneEvent) {
      s.limit = std::max(1.0, s.limit / 2);
      s.lowered_at = now;
    }
  });
}

int ConcurrencyLimiter::limit() const {
  return state_.with([](const State& s) { return static_cast<int>(s.limit); });
}

}  // namespace landfall::kube
