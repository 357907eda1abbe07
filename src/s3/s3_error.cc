#include "s3/s3_error.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "base/rfc3339.h"
#include "base/strings.h"
#include "io/http_status.h"
#include "io/url.h"
#include "s3/answers.h"
#include "s3/http_date.h"

namespace landfall::s3 {
namespace {

constexpr std::size_t kMaxMessage = 300;
constexpr std::size_t kMaxWord = 64;

struct Meaning {
  std::string_view s3_code;
  Code code;
  std::string_view advice;
};

constexpr std::string_view kCheckToken = "the session token has expired or is not valid; renew the credentials";
constexpr std::string_view kDamaged = "the bytes did not arrive as they were sent";

constexpr std::array kMeanings{
    Meaning{"AccessDenied", Code::kForbidden, "the credentials do not allow it"},
    Meaning{"AllAccessDisabled", Code::kForbidden, ""},
    Meaning{"AuthorizationHeaderMalformed", Code::kUnauthenticated, "check the region"},
    Meaning{"BadDigest", Code::kUnavailable, kDamaged},
    Meaning{"ConditionalRequestConflict", Code::kUnavailable, ""},
    Meaning{"EntityTooLarge", Code::kTooLarge, ""},
    Meaning{"ExpiredToken", Code::kUnauthenticated, kCheckToken},
    Meaning{"ExpiredTokenException", Code::kUnauthenticated, kCheckToken},
    Meaning{"IDPCommunicationError", Code::kUnavailable, ""},
    Meaning{"IncompleteBody", Code::kUnavailable, kDamaged},
    Meaning{"InternalError", Code::kUnavailable, ""},
    Meaning{"InvalidAccessKeyId", Code::kUnauthenticated, "check the credentials and that s3Url is the right server"},
    Meaning{"InvalidClientTokenId", Code::kUnauthenticated, "check the credentials"},
    Meaning{"InvalidIdentityToken", Code::kUnauthenticated, "check the role's trust policy and the token's audience"},
    Meaning{"InvalidToken", Code::kUnauthenticated, kCheckToken},
    Meaning{"MethodNotAllowed", Code::kUnsupported, ""},
    Meaning{"NoSuchBucket", Code::kNotFound, "check the name of the bucket and the region"},
    Meaning{"NotImplemented", Code::kUnsupported, ""},
    Meaning{"OperationAborted", Code::kUnavailable, ""},
    Meaning{"PermanentRedirect", Code::kInvalid, "the bucket is elsewhere; set the region or s3Url"},
    Meaning{"PreconditionFailed", Code::kAlreadyExists, ""},
    Meaning{"RequestLimitExceeded", Code::kThrottled, ""},
    Meaning{"RequestTimeTooSkewed", Code::kUnauthenticated, ""},
    Meaning{"RequestTimeout", Code::kUnavailable, ""},
    Meaning{"ServiceUnavailable", Code::kUnavailable, ""},
    Meaning{"SignatureDoesNotMatch", Code::kUnauthenticated,
            "check the secret access key (a blank or line break in it?) and the region"},
    Meaning{"SlowDown", Code::kThrottled, ""},
    Meaning{"TemporaryRedirect", Code::kInvalid, "the bucket is elsewhere; set the region or s3Url"},
    Meaning{"Throttling", Code::kThrottled, ""},
    Meaning{"TokenRefreshRequired", Code::kUnauthenticated, kCheckToken},
    Meaning{"TooManyRequests", Code::kThrottled, ""},
    Meaning{"XAdminUserNotFound", Code::kUnauthenticated, "the server does not know the access key"},
    Meaning{"XAmzContentChecksumMismatch", Code::kUnavailable, kDamaged},
    Meaning{"XAmzContentSHA256Mismatch", Code::kUnavailable, kDamaged},
    Meaning{"XMinioStorageFull", Code::kInternal, "the server's disks are full"},
};

const Meaning* meaning_of(std::string_view s3_code) {
  const auto* const at = std::ranges::find(kMeanings, s3_code, &Meaning::s3_code);
  return at == kMeanings.end() ? nullptr : at;
}

Code code_for_status(int status) {
  switch (status) {
    case 412:
      return Code::kAlreadyExists;  // of If-None-Match: the only condition that we put
    case 408:
    case 500:
    case 502:
    case 503:
    case 504:
      return Code::kUnavailable;  // S3 means for all of them: try again
    default:
      return io::code_of_status(status);
  }
}

// Text of a server for a message of ours: one line, not too long, no secrets.
std::string shown(std::string_view text, std::size_t limit, const std::vector<std::string>& secrets) {
  std::string out = to_valid_utf8(redact(std::string(trim(text.substr(0, 16UL * 1024))), secrets));
  std::ranges::replace_if(out, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  if (out.size() > limit) {
    out = to_valid_utf8(out.substr(0, limit)) + "…";
  }
  return out;
}

std::string seconds_text(Duration difference) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(difference).count();
  if (seconds < 120) {
    return std::to_string(seconds) + " seconds";
  }
  return seconds < 7200 ? std::to_string(seconds / 60) + " minutes" : std::to_string(seconds / 3600) + " hours";
}

std::string clock_advice(const io::HttpHead& head, const ErrorBody& body, WallTime now) {
  auto server = parse_rfc3339(trim(body.server_time));
  if (!server) {
    server = parse_http_date(trim(head.headers.get("Date").value_or("")));
  }
  if (!server) {
    return "this machine's clock is off; set it";
  }
  const bool is_ahead = now > *server;
  return "this machine's clock is " + seconds_text(is_ahead ? now - *server : *server - now) +
         (is_ahead ? " ahead of" : " behind") + " the server's; set it";
}

std::optional<Duration> retry_after(const io::HttpHeaders& headers, WallTime now) {
  const auto value = headers.get("Retry-After");
  if (!value) {
    return std::nullopt;
  }
  if (const auto seconds = parse_uint64(trim(*value))) {
    return std::chrono::seconds(std::min<std::uint64_t>(*seconds, 86400));
  }
  const auto until = parse_http_date(trim(*value));
  return until && *until > now ? std::optional<Duration>(*until - now) : std::nullopt;
}

std::string words_for(int status) {
  switch (code_for_status(status)) {
    case Code::kUnauthenticated:
      return "the credentials are not accepted";
    case Code::kForbidden:
      return "access denied";
    case Code::kNotFound:
      return "not found";
    default:
      return status >= 300 && status < 400 ? "the server redirects elsewhere" : "the server refused or failed";
  }
}

std::string describe(const std::string& request, const S3ErrorDetail& detail, const std::string& message,
                     std::string_view advice, const std::string& request_id) {
  std::string text = request + ": ";
  text += detail.s3_code.empty() ? words_for(detail.http_status) : detail.s3_code;
  if (!message.empty()) {
    text += ": " + message;
  }
  if (!advice.empty()) {
    text += "; " + std::string(advice);
  }
  text += " (HTTP " + std::to_string(detail.http_status);
  return text + (request_id.empty() ? ")" : ", request id " + request_id + ")");
}

}  // namespace

std::string to_string(const RequestName& name) {
  std::string text = std::string(name.method) + " bucket " + quote(name.bucket);
  return name.key.empty() ? text : text + ", key " + quote(name.key);
}

std::string redact(std::string text, const std::vector<std::string>& secrets) {
  for (const std::string& secret : secrets) {
    for (std::size_t at = 0; !secret.empty() && (at = text.find(secret, at)) != std::string::npos;) {
      text.replace(at, secret.size(), "(redacted)");
      at += std::string_view("(redacted)").size();
    }
  }
  return text;
}

Code code_for(std::string_view s3_code, int http_status) {
  const Meaning* meaning = meaning_of(s3_code);
  return meaning != nullptr ? meaning->code : code_for_status(http_status);
}

Error error_from(const std::string& request, const io::HttpHead& head, std::string_view body, WallTime now,
                 const std::vector<std::string>& secrets) {
  const ErrorBody parsed = parse_error_body(body).value_or(ErrorBody{});
  auto detail = std::make_shared<S3ErrorDetail>();
  detail->http_status = head.status;
  detail->s3_code = shown(parsed.code, kMaxWord, secrets);
  detail->region = head.headers.get("x-amz-bucket-region").value_or(parsed.region);
  detail->location = head.headers.get("Location").value_or("");
  detail->retry_after = retry_after(head.headers, now);

  const Meaning* meaning = meaning_of(detail->s3_code);
  std::string advice(meaning != nullptr ? meaning->advice : "");
  if (detail->s3_code == "RequestTimeTooSkewed") {
    advice = clock_advice(head, parsed, now);
  }
  if (head.status >= 300 && head.status < 400 && !detail->location.empty()) {
    advice = "it points to " + io::redact_url(detail->location) + ", which is not followed; set s3Url or the region";
  }
  const std::string request_id =
      shown(head.headers.get("x-amz-request-id").value_or(parsed.request_id), kMaxWord, secrets);
  std::string text = describe(request, *detail, shown(parsed.message, kMaxMessage, secrets), advice, request_id);
  return {code_for(detail->s3_code, head.status), std::move(text), std::move(detail)};
}

std::string_view s3_code_of(const Error& error) {
  const auto* detail = error.detail<S3ErrorDetail>();
  return detail == nullptr ? std::string_view() : std::string_view(detail->s3_code);
}

Error after_uncertain_attempt(const Error& error) {
  const auto* known = error.detail<S3ErrorDetail>();
  auto detail = known == nullptr ? std::make_shared<S3ErrorDetail>() : std::make_shared<S3ErrorDetail>(*known);
  detail->may_have_taken_effect = true;
  return {error.code(), error.message(), std::move(detail)};
}

}  // namespace landfall::s3
