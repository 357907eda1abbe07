#include "s3/client.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/backoff.h"
#include "base/digest.h"
#include "base/guarded.h"
#include "base/strings.h"
#include "s3/endpoint.h"
#include "s3/s3_error.h"

namespace landfall::s3 {
namespace {

// A server that asks for more patience than this is told to the caller instead.
constexpr auto kLongestRetryAfter = std::chrono::seconds(60);
// Putting the parts of a large object together takes some servers so much longer than anything else.
constexpr int kSlowFactor = 10;
constexpr std::string_view kFirstRegion = "us-east-1";

// New credentials may help.
bool asks_for_new_credentials(const Error& error) {
  const std::string_view code = s3_code_of(error);
  return code == "ExpiredToken" || code == "InvalidAccessKeyId" || code == "InvalidToken" ||
         code == "TokenRefreshRequired";
}

bool is_success(int status) { return status >= 200 && status < 300; }

// Reads to the end when it is no more than kMaxAnswer, so that the connection can be used again.
Result<std::string> read_body(io::HttpDownload& download) { return io::read_all(download, kMaxAnswer); }

Result<io::HttpClientOptions> http_options(const S3Config& config, const Environment& environment) {
  io::HttpClientOptions options;
  options.environment = environment;
  options.tls.ca_pem = config.ca_pem;
  options.tls.skip_verification = config.skip_tls_verification;
  if (config.ca_pem.empty()) {
    options.tls.ca_file = environment.get_or("AWS_CA_BUNDLE", "");
  }
  TRY_ASSIGN(options.proxy, "", io::HttpProxy::from_environment(environment));
  return options;
}

}  // namespace

struct Client::Impl {
  // One answer: with its body, or still open.
  struct Reply {
    io::HttpHead head;
    std::string body;
    std::unique_ptr<io::HttpDownload> download;
  };
  // What an attempt was made with, to learn from its failure.
  struct Attempt {
    std::string region;
    Credentials credentials;
  };
  // What one call has tried already.
  struct Course {
    explicit Course(const BackoffPolicy& policy) : backoff(policy, system_random()) {}
    Backoff backoff;
    bool has_moved = false;    // to another region
    bool has_renewed = false;  // its credentials
    bool is_uncertain = false;
  };

  Impl(Options the_options, Endpoint the_endpoint, Clock& the_clock)
      : options(std::move(the_options)),
        endpoint(std::move(the_endpoint)),
        clock(the_clock),
        region(endpoint.known_region()) {}

  Result<Reply> run(const S3Request& request, bool keep_open, const std::stop_token& stop);
  Result<Reply> attempt(const S3Request& request, bool keep_open, Attempt& with, const std::stop_token& stop);
  Result<Reply> exchange(const io::HttpRequest& request, bool keep_open, const std::stop_token& stop) const;
  Result<std::string> bucket_region(const std::stop_token& stop);
  io::HttpRequest http_request(const S3Request& request, const Attempt& with) const;
  bool may_try_again(const Error& error, const Attempt& with, Course& course, const std::stop_token& stop);
  bool move_region(const Error& error, const Attempt& with);
  std::optional<Duration> wait_before_retry(const Error& error, Backoff& backoff, SteadyTime deadline) const;
  std::vector<std::string> secrets_of(const Credentials& used) const;
  std::string name_of(const S3Request& request) const {
    return to_string(RequestName{.method = request.method, .bucket = options.config.bucket, .key = request.key});
  }

