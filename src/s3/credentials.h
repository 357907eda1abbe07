#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/environment.h"
#include "base/guarded.h"
#include "base/result.h"
#include "s3/config.h"
#include "s3/sigv4.h"

namespace landfall::s3 {

// Where credentials come from, renewed as they need to be. Thread-safe. Errors never show a secret.
class CredentialsSource {
 public:
  CredentialsSource() = default;
  CredentialsSource(const CredentialsSource&) = delete;
  CredentialsSource& operator=(const CredentialsSource&) = delete;
  virtual ~CredentialsSource() = default;

  virtual Result<Credentials> get(const std::stop_token& stop) = 0;
  // A server did not accept these: if they are still those that get() would return, it looks for others first.
  virtual void refused(const Credentials& credentials) = 0;
};

class FixedCredentials final : public CredentialsSource {
 public:
  explicit FixedCredentials(Credentials credentials) : credentials_(std::move(credentials)) {}
  Result<Credentials> get(const std::stop_token&) override { return credentials_; }
  void refused(const Credentials&) override {}

 private:
  const Credentials credentials_;
};

// Temporary credentials, fetched when there are none and again before they expire. One thread fetches; the others take
// what is still valid, or wait. A fetch that fails is no error as long as the old ones are valid.
class RenewedCredentials final : public CredentialsSource {
 public:
  using Fetch = std::function<Result<Credentials>(const std::stop_token&)>;
  RenewedCredentials(Fetch fetch, Clock& clock) : fetch_(std::move(fetch)), clock_(clock) {}

  Result<Credentials> get(const std::stop_token& stop) override;
  void refused(const Credentials& credentials) override;

 private:
  struct State {
    std::optional<Credentials> current;
    std::optional<Error> failure;               // of the last fetch
    SteadyTime not_before = SteadyTime::min();  // the next fetch, after one that failed
    std::uint64_t fetches = 0;
    bool is_fetching = false;
  };
  enum class Step { kUse, kFetch, kWait };
  Step next_step(State& state);
  Result<Credentials> fetch(const std::stop_token& stop);
  bool is_valid(const State& state, Duration margin) const;

  const Fetch fetch_;
  Clock& clock_;
  Monitor<State> state_;
};

// The first of: the config's credentialsFile; AWS_SHARED_CREDENTIALS_FILE; AWS_ACCESS_KEY_ID and its like; web identity
// (AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN); ~/.aws/credentials; the container's or the instance's role. With a
// file nothing of the environment counts but AWS_PROFILE, AWS_REGION and where STS is. Reads the file, and fails when
// it is of no use.
Result<std::shared_ptr<CredentialsSource>> make_credentials(const S3Config& config, const Environment& environment,
                                                            Clock& clock);

}  // namespace landfall::s3
