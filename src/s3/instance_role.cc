#include "s3/instance_role.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/rfc3339.h"
#include "base/strings.h"
#include "io/file.h"
#include "io/http_client.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"
#include "s3/sigv4.h"

namespace landfall::s3 {
namespace {

constexpr auto kConnect = std::chrono::seconds(2);
constexpr auto kPatience = std::chrono::seconds(10);
constexpr std::string_view kMetadata = "http://169.254.169.254";
constexpr std::string_view kContainerAgent = "http://169.254.170.2";
constexpr std::string_view kRoles = "/latest/meta-data/iam/security-credentials/";

constexpr std::string_view kNothingElse =
    "no credentials: neither credentialsFile, AWS_SHARED_CREDENTIALS_FILE, AWS_ACCESS_KEY_ID nor "
    "AWS_WEB_IDENTITY_TOKEN_FILE is set, and the machine has no role";

using Http = std::shared_ptr<io::HttpClient>;

struct Ask {
  std::string method = "GET";
  std::string url;
  io::HttpHeaders headers;
};

Result<std::string> ask(io::HttpClient& http, Clock& clock, const Ask& what, const std::stop_token& stop) {
  io::HttpRequest request;
  request.method = what.method;
  request.url = what.url;
  request.headers = what.headers;
  request.connect_timeout = kConnect;
  request.deadline = clock.after(kPatience);
  request.max_response_body = 64UL * 1024;
  if (what.method == "PUT") {
    request.body = io::HttpBody::view("");
  }
  TRY_ASSIGN(io::HttpResponse response, "", http.send(request, stop));
  if (response.status != 200) {
    return fail(response.status >= 500 ? Code::kUnavailable : Code::kUnauthenticated,
                io::redact_url(what.url) + ": HTTP " + std::to_string(response.status));
  }
  return std::move(response.body);
}

Result<Credentials> parse_credentials(std::string_view text) {
  TRY_ASSIGN(const json::Json document, "answer", json::parse(text));
  TRY_ASSIGN(std::string id, "answer", json::string_at(document, {"AccessKeyId"}));
  TRY_ASSIGN(std::string secret, "answer", json::string_at(document, {"SecretAccessKey"}));
  Credentials out{.access_key_id = std::move(id),
                  .secret_access_key = std::move(secret),
                  .session_token = json::string_or(document, {"Token"}, ""),
                  .expires = std::nullopt};
  if (const std::string expires = json::string_or(document, {"Expiration"}, ""); !expires.empty()) {
    TRY_ASSIGN(out.expires, "answer: Expiration", parse_rfc3339(expires));
  }
  return out;
}

// A token goes with the request: only to the agents themselves, or by TLS.
Status check_agent(const io::Url& url) {
  constexpr std::array<std::string_view, 6> kAgents{"169.254.170.2", "169.254.170.23", "fd00:ec2::23", "127.0.0.1",
                                                    "::1",           "localhost"};
  if (url.scheme != "https" && std::ranges::find(kAgents, url.host) == kAgents.end()) {
    return fail(Code::kInvalid, "AWS_CONTAINER_CREDENTIALS_FULL_URI: neither https nor the address of an agent");
  }
  return {};
}

Result<RenewedCredentials::Fetch> from_container(const Environment& environment, const Http& http, Clock& clock) {
  const std::string relative = environment.get_or("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "");
  const std::string text = relative.empty() ? environment.get_or("AWS_CONTAINER_CREDENTIALS_FULL_URI", "")
                                            : std::string(kContainerAgent) + relative;
  TRY_ASSIGN(const io::Url url, "container credentials", io::parse_url(text));
  TRY("", check_agent(url));
  const std::string token_file = environment.get_or("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "");
  const std::string fixed_token = environment.get_or("AWS_CONTAINER_AUTHORIZATION_TOKEN", "");
  return [=, &clock](const std::stop_token& stop) -> Result<Credentials> {
    Ask what{.url = io::to_string(url)};
    std::string token = fixed_token;
    if (!token_file.empty()) {
      TRY_ASSIGN(token, "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", io::read_file(token_file, 64UL * 1024));
    }
    if (!trim(token).empty()) {
      what.headers.set("Authorization", std::string(trim(token)));
    }
    TRY_ASSIGN(const std::string answer, "container credentials", ask(*http, clock, what, stop));
    TRY_ASSIGN(Credentials credentials, "container credentials", parse_credentials(answer));
    return credentials;
  };
}

Result<Credentials> from_instance(io::HttpClient& http, Clock& clock, const std::string& base,
                                  const std::stop_token& stop) {
  TRY_ASSIGN(const std::string token, "instance metadata",
             ask(http, clock,
                 {.method = "PUT",
                  .url = base + "/latest/api/token",
                  .headers = {{"X-aws-ec2-metadata-token-ttl-seconds", "21600"}}},
                 stop));
  const io::HttpHeaders headers{{"X-aws-ec2-metadata-token", std::string(trim(token))}};
  const std::string roles = base + std::string(kRoles);
  TRY_ASSIGN(const std::string names, "instance metadata", ask(http, clock, {.url = roles, .headers = headers}, stop));
  const std::string role(trim(split(names, '\n').front()));
  if (role.empty()) {
    return fail(Code::kUnauthenticated, "instance metadata: the instance has no role");
  }
  TRY_ASSIGN(const std::string answer, "instance metadata",
             ask(http, clock, {.url = roles + io::percent_encode(role), .headers = headers}, stop));
  TRY_ASSIGN(Credentials credentials, "instance metadata", parse_credentials(answer));
  return credentials;
}

}  // namespace

Result<RenewedCredentials::Fetch> role_of_machine(const Environment& environment, Clock& clock) {
  io::HttpClientOptions options;
  options.environment = environment;
  TRY_ASSIGN(std::unique_ptr<io::HttpClient> client, "", io::HttpClient::create(std::move(options), clock));
  const Http http = std::move(client);
  if (!environment.get_or("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "").empty() ||
      !environment.get_or("AWS_CONTAINER_CREDENTIALS_FULL_URI", "").empty()) {
    return from_container(environment, http, clock);
  }
  if (to_lower(environment.get_or("AWS_EC2_METADATA_DISABLED", "")) == "true") {
    return fail(Code::kUnauthenticated, std::string(kNothingElse) + " (AWS_EC2_METADATA_DISABLED)");
  }
  std::string base = environment.get_or("AWS_EC2_METADATA_SERVICE_ENDPOINT", std::string(kMetadata));
  while (base.ends_with('/')) {
    base.pop_back();
  }
  return [http, &clock, base](const std::stop_token& stop) -> Result<Credentials> {
    auto credentials = from_instance(*http, clock, base, stop);
    if (!credentials && credentials.error().code() != Code::kCancelled) {
      return fail(Code::kUnauthenticated, std::string(kNothingElse) + " (" + credentials.error().message() + ")");
    }
    return credentials;
  };
}

}  // namespace landfall::s3