  const Options options;
  const Endpoint endpoint;
  Clock& clock;
  std::unique_ptr<io::HttpClient> http;
  std::shared_ptr<CredentialsSource> credentials;
  Guarded<std::string> region;  // "" until it is known
};

std::vector<std::string> Client::Impl::secrets_of(const Credentials& used) const {
  return {used.secret_access_key, used.session_token, used.access_key_id, options.customer_key,
          base64_encode(options.customer_key)};
}

// The bucket's own word, asked for without credentials: AWS answers in the header whatever it thinks of the request.
Result<std::string> Client::Impl::bucket_region(const std::stop_token& stop) {
  if (std::string known = region.copy(); !known.empty()) {
    return known;
  }
  io::HttpRequest request;
  request.method = "HEAD";
  request.url = io::to_string(endpoint.object("", kFirstRegion));
  request.connect_timeout = options.tuning.connect_timeout;
  request.idle_timeout = options.tuning.idle_timeout;
  TRY_ASSIGN(const Reply reply, "region of bucket " + quote(options.config.bucket), exchange(request, false, stop));
  const std::string found(reply.head.headers.get("x-amz-bucket-region").value_or(""));
  if (is_region_name(found)) {
    region.with([&](std::string& value) { value = found; });
    return found;
  }
  if (reply.head.status == 404) {
    return fail(Code::kNotFound, "there is no bucket " + quote(options.config.bucket));
  }
  return fail(reply.head.status >= 500 ? Code::kUnavailable : Code::kInvalid,
              "the region of bucket " + quote(options.config.bucket) + " could not be found out (HTTP " +
                  std::to_string(reply.head.status) + "); set region");
}

io::HttpRequest Client::Impl::http_request(const S3Request& request, const Attempt& with) const {
  io::Url url = endpoint.object(request.key, with.region);
  SignedParts parts{.method = request.method,
                    .path = url.path,
                    .query = request.query,
                    .headers = request.headers,
                    .payload_hash = std::string(kEmptyPayload)};
  // TLS protects a body as well as its digest would, and costs nothing more; without a certificate it does not.
  const bool is_protected = url.scheme == "https" && !options.config.skip_tls_verification;
  if (!request.body.empty()) {
    parts.payload_hash = is_protected ? std::string(kUnsignedPayload) : sha256_hex(request.body);
  }
  parts.headers.set("Host", io::authority(url));
  sign_headers(parts, with.credentials, {.region = with.region, .time = clock.wall_now()});

  io::HttpRequest out;
  out.method = request.method;
  if (!request.query.empty()) {
    url.query = io::build_query(request.query);
  }
  out.url = io::to_string(url);
  out.headers = std::move(parts.headers);
  if (request.method == "PUT" || request.method == "POST") {
    out.body = io::HttpBody::view(request.body);
  }
  out.deadline = request.deadline;
  out.connect_timeout = options.tuning.connect_timeout;
  out.idle_timeout = options.tuning.idle_timeout * (request.is_slow ? kSlowFactor : 1);
  return out;
}

Result<Client::Impl::Reply> Client::Impl::exchange(const io::HttpRequest& request, bool keep_open,
                                                   const std::stop_token& stop) const {
  TRY_ASSIGN(std::unique_ptr<io::HttpDownload> download, "", http->open(request, stop));
  Reply reply{.head = download->head(), .body = "", .download = nullptr};
  if (keep_open && is_success(reply.head.status)) {
    reply.download = std::move(download);
    return reply;
  }
  auto body = read_body(*download);
  if (body) {
    reply.body = *std::move(body);
  } else if (is_success(reply.head.status) || body.error().code() == Code::kCancelled) {
    return tl::unexpected(std::move(body).error());
  }
  return reply;  // an error counts by its status, whatever became of the explanation
}

Result<Client::Impl::Reply> Client::Impl::attempt(const S3Request& request, bool keep_open, Attempt& with,
                                                  const std::stop_token& stop) {
  const std::string name = name_of(request);
  TRY_ASSIGN(with.region, name, bucket_region(stop));
  TRY_ASSIGN(with.credentials, name, credentials->get(stop));
  const io::HttpRequest http_message = http_request(request, with);
  TRY_ASSIGN(Reply reply, name, exchange(http_message, keep_open, stop));
  const bool is_hidden_error =
      request.error_in_body && is_success(reply.head.status) && parse_error_body(reply.body).has_value();
  if (is_hidden_error) {
    reply.head.status = 500;
  }
  if (!is_success(reply.head.status)) {
    std::vector<std::string> secrets = secrets_of(with.credentials);
    const std::string authorization(http_message.headers.get("Authorization").value_or(""));
    secrets.push_back(authorization.substr(authorization.rfind('=') + 1));
    return tl::unexpected(error_from(name, reply.head, reply.body, clock.wall_now(), secrets));
  }
  return reply;
}

// A redirect, or a complaint about the region in the signature, from which the right region can be told. Only the
// region is taken: the host follows from it and the config.
bool Client::Impl::move_region(const Error& error, const Attempt& with) {
  const auto* detail = error.detail<S3ErrorDetail>();
  const bool is_about_region = detail != nullptr && ((detail->http_status >= 300 && detail->http_status < 400) ||
                                                     detail->s3_code == "AuthorizationHeaderMalformed");
  if (!is_about_region || endpoint.is_multi_region()) {
    return false;
  }
  std::string found = detail->region;
  if (found.empty()) {
    const auto location = io::parse_url(detail->location);
    found = location ? endpoint.region_of_redirect(*location) : "";
  }
  if (!is_region_name(found) || found == with.region) {
    return false;
  }
  options.logger.info("the bucket is in another region", {{"bucket", options.config.bucket}, {"region", found}});
  region.with([&](std::string& value) { value = found; });
  return true;
}

bool Client::Impl::may_try_again(const Error& error, const Attempt& with, Course& course, const std::stop_token& stop) {
  if (!course.has_moved && move_region(error, with)) {
    course.has_moved = true;
    return true;
  }
  if (!course.has_renewed && asks_for_new_credentials(error)) {
    course.has_renewed = true;
    credentials->refused(with.credentials);
    const auto fresh = credentials->get(stop);
    return fresh && *fresh != with.credentials;
  }
  return false;
}

std::optional<Duration> Client::Impl::wait_before_retry(const Error& error, Backoff& backoff,
                                                        SteadyTime deadline) const {
  if (!is_retryable(error.code()) || backoff.attempts() + 1 >= options.tuning.max_attempts) {
    return std::nullopt;
  }
  Duration wait = backoff.next();
  const auto* detail = error.detail<S3ErrorDetail>();
  if (detail != nullptr && detail->retry_after) {
    wait = std::max(wait, *detail->retry_after);
  }
  if (wait > kLongestRetryAfter || clock.after(wait) >= deadline) {
    return std::nullopt;
  }
  return wait;
}

Result<Client::Impl::Reply> Client::Impl::run(const S3Request& request, bool keep_open, const std::stop_token& stop) {
  Course course(options.tuning.retries);
  while (true) {
    Attempt with;
    auto reply = attempt(request, keep_open, with, stop);
    if (reply) {
      return reply;
    }
    const Error& error = reply.error();
    course.is_uncertain |= is_retryable(error.code());
    if (may_try_again(error, with, course, stop)) {
      continue;
    }
    const auto wait = wait_before_retry(error, course.backoff, request.deadline);
    if (!wait) {
      return tl::unexpected(course.is_uncertain ? after_uncertain_attempt(error) : error);
    }
    options.logger.debug("S3 request is tried again", {LogField(error), {"attempt", course.backoff.attempts() + 1}});
    if (!clock.sleep_for(*wait, stop)) {
      return fail(Code::kCancelled, name_of(request) + ": stopped");
    }
  }
}

Client::Client(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Client::~Client() = default;

Result<std::shared_ptr<Client>> Client::create(Options options, Clock& clock) {
  TRY_ASSIGN(Endpoint endpoint, "", Endpoint::create(options.config));
  TRY_ASSIGN(io::HttpClientOptions for_http, "", http_options(options.config, options.environment));
  TRY_ASSIGN(std::shared_ptr<CredentialsSource> credentials, "",
             make_credentials(options.config, options.environment, clock));
  auto impl = std::make_unique<Impl>(std::move(options), std::move(endpoint), clock);
  impl->credentials = std::move(credentials);
  TRY_ASSIGN(impl->http, "", io::HttpClient::create(std::move(for_http), clock));
  return std::make_shared<Client>(std::move(impl));
}

Result<S3Answer> Client::send(const S3Request& request, const std::stop_token& stop) {
  TRY_ASSIGN(Impl::Reply reply, "", impl_->run(request, false, stop));
  return S3Answer{.head = std::move(reply.head), .body = std::move(reply.body)};
}

Result<std::unique_ptr<io::HttpDownload>> Client::open(const S3Request& request, const std::stop_token& stop) {
  TRY_ASSIGN(Impl::Reply reply, "", impl_->run(request, true, stop));
  return std::move(reply.download);
}

Result<std::string> Client::presign(std::string_view key, std::chrono::seconds valid_for, const std::stop_token& stop) {
  TRY_ASSIGN(const std::string region, "", impl_->bucket_region(stop));
  TRY_ASSIGN(const Credentials credentials, "", impl_->credentials->get(stop));
  io::Url url = impl_->endpoint.public_object(key, region);
  const SignedParts parts{.method = "GET",
                          .path = url.path,
                          .query = {},
                          .headers = {{"Host", io::authority(url)}},
                          .payload_hash = std::string(kUnsignedPayload)};
  url.query = io::build_query(
      presigned_query(parts, credentials, {.region = region, .time = impl_->clock.wall_now()}, valid_for));
  return io::to_string(url);
}

void Client::add_object_headers(io::HttpHeaders& headers) const {
  const S3Config& config = impl_->options.config;
  if (!config.server_side_encryption.empty()) {
    headers.set("x-amz-server-side-encryption", config.server_side_encryption);
  }
  if (!config.kms_key_id.empty()) {
    headers.set("x-amz-server-side-encryption-aws-kms-key-id", config.kms_key_id);
  }
  if (!config.tagging.empty()) {
    headers.set("x-amz-tagging", config.tagging);
  }
  add_customer_key(headers);
}

void Client::add_customer_key(io::HttpHeaders& headers) const {
  const std::string& key = impl_->options.customer_key;
  if (!key.empty()) {
    headers.set("x-amz-server-side-encryption-customer-algorithm", "AES256");
    headers.set("x-amz-server-side-encryption-customer-key", base64_encode(key));
    headers.set("x-amz-server-side-encryption-customer-key-MD5", md5_base64(key));
  }
}

bool Client::is_multi_region() const { return impl_->endpoint.is_multi_region(); }
const S3Config& Client::config() const { return impl_->options.config; }
const S3Tuning& Client::tuning() const { return impl_->options.tuning; }
const Logger& Client::logger() const { return impl_->options.logger; }
Clock& Client::clock() const { return impl_->clock; }

}  // namespace landfall::s3
