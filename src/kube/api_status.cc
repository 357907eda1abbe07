#include "kube/api_status.h"

#include <algorithm>
#include <memory>

#include "base/strings.h"
#include "io/http_status.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"

namespace landfall::kube {
namespace {

constexpr std::size_t kExcerpt = 200;
constexpr std::int64_t kLongestRetryAfterSeconds = 3600;

// The reason decides where there is one: 409 stands for both AlreadyExists and Conflict.
std::optional<Code> code_of_reason(std::string_view reason) {
  static constexpr std::pair<std::string_view, Code> kCodes[] = {
      {"Unauthorized", Code::kUnauthenticated},
      {"Forbidden", Code::kForbidden},
      {"NotFound", Code::kNotFound},
      {"AlreadyExists", Code::kAlreadyExists},
      {"Conflict", Code::kConflict},
      {"Gone", Code::kGone},
      {"Expired", Code::kGone},
      {"Invalid", Code::kInvalid},
      {"BadRequest", Code::kInvalid},
      {"MethodNotAllowed", Code::kUnsupported},
      {"NotAcceptable", Code::kUnsupported},
      {"UnsupportedMediaType", Code::kUnsupported},
      {"RequestEntityTooLarge", Code::kTooLarge},
      {"TooManyRequests", Code::kThrottled},
      {"ServerTimeout", Code::kUnavailable},
      {"Timeout", Code::kTimeout},
      {"ServiceUnavailable", Code::kUnavailable},
      {"InternalError", Code::kInternal},
  };
  for (const auto& [name, code] : kCodes) {
    if (name == reason) {
      return code;
    }
  }
  return std::nullopt;
}

ApiStatus read_status(const json::Json& document) {
  ApiStatus status;
  status.http_status = static_cast<int>(json::int_or(document, {"code"}, 0));
  status.reason = json::string_or(document, {"reason"}, "");
  status.message = json::string_or(document, {"message"}, "");
  status.name = json::string_or(document, {"details", "name"}, "");
  status.group = json::string_or(document, {"details", "group"}, "");
  status.kind = json::string_or(document, {"details", "kind"}, "");
  status.uid = json::string_or(document, {"details", "uid"}, "");
  const std::int64_t seconds = json::int_or(document, {"details", "retryAfterSeconds"}, 0);
  if (seconds > 0) {
    status.retry_after = std::chrono::seconds(std::min(seconds, kLongestRetryAfterSeconds));
  }
  if (const auto causes = json::array_at(document, {"details", "causes"})) {
    for (const json::Json& cause : **causes) {
      status.causes.push_back({.reason = json::string_or(cause, {"reason"}, ""),
                               .message = json::string_or(cause, {"message"}, ""),
                               .field = json::string_or(cause, {"field"}, "")});
    }
  }
  return status;
}

Error error_of(ApiStatus status) {
  // An error of the server's own that comes with a time to try again at is a passing one.
  Code code = code_of_reason(status.reason).value_or(io::code_of_status(status.http_status));
  if (code == Code::kInternal && status.retry_after) {
    code = Code::kUnavailable;
  }
  std::string message = status.message;
  if (message.empty()) {
    message = "the server answered " + std::to_string(status.http_status) +
              (status.reason.empty() ? "" : " (" + status.reason + ")");
  }
  return {code, std::move(message), std::make_shared<const ApiStatus>(std::move(status))};
}

}  // namespace

std::optional<Duration> retry_after(const io::HttpHeaders& headers) {
  const auto value = headers.get("Retry-After");
  if (!value) {
    return std::nullopt;
  }
  const auto seconds = parse_int64(trim(*value));
  // API servers and their proxies send seconds; a date is as good as none, the backoff decides then.
  if (!seconds || *seconds < 0) {
    return std::nullopt;
  }
  return std::chrono::seconds(std::min(*seconds, kLongestRetryAfterSeconds));
}

Error error_from(int http_status, const io::HttpHeaders& headers, std::string_view body) {
  ApiStatus status;
  const auto document = json::parse(body);
  if (document && json::string_or(*document, {"kind"}, "") == "Status") {
    status = read_status(*document);
  } else if (!body.empty()) {
    std::string excerpt = to_valid_utf8(trim(body).substr(0, kExcerpt));
    status.message = "the server answered " + std::to_string(http_status) + ": " + quote(excerpt);
  }
  status.http_status = http_status;
  if (const auto wait = retry_after(headers)) {
    status.retry_after = wait;
  }
  return error_of(std::move(status));
}

Error error_from_status_json(std::string_view status_json) {
  const auto document = json::parse(status_json);
  if (!document) {
    return {Code::kDataLoss, "the server sent an error that cannot be read: " + document.error().message()};
  }
  return error_of(read_status(*document));
}

}  // namespace landfall::kube
