#include "s3/credentials.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "s3/instance_role.h"
#include "s3/profile_file.h"
#include "s3/sts.h"

namespace landfall::s3 {
namespace {

// Credentials are renewed so long before they expire: a request that takes its time must not outlive them.
constexpr auto kRenewBefore = std::chrono::minutes(5);
// How long a failed fetch is not repeated while there are still valid ones.
constexpr auto kFetchAgain = std::chrono::seconds(30);

Result<Credentials> from_variables(const Environment& environment) {
  Credentials out{.access_key_id = environment.get_or("AWS_ACCESS_KEY_ID", ""),
                  .secret_access_key = environment.get_or("AWS_SECRET_ACCESS_KEY", ""),
                  .session_token = environment.get_or("AWS_SESSION_TOKEN", ""),
                  .expires = std::nullopt};
  if (out.access_key_id.empty() || out.secret_access_key.empty()) {
    return fail(Code::kInvalid, "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY go together, one is missing");
  }
  return out;
}

// Where the tools of AWS keep those of a user; empty when there is no such file.
std::string users_own_file(const Environment& environment) {
  const std::string home = environment.get_or("HOME", "");
  const std::filesystem::path file = std::filesystem::path(home) / ".aws/credentials";
  std::error_code error;
  return !home.empty() && std::filesystem::exists(file, error) ? file.string() : "";
}

}  // namespace

bool RenewedCredentials::is_valid(const State& state, Duration margin) const {
  return state.current && (!state.current->expires || clock_.wall_now() + margin < *state.current->expires);
}

RenewedCredentials::Step RenewedCredentials::next_step(State& state) {
  if (is_valid(state, kRenewBefore)) {
    return Step::kUse;
  }
  const bool still_good = is_valid(state, Duration(0));
  if (still_good && (state.is_fetching || clock_.now() < state.not_before)) {
    return Step::kUse;
  }
  if (state.is_fetching) {
    return Step::kWait;
  }
  state.is_fetching = true;
  return Step::kFetch;
}

Result<Credentials> RenewedCredentials::fetch(const std::stop_token& stop) {
  auto fetched = fetch_(stop);
  return state_.update([&](State& state) -> Result<Credentials> {
    state.is_fetching = false;
    ++state.fetches;
    if (fetched) {
      state.current = *fetched;
      state.failure.reset();
      return *std::move(fetched);
    }
    state.failure = fetched.error();
    state.not_before = clock_.after(kFetchAgain);
    if (is_valid(state, Duration(0))) {
      return *state.current;
    }
    return tl::unexpected(fetched.error());
  });
}

Result<Credentials> RenewedCredentials::get(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::uint64_t seen = 0;
    Result<Credentials> current = fail(Code::kInternal, "no credentials");
    const Step step = state_.update([&](State& state) {
      const Step next = next_step(state);
      seen = state.fetches;
      if (next == Step::kUse) {
        current = *state.current;
      }
      return next;
    });
    if (step == Step::kUse) {
      return current;
    }
    if (step == Step::kFetch) {
      return fetch(stop);
    }
    // Whoever fetches has a deadline; a failure of theirs is ours, too, unless they were merely stopped.
    state_.wait_until(clock_, stop, kNever, [&](const State& state) { return state.fetches != seen; });
    const auto failure = state_.with([](const State& state) { return state.failure; });
    if (failure && failure->code() != Code::kCancelled) {
      return tl::unexpected(*failure);
    }
  }
  return fail(Code::kCancelled, "stopped while waiting for credentials");
}

void RenewedCredentials::refused(const Credentials& credentials) {
  state_.update([&](State& state) {
    if (state.current == credentials) {
      state.current.reset();
    }
  });
}

Result<std::shared_ptr<CredentialsSource>> make_credentials(const S3Config& config, const Environment& environment,
                                                            Clock& clock) {
  TRY_ASSIGN(const std::shared_ptr<Sts> sts, "credentials", Sts::create(config, environment, clock));
  const bool from_config = !config.credentials_file.empty();
  const std::string file =
      from_config ? config.credentials_file : environment.get_or("AWS_SHARED_CREDENTIALS_FILE", "");
  const std::string profile = config.profile.empty() ? environment.get_or("AWS_PROFILE", "default") : config.profile;
  if (!file.empty()) {
    TRY_ASSIGN(std::shared_ptr<CredentialsSource> source,
               from_config ? "credentialsFile" : "AWS_SHARED_CREDENTIALS_FILE",
               ProfileCredentials::open(file, profile, sts, clock));
    return source;
  }
  const bool has_variables =
      !environment.get_or("AWS_ACCESS_KEY_ID", "").empty() || !environment.get_or("AWS_SECRET_ACCESS_KEY", "").empty();
  if (has_variables) {
    TRY_ASSIGN(Credentials credentials, "credentials", from_variables(environment));
    return std::make_shared<FixedCredentials>(std::move(credentials));
  }
  const std::string token_file = environment.get_or("AWS_WEB_IDENTITY_TOKEN_FILE", "");
  if (!token_file.empty()) {
    const WebIdentity identity{.role_arn = environment.get_or("AWS_ROLE_ARN", ""),
                               .session_name = environment.get_or("AWS_ROLE_SESSION_NAME", ""),
                               .token_file = token_file};
    if (identity.role_arn.empty()) {
      return fail(Code::kInvalid, "credentials: AWS_WEB_IDENTITY_TOKEN_FILE is set, but AWS_ROLE_ARN is not");
    }
    return std::make_shared<RenewedCredentials>(
        [sts, identity](const std::stop_token& stop) { return sts->assume_with_web_identity(identity, stop); }, clock);
  }
  if (const std::string own = users_own_file(environment); !own.empty()) {
    TRY_ASSIGN(std::shared_ptr<CredentialsSource> source, own, ProfileCredentials::open(own, profile, sts, clock));
    return source;
  }
  TRY_ASSIGN(RenewedCredentials::Fetch fetch, "credentials", role_of_machine(environment, clock));
  return std::make_shared<RenewedCredentials>(std::move(fetch), clock);
}

}  // namespace landfall::s3
