#include "kube/connection.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/guarded.h"
#include "kube/credentials.h"
#include "kube/server_url.h"

namespace landfall::kube {
namespace {

// Longer than a plugin is given.
constexpr Duration kLongestRenewal = std::chrono::seconds(75);

using IdentityPointer = std::shared_ptr<const Identity>;

struct State {
  Renewed current;        // without an identity before the first
  bool rejected = false;  // the server refused the current one
  bool is_busy = false;   // a thread is renewing it: only that one touches the credentials
  std::optional<Error> failure;
  SteadyTime retry_at = SteadyTime::min();
};

enum class Step { kUse, kFail, kWait, kRenew };

}  // namespace

struct Connection::Impl {
  Impl(Config the_config, Environment the_environment, io::ProcessRunner& processes, Clock& the_clock, Logger log)
      : config(std::move(the_config)),
        environment(std::move(the_environment)),
        clock(the_clock),
        credentials(config, environment, processes, clock, std::move(log)),
        uses_plugin(credentials.uses_plugin()),
        can_change(credentials.can_change()) {}

  bool is_usable(const State& now) const;
  bool is_due(const State& now) const;
  Step next_step(const State& now) const;
  Error ended_early(const std::stop_token& stop) const;
  Result<IdentityPointer> renew(const std::stop_token& stop, SteadyTime deadline);
  Result<IdentityPointer> identity(const std::stop_token& stop, SteadyTime deadline);

  const Config config;
  const Environment environment;
  Clock& clock;
  std::string server;
  Credentials credentials;
  const bool uses_plugin;
  const bool can_change;
  Monitor<State> state;
};

bool Connection::Impl::is_usable(const State& now) const {
  if (!now.current.identity || (now.rejected && uses_plugin)) {
    return false;
  }
  return clock.wall_now() < now.current.expires || clock.now() < now.current.settled_until;
}

bool Connection::Impl::is_due(const State& now) const {
  const SteadyTime time = clock.now();
  return now.rejected || time >= now.current.look_again ||
         (time >= now.current.renew_not_before && clock.wall_now() >= now.current.renew_from);
}

Step Connection::Impl::next_step(const State& now) const {
  if (is_usable(now)) {
    return is_due(now) && !now.is_busy ? Step::kRenew : Step::kUse;
  }
  if (now.is_busy) {
    return Step::kWait;
  }
  return now.failure && clock.now() < now.retry_at ? Step::kFail : Step::kRenew;
}

Error Connection::Impl::ended_early(const std::stop_token& stop) const {
  return stop.stop_requested() ? Error(Code::kCancelled, config.origin + ": stopped while the credentials were renewed")
                               : Error(Code::kTimeout, config.origin + ": the credentials were not renewed in time");
}

Result<IdentityPointer> Connection::Impl::renew(const std::stop_token& stop, SteadyTime deadline) {
  const bool rejected = state.with([](const State& now) { return now.rejected; });
  Result<Renewed> renewed = credentials.renew(rejected, stop, deadline);
  // Our caller had no more time; that says nothing about the credentials.
  const bool was_stopped = !renewed && (stop.stop_requested() || clock.now() >= deadline);
  state.update([&](State& now) {
    now.is_busy = false;
    if (renewed) {
      now.rejected = now.rejected && !rejected && renewed->identity == now.current.identity;
      now.current = *renewed;
      now.failure.reset();
    } else if (!was_stopped) {
      now.failure = renewed.error();
      now.retry_at = credentials.retry_at();
    }
  });
  if (was_stopped) {
    return tl::unexpected(ended_early(stop));
  }
  return std::move(renewed).map([](Renewed&& done) { return std::move(done.identity); });
}

Result<IdentityPointer> Connection::Impl::identity(const std::stop_token& stop, SteadyTime deadline) {
  const SteadyTime wait_until = std::min(deadline, clock.after(kLongestRenewal));
  while (true) {
    std::optional<Result<IdentityPointer>> answer;
    const Step step = state.update([&](State& now) {
      const Step next = next_step(now);
      if (next == Step::kUse) {
        answer = now.current.identity;
      } else if (next == Step::kFail) {
        answer = tl::unexpected(*now.failure);
      } else if (next == Step::kRenew) {
        now.is_busy = true;
      }
      return next;
    });
    if (answer) {
      return *std::move(answer);
    }
    if (step == Step::kRenew) {
      return renew(stop, deadline);
    }
    if (!state.wait_until(clock, stop, wait_until, [](const State& now) { return !now.is_busy; })) {
      return tl::unexpected(ended_early(stop));
    }
  }
}

Connection::Connection(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Connection::~Connection() = default;

Result<std::unique_ptr<Connection>> Connection::create(Config config, Environment environment,
                                                       io::ProcessRunner& processes, Clock& clock, Logger log) {
  auto impl = std::make_unique<Impl>(std::move(config), std::move(environment), processes, clock, std::move(log));
  const std::string& origin = impl->config.origin;
  TRY_ASSIGN(impl->server, origin + ": server", normalize_server(impl->config.server));
  TRY(origin, impl->credentials.load());
  return std::unique_ptr<Connection>(
      new Connection(std::move(impl)));  // allow-call: the constructor is private, make_unique cannot
}

const std::string& Connection::server() const { return impl_->server; }
const Config& Connection::config() const { return impl_->config; }

Result<std::shared_ptr<const Identity>> Connection::identity(const std::stop_token& stop, SteadyTime deadline) {
  // Nearly always there is nothing to do, and then nobody has to be woken.
  auto ready = impl_->state.with(
      [&](const State& now) { return impl_->next_step(now) == Step::kUse ? now.current.identity : nullptr; });
  return ready ? Result<IdentityPointer>(std::move(ready)) : impl_->identity(stop, deadline);
}

bool Connection::reject(const std::shared_ptr<const Identity>& identity) {
  if (!impl_->can_change) {
    return false;
  }
  return impl_->state.update([&](State& now) {
    if (identity != now.current.identity) {
      return true;  // it has been replaced meanwhile
    }
    if (impl_->clock.now() < now.current.reject_not_before) {
      return false;  // another one would fare no better
    }
    now.rejected = true;
    return true;
  });
}

}  // namespace landfall::kube
