#include "kube/leader_election.h"

#include <algorithm>
#include <thread>

#include "base/guarded.h"
#include "base/rfc3339.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "k8s/object_view.h"

namespace landfall::kube {
namespace {

const k8s::GroupVersionResource kLeases{"coordination.k8s.io", "v1", "leases"};
constexpr Duration kReleaseTimeout = std::chrono::seconds(2);

std::int64_t whole_seconds(Duration duration) {
  return std::chrono::duration_cast<std::chrono::seconds>(duration).count();
}

}  // namespace

LeaderElection::LeaderElection(Client& client, LeaderOptions options, Random& random, Logger log)
    : leases_(client, kLeases, options.name_space),
      options_(std::move(options)),
      clock_(client.clock()),
      random_(random),
      log_(log.with({{"lease", options_.name_space + "/" + options_.name}})) {}

Duration LeaderElection::jittered(Duration period) {
  return period + std::chrono::duration_cast<Duration>(std::chrono::duration<double, std::nano>(
                      static_cast<double>(period.count()) * 0.2 * random_.unit()));
}

Status LeaderElection::run(const std::function<Status(const std::stop_token&)>& work, const std::stop_token& stop) {
  while (wait_for_lease(stop)) {
    log_.info("holding the lease", {{"identity", options_.identity}});
    Status kept;
    Status outcome = work_under_lease(work, kept, stop);
    if (kept && options_.release_on_stop) {
      release();
    }
    if (kept || stop.stop_requested()) {
      return outcome;
    }
    log_.warning("lost the lease; the work was stopped", {LogField(kept.error())});
  }
  return fail(Code::kCancelled, "stopped before the lease was ours");
}

Status LeaderElection::work_under_lease(const std::function<Status(const std::stop_token&)>& work, Status& kept,
                                        const std::stop_token& stop) {
  std::stop_source work_stop;
  const std::stop_callback pass_on(stop, [&] { work_stop.request_stop(); });
  std::stop_source work_ended;
  Monitor<std::optional<Status>> outcome;
  const std::jthread worker([&] {
    Status result = work(work_stop.get_token());
    outcome.update([&](std::optional<Status>& it) { it = std::move(result); });
    work_ended.request_stop();
  });
  kept = keep(work_ended.get_token());
  work_stop.request_stop();
  const auto has_returned = [](const std::optional<Status>& it) { return it.has_value(); };
  if (!outcome.wait_until(clock_, {}, renewed_at_ + options_.lease_duration, has_returned)) {
    log_.error("the work goes on although the lease is lost");
    if (options_.on_overrun) {
      options_.on_overrun();
    }
    outcome.wait_until(clock_, {}, kNever, has_returned);
  }
  return *outcome.copy();
}

bool LeaderElection::wait_for_lease(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const auto held = try_hold(clock_.after(options_.renew_deadline), stop);
    if (held && *held) {
      return true;
    }
    if (!held && !stop.stop_requested()) {
      log_.warning("could not ask for the lease; trying again", {LogField(held.error())});
    }
    clock_.sleep_for(jittered(options_.retry_period), stop);
  }
  return false;
}

// Renews until the work has ended (success) or a renewal did not succeed in time (an error).
Status LeaderElection::keep(const std::stop_token& stop) {
  while (
      clock_.sleep_for(std::min(options_.retry_period, renewed_at_ + options_.renew_deadline - clock_.now()), stop)) {
    // No try may outlive the deadline: the work must have been told to stop before the lease can expire.
    const auto held = renew(renewed_at_ + options_.renew_deadline, stop);
    if (stop.stop_requested()) {
      break;
    }
    if (held && !*held) {
      return fail(Code::kConflict, "another replica holds it: " + observed_->holder);
    }
    if (!held && clock_.now() >= renewed_at_ + options_.renew_deadline) {
      return fail("not renewed in time", held.error());
    }
  }
  return {};
}

Result<Resource> LeaderElection::until(SteadyTime deadline) const {
  const Duration left = deadline - clock_.now();
  if (left <= Duration::zero()) return fail(Code::kTimeout, "no call has succeeded in time");
  return leases_.within(left);
}

