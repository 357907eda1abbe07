#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/environment.h"
#include "base/log.h"
#include "base/result.h"
#include "io/http_proxy.h"
#include "io/process.h"
#include "kube/config.h"
#include "kube/connection.h"
#include "kube/credential_file.h"
#include "kube/exec_source.h"
#include "kube/tls_files.h"

namespace landfall::kube {

// An identity, and when it has to be looked at again.
struct Renewed {
  std::shared_ptr<const Identity> identity;
  SteadyTime look_again = kNever;  // when to look at the files
  // A renewal is due once the wall clock shows the one and the steady clock the other.
  WallTime renew_from = WallTime::max();
  SteadyTime renew_not_before = SteadyTime::min();
  // It is good until the wall clock shows the one or the steady clock the other, whichever is later.
  WallTime expires = WallTime::max();
  SteadyTime settled_until = SteadyTime::min();
  SteadyTime reject_not_before = SteadyTime::min();  // it was renewed after a rejection just now
};

// Everything that the identity of a configuration is made of: files, and what an exec plugin hands out. Not
// thread-safe: Connection lets one thread in at a time. What it refers to must outlive it.
class Credentials {
 public:
  Credentials(const Config& config, const Environment& environment, io::ProcessRunner& processes, Clock& clock,
              Logger log);

  // Reads all files and checks them; runs no plugin. Once, before the first renew().
  Status load();

  // The identity as it should be from now on: the same object as long as nothing has changed. `rejected`: the server
  // refused the last one, so that the plugin has to run, and files are read whatever they look like.
  // Files that cannot be used any more are logged, and what they held before is kept.
  Result<Renewed> renew(bool rejected, const std::stop_token& stop, SteadyTime deadline);
  // After renew() failed: when it makes sense to try again.
  SteadyTime retry_at() const { return exec_ ? exec_->renew_not_before() : look_again_; }

  bool uses_plugin() const { return exec_.has_value(); }
  // Whether there can ever be another identity for a server that refuses this one.
  bool can_change() const { return uses_plugin() || token_file_.is_file() || tls_.has_client_files(); }

 private:
  Status refresh_token(SteadyTime now, bool anyway);
  Status refresh_files(bool anyway);
  Status build();
  Status build_if_stale();
  // When the client certificate expires, if it is all we have.
  WallTime certificate_end() const;
  Renewed renewed() const;
  void note(const Status& files);

  const Config& config_;
  const Environment& environment_;
  Clock& clock_;
  const Logger log_;
  io::HttpProxy proxy_;
  TlsFiles tls_;
  CredentialFile token_file_;
  std::string token_;
  std::optional<ExecSource> exec_;

  std::shared_ptr<const Identity> identity_;
  bool is_stale_ = true;    // the identity is behind the token or the plugin's credential …
  int built_version_ = -1;  // … or, when it differs, behind the TLS files
  SteadyTime look_again_ = SteadyTime::min();
  SteadyTime reject_not_before_ = SteadyTime::min();
  std::string warned_;  // the last warning, not to be repeated every second
};

}  // namespace landfall::kube
