#pragma once

#include <optional>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "kube/exec_credential.h"

namespace landfall::kube {

// The credential of an exec plugin, renewed shortly before it expires. A plugin that fails is not run again at once,
// but after a delay that doubles with each failure.
//
// Expiry is wall time, because others set it. A wall clock that runs ahead makes every credential look expired: a fresh
// one is used for some seconds all the same, so that we get on, and the plugin is not run for each call.
// Not thread-safe.
class ExecSource {
 public:
  ExecSource(ExecContext context, Logger log);

  // Runs the plugin when there is no credential yet, when the last one was rejected or has expired, and when it is time
  // to renew it; in the last case a failure is logged, and is no error. True when there is a new credential.
  Result<bool> refresh(bool rejected, const std::string& authorities, const std::stop_token& stop, SteadyTime deadline);

  bool has_current() const { return current_.has_value(); }
  // Only when there is one.
  const ExecCredential& current() const { return *current_; }
  // When the next refresh() will run the plugin: once the wall clock shows the one and the steady clock the other.
  WallTime renew_from() const { return renew_from_; }
  SteadyTime renew_not_before() const { return renew_not_before_; }
  // Until then the credential is too fresh for another one to be any better, whatever its expiry says.
  SteadyTime settled_until() const { return settled_until_; }

 private:
  void accept(ExecCredential credential);

  const ExecContext context_;
  const Logger log_;
  std::optional<ExecCredential> current_;
  WallTime renew_from_ = WallTime::max();
  SteadyTime renew_not_before_ = SteadyTime::min();
  SteadyTime settled_until_ = SteadyTime::min();
  int failures_ = 0;
};

}  // namespace landfall::kube
