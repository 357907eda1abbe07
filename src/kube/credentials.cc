#include "kube/credentials.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "kube/identity_headers.h"

namespace landfall::kube {
namespace {

// How often files are looked at; only what has changed is read.
constexpr Duration kLookAgain = std::chrono::seconds(1);

// As in client-go a plugin is not asked when there is something else to show.
bool needs_plugin(const Config& config) {
  const bool has_other = !config.token.empty() || !config.token_file.empty() || !config.username.empty() ||
                         !config.password.empty() || !config.client_certificate.empty();
  return config.exec.has_value() && !has_other;
}

bool same_material(const io::HttpTlsOptions& a, const io::HttpTlsOptions& b) {
  return a.ca_pem == b.ca_pem && a.client_certificate_pem == b.client_certificate_pem &&
         a.client_key_pem == b.client_key_pem;
}

Result<io::HttpProxy> proxy_for(const Config& config, const Environment& environment) {
  if (config.proxy_url.empty()) {
    return io::HttpProxy::from_environment(environment);
  }
  TRY_ASSIGN(io::HttpProxy proxy, "proxy-url", io::HttpProxy::fixed(config.proxy_url));
  return proxy;
}

}  // namespace

Credentials::Credentials(const Config& config, const Environment& environment, io::ProcessRunner& processes,
                         Clock& clock, Logger log)
    : config_(config),
      environment_(environment),
      clock_(clock),
      log_(std::move(log)),
      tls_(config),
      token_file_({.data = {}, .file = config.token_file}, "tokenFile"),
      token_(config.token) {
  if (needs_plugin(config)) {
    exec_.emplace(ExecContext{.config = config, .environment = environment, .processes = processes, .clock = clock},
                  log_);
  }
}

Status Credentials::load() {
  TRY_ASSIGN(proxy_, "", proxy_for(config_, environment_));
  const SteadyTime now = clock_.now();
  TRY("", tls_.refresh(now, true));
  Status token = refresh_token(now, true);
  if (!token && config_.token.empty()) {
    return token;
  }
  if (certificate_end() <= clock_.wall_now()) {
    return tl::unexpected(tls_.expired_error());
  }
  return build();  // with a plugin this one is only for checking what is there already
}

Status Credentials::refresh_token(SteadyTime now, bool anyway) {
  Status read = token_file_.refresh(now, anyway);
  const std::string_view text = trim(token_file_.bytes());
  const std::string_view token = text.empty() ? std::string_view(config_.token) : text;
  if (token != token_) {
    token_ = token;
    is_stale_ = true;
  }
  return read;
}

Status Credentials::refresh_files(bool anyway) {
  const SteadyTime now = clock_.now();
  // One that fails must not keep the other from being read.
  Status tls = tls_.refresh(now, anyway);
  Status token = refresh_token(now, anyway);
  return tls ? token : tls;
}

Status Credentials::build() {
  auto next = std::make_shared<Identity>();
  next->tls = tls_.options();
  std::string token = token_;
  if (exec_ && exec_->has_current()) {
    token = exec_->current().token;
    next->tls.client_certificate_pem = exec_->current().certificate;
    next->tls.client_key_pem = exec_->current().key;
  }
  TRY_ASSIGN(next->headers, "", identity_headers(config_, token, token_file_.is_file() ? token_file_.name() : "token"));
  if (identity_ && same_material(next->tls, identity_->tls)) {
    next->http = identity_->http;
  } else {
    TRY_ASSIGN(next->http, "",
               io::HttpClient::create({.tls = next->tls, .proxy = proxy_, .environment = environment_}, clock_));
  }
  identity_ = std::move(next);
  is_stale_ = false;
  built_version_ = tls_.version();
  return {};
}

Status Credentials::build_if_stale() { return is_stale_ || built_version_ != tls_.version() ? build() : Status(); }

Result<Renewed> Credentials::renew(bool rejected, const std::stop_token& stop, SteadyTime deadline) {
  look_again_ = clock_.after(kLookAgain);  // from before the look: what changes during it must not be missed
  Status files = refresh_files(rejected);
  if (!exec_) {
    Status built = build_if_stale();
    if (files) {
      files = std::move(built);
    }
  }
  note(files);
  if (certificate_end() <= clock_.wall_now()) {
    return fail(config_.origin, tls_.expired_error());
  }
  if (exec_) {
    auto is_new = exec_->refresh(rejected, tls_.options().ca_pem, stop, deadline);
    if (!is_new) {
      return fail(config_.origin, std::move(is_new).error());
    }
    is_stale_ = is_stale_ || *is_new;
    TRY(config_.origin, build_if_stale());
  }
  if (rejected) {
    reject_not_before_ = exec_ ? exec_->settled_until() : look_again_;
  }
  return renewed();
}

// The server takes a token or a password also from someone whose certificate has expired.
WallTime Credentials::certificate_end() const {
  const bool has_other = !token_.empty() || !config_.username.empty();
  return has_other ? WallTime::max() : tls_.expires();
}

Renewed Credentials::renewed() const {
  Renewed result{.identity = identity_, .expires = certificate_end(), .reject_not_before = reject_not_before_};
  if (token_file_.is_file() || tls_.has_files()) {
    result.look_again = look_again_;
  }
  if (exec_) {
    result.renew_from = exec_->renew_from();
    result.renew_not_before = exec_->renew_not_before();
    result.expires = std::min(result.expires, exec_->current().expires);
    result.settled_until = exec_->settled_until();
  }
  return result;
}

void Credentials::note(const Status& files) {
  const std::string problem = files ? "" : files.error().message();
  if (std::exchange(warned_, problem) != problem && !files) {
    log_.warning("could not read a credential again, using what it held before", {LogField(files.error())});
  }
}

}  // namespace landfall::kube
