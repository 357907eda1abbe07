#include "s3/sts.h"

#include <utility>
#include <vector>

#include "base/backoff.h"
#include "base/digest.h"
#include "base/strings.h"
#include "io/file.h"
#include "s3/answers.h"
#include "s3/endpoint.h"
#include "s3/s3_error.h"

namespace landfall::s3 {
namespace {

constexpr int kMaxAttempts = 4;
constexpr auto kPatience = std::chrono::seconds(30);
constexpr BackoffPolicy kRetries{.first = std::chrono::milliseconds(200), .cap = std::chrono::seconds(5)};
constexpr std::size_t kMaxToken = 64UL * 1024;

std::string region_for(const S3Config& config, const Environment& environment) {
  for (std::string region :
       {config.region, environment.get_or("AWS_REGION", ""), environment.get_or("AWS_DEFAULT_REGION", "")}) {
    if (is_aws_region(region)) {
      return region;
    }
  }
  return "";
}

Result<io::Url> url_for(const std::string& region, const Environment& environment) {
  const std::string given = environment.get_or("AWS_ENDPOINT_URL_STS", "");
  if (!given.empty()) {
    TRY_ASSIGN(io::Url url, "AWS_ENDPOINT_URL_STS", io::parse_url(given));
    url.path = url.path.empty() ? "/" : url.path;
    return url;
  }
  const bool is_global = region.empty() || environment.get_or("AWS_STS_REGIONAL_ENDPOINTS", "") == "legacy";
  return io::parse_url(is_global ? "https://sts.amazonaws.com/"
                                 : "https://sts." + region + "." + std::string(aws_domain(region)) + "/");
}

}  // namespace

// One request, and what must not be shown of it.
struct Sts::Call {
  std::string name;
  io::QueryParameters form;
  const Credentials* user = nullptr;  // signs it
  std::vector<std::string> secrets;
};

Result<std::shared_ptr<Sts>> Sts::create(const S3Config& config, const Environment& environment, Clock& clock) {
  std::string region = region_for(config, environment);
  TRY_ASSIGN(io::Url url, "", url_for(region, environment));
  io::HttpClientOptions options;
  options.environment = environment;
  if (!environment.get_or("AWS_ENDPOINT_URL_STS", "").empty()) {
    options.tls.ca_pem = config.ca_pem;  // a service of one's own is behind an authority of one's own
  }
  TRY_ASSIGN(options.proxy, "", io::HttpProxy::from_environment(environment));
  TRY_ASSIGN(std::unique_ptr<io::HttpClient> http, "STS", io::HttpClient::create(std::move(options), clock));
  if (region.empty()) {
    region = "us-east-1";
  }
  return std::make_shared<Sts>(std::move(http), std::move(url), std::move(region), clock);
}

Result<Credentials> Sts::assume_with_web_identity(const WebIdentity& identity, const std::stop_token& stop) {
  TRY_ASSIGN(const std::string text, "web identity token", io::read_file(identity.token_file, kMaxToken));
  const std::string token(trim(text));
  if (token.empty()) {
    return fail(Code::kUnauthenticated, "web identity token: the file " + quote(identity.token_file) + " is empty");
  }
  return call({.name = "STS AssumeRoleWithWebIdentity for the role " + quote(identity.role_arn),
               .form = {{"Action", "AssumeRoleWithWebIdentity"},
                        {"Version", "2011-06-15"},
                        {"RoleArn", identity.role_arn},
                        {"RoleSessionName", identity.session_name.empty() ? "landfall" : identity.session_name},
                        {"WebIdentityToken", token}},
               .user = nullptr,
               .secrets = {token}},
              stop);
}

Result<Credentials> Sts::assume(const std::string& role_arn, const std::string& session_name,
                                const std::string& external_id, const Credentials& user, const std::stop_token& stop) {
  Call assume{.name = "STS AssumeRole for the role " + quote(role_arn),
              .form = {{"Action", "AssumeRole"},
                       {"Version", "2011-06-15"},
                       {"RoleArn", role_arn},
                       {"RoleSessionName", session_name.empty() ? "landfall" : session_name}},
              .user = &user,
              .secrets = {user.access_key_id, user.secret_access_key, user.session_token}};
  if (!external_id.empty()) {
    assume.form.emplace_back("ExternalId", external_id);
  }
  return call(assume, stop);
}

Result<Credentials> Sts::call(const Call& call, const std::stop_token& stop) {
  const SteadyTime deadline = clock_.after(kPatience);
  Backoff backoff(kRetries, system_random());
  while (true) {
    auto answer = attempt(call, deadline, stop);
    if (answer || !is_retryable(answer.error().code()) || backoff.attempts() + 1 >= kMaxAttempts) {
      return answer;
    }
    if (!clock_.sleep_for(backoff.next(), stop)) {
      return fail(Code::kCancelled, call.name + ": stopped");
    }
    if (clock_.now() >= deadline) {
      return answer;
    }
  }
}

Result<Credentials> Sts::attempt(const Call& call, SteadyTime deadline, const std::stop_token& stop) {
  SignedParts parts{.method = "POST", .path = url_.path, .query = {}, .headers = {}, .payload_hash = ""};
  const std::string body = io::build_query(call.form);
  parts.payload_hash = sha256_hex(body);
  parts.headers = {{"Host", io::authority(url_)}, {"Content-Type", "application/x-www-form-urlencoded; charset=utf-8"}};
  if (call.user != nullptr) {
    sign_headers(parts, *call.user, {.region = region_, .service = "sts", .time = clock_.wall_now()});
  }
  io::HttpRequest request;
  request.method = "POST";
  request.url = io::to_string(url_);
  request.headers = std::move(parts.headers);
  request.body = io::HttpBody::view(body);
  request.deadline = deadline;
  request.connect_timeout = std::chrono::seconds(10);
  request.idle_timeout = std::chrono::seconds(15);
  request.max_response_body = 1UL << 20U;
  TRY_ASSIGN(const io::HttpResponse response, call.name, http_->send(request, stop));
  if (response.status != 200) {
    return tl::unexpected(error_from(call.name, {.status = response.status, .headers = response.headers}, response.body,
                                     clock_.wall_now(), call.secrets));
  }
  TRY_ASSIGN(Credentials credentials, call.name, parse_sts_credentials(response.body));
  return credentials;
}

}  // namespace landfall::s3