Result<bool> LeaderElection::create(SteadyTime deadline, const std::stop_token& stop) {
  const std::string now = format_rfc3339_micro(clock_.wall_now());
  const json::Json lease = {{"apiVersion", "coordination.k8s.io/v1"},
                            {"kind", "Lease"},
                            {"metadata", {{"name", options_.name}, {"namespace", options_.name_space}}},
                            {"spec",
                             {{"holderIdentity", options_.identity},
                              {"leaseDurationSeconds", whole_seconds(options_.lease_duration)},
                              {"acquireTime", now},
                              {"renewTime", now},
                              {"leaseTransitions", 0}}}};
  TRY_ASSIGN(const Resource leases, "", until(deadline));
  auto created = leases.create(lease, stop);
  if (created) {
    written_ = std::make_unique<json::Json>(*std::move(created));
    return true;
  }
  if (created.error().code() == Code::kAlreadyExists) {
    return false;
  }
  return tl::unexpected(created.error());
}

// One call where nobody else has written the lease since: half the load, and half the time on a slow connection.
Result<bool> LeaderElection::renew(SteadyTime deadline, const std::stop_token& stop) {
  if (written_ == nullptr) return try_hold(deadline, stop);
  const std::unique_ptr<json::Json> lease = std::move(written_);
  const SteadyTime begun = clock_.now();
  (*lease)["spec"]["renewTime"] = format_rfc3339_micro(clock_.wall_now());
  TRY_ASSIGN(const Resource leases, "", until(deadline));
  auto updated = leases.update(*lease, stop);
  if (updated) {
    written_ = std::make_unique<json::Json>(*std::move(updated));
    renewed_at_ = begun;
    return true;
  }
  const Code code = updated.error().code();
  if (code == Code::kConflict || code == Code::kNotFound) return try_hold(deadline, stop);
  return tl::unexpected(std::move(updated).error());
}

Result<bool> LeaderElection::try_hold(SteadyTime deadline, const std::stop_token& stop) {
  const SteadyTime begun = clock_.now();
  written_.reset();
  TRY_ASSIGN(const Resource reading, "", until(deadline));
  auto lease = reading.get(options_.name, stop);
  if (!lease && lease.error().code() == Code::kNotFound) {
    TRY_ASSIGN(const bool ours, "create", create(deadline, stop));
    if (ours) {
      renewed_at_ = begun;
    }
    return ours;
  }
  if (!lease) {
    return tl::unexpected(lease.error());
  }
  const json::Json* spec = json::find(*lease, {"spec"});
  const std::string record = spec == nullptr ? "" : json::dump(*spec);
  const std::string holder = json::string_or(*lease, {"spec", "holderIdentity"}, "");
  if (!observed_ || observed_->record != record) {
    observed_ = {.record = record,
                 .holder = holder,
                 .since = clock_.now(),
                 .duration = std::chrono::seconds(
                     json::int_or(*lease, {"spec", "leaseDurationSeconds"}, whole_seconds(options_.lease_duration)))};
  }
  const bool was_ours = holder == options_.identity;
  if (!was_ours && !holder.empty() && clock_.now() < observed_->since + observed_->duration) {
    return false;
  }

  const std::string now = format_rfc3339_micro(clock_.wall_now());
  json::Json& fields = (*lease)["spec"];
  fields["holderIdentity"] = options_.identity;
  fields["leaseDurationSeconds"] = whole_seconds(options_.lease_duration);
  fields["renewTime"] = now;
  if (!was_ours) {
    fields["acquireTime"] = now;
    fields["leaseTransitions"] = json::int_or(*lease, {"spec", "leaseTransitions"}, 0) + 1;
  }
  // The resourceVersion we read makes this fail if somebody was quicker.
  TRY_ASSIGN(const Resource writing, "", until(deadline));
  auto updated = writing.update(*lease, stop);
  if (!updated && updated.error().code() == Code::kConflict) {
    return was_ours ? Result<bool>(tl::unexpected(updated.error())) : Result<bool>(false);
  }
  if (!updated) {
    return tl::unexpected(updated.error());
  }
  written_ = std::make_unique<json::Json>(*std::move(updated));
  renewed_at_ = begun;
  return true;
}

void LeaderElection::release() {
  const Resource leases = leases_.within(kReleaseTimeout);
  auto lease = leases.get(options_.name, {});
  if (!lease || json::string_or(*lease, {"spec", "holderIdentity"}, "") != options_.identity) {
    return;
  }
  json::Json& fields = (*lease)["spec"];
  fields["holderIdentity"] = "";
  fields["leaseDurationSeconds"] = 1;
  fields["renewTime"] = format_rfc3339_micro(clock_.wall_now());
  if (const auto updated = leases.update(*lease, {}); !updated) {
    log_.info("could not give the lease back; it expires by itself", {LogField(updated.error())});
  }
}

}  // namespace landfall::kube
