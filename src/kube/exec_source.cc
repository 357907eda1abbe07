#include "kube/exec_source.h"

#include <algorithm>
#include <utility>

namespace landfall::kube {
namespace {

constexpr Duration kSettled = std::chrono::seconds(10);
constexpr Duration kLongestMargin = std::chrono::minutes(1);
constexpr int kMarginShare = 10;  // renewed in the last tenth of its life, but at most a minute before its end
constexpr Duration kFirstRetry = std::chrono::seconds(1);
constexpr Duration kLongestRetry = std::chrono::seconds(30);
constexpr int kMostDoublings = 5;

Duration retry_delay(int failures) {
  return std::min<Duration>(kFirstRetry * (1 << std::min(failures - 1, kMostDoublings)), kLongestRetry);
}

}  // namespace

ExecSource::ExecSource(ExecContext context, Logger log) : context_(context), log_(std::move(log)) {}

void ExecSource::accept(ExecCredential credential) {
  const WallTime wall = context_.clock.wall_now();
  renew_from_ = credential.expires;
  if (credential.expires != WallTime::max() && credential.expires > wall) {
    renew_from_ -= std::min<Duration>((credential.expires - wall) / kMarginShare, kLongestMargin);
  }
  settled_until_ = context_.clock.after(kSettled);
  renew_not_before_ = settled_until_;
  failures_ = 0;
  current_ = std::move(credential);
}

Result<bool> ExecSource::refresh(bool rejected, const std::string& authorities, const std::stop_token& stop,
                                 SteadyTime deadline) {
  const WallTime wall = context_.clock.wall_now();
  const SteadyTime now = context_.clock.now();
  const bool is_good = current_ && !rejected && (wall < current_->expires || now < settled_until_);
  const bool is_due = wall >= renew_from_ && now >= renew_not_before_;
  if (is_good && !is_due) {
    return false;
  }
  auto credential = run_exec_plugin(context_, authorities, stop, deadline);
  if (credential) {
    accept(*std::move(credential));
    return true;
  }
  if (stop.stop_requested() || context_.clock.now() >= deadline) {
    return tl::unexpected(std::move(credential).error());  // says nothing about the plugin
  }
  ++failures_;
  renew_not_before_ = context_.clock.after(retry_delay(failures_));
  if (!is_good) {
    return tl::unexpected(std::move(credential).error());
  }
  log_.warning("could not renew the credential before it expires, will try again", {LogField(credential.error())});
  return false;
}

}  // namespace landfall::kube
