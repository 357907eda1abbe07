#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/environment.h"
#include "base/result.h"
#include "io/http_client.h"
#include "s3/config.h"
#include "s3/sigv4.h"

namespace landfall::s3 {

// A role that is taken with a token that somebody else has signed, the cluster for a service account say.
struct WebIdentity {
  std::string role_arn;
  std::string session_name;  // "" for "landfall"
  std::string token_file;    // read each time, because it is renewed
};

// AWS's Security Token Service: temporary credentials for a role. A call is tried a few times and ends within half a
// minute. Thread-safe.
class Sts {
 public:
  // The service of the region that the config, AWS_REGION or AWS_DEFAULT_REGION names; the global one without any, or
  // with AWS_STS_REGIONAL_ENDPOINTS=legacy; AWS_ENDPOINT_URL_STS instead, if it is set. Does not connect.
  static Result<std::shared_ptr<Sts>> create(const S3Config& config, const Environment& environment, Clock& clock);

  Sts(std::unique_ptr<io::HttpClient> http, io::Url url, std::string region, Clock& clock)
      : http_(std::move(http)), url_(std::move(url)), region_(std::move(region)), clock_(clock) {}

  Result<Credentials> assume_with_web_identity(const WebIdentity& identity, const std::stop_token& stop);
  // With a user's own credentials.
  Result<Credentials> assume(const std::string& role_arn, const std::string& session_name,
                             const std::string& external_id, const Credentials& user, const std::stop_token& stop);

 private:
  struct Call;
  Result<Credentials> call(const Call& call, const std::stop_token& stop);
  Result<Credentials> attempt(const Call& call, SteadyTime deadline, const std::stop_token& stop);

  std::unique_ptr<io::HttpClient> http_;
  io::Url url_;
  std::string region_;
  Clock& clock_;
};

}  // namespace landfall::s3
