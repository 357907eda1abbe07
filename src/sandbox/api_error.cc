#include "sandbox/api_error.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "http/response.h"
#include "json/json.h"

namespace landfall::sandbox {
namespace {

using json::Json;

Error refusal(Code code, std::string message, ApiFailure failure) {
  return {code, std::move(message), std::make_shared<const ApiFailure>(std::move(failure))};
}

ApiFailure about(int status, std::string_view reason, const k8s::GroupResource& resource, std::string_view name) {
  ApiFailure failure;
  failure.http_status = status;
  failure.reason = reason;
  failure.has_details = true;
  failure.name = name;
  failure.group = resource.group;
  failure.kind = resource.resource;
  return failure;
}

ApiFailure plain(int status, std::string_view reason, bool has_details = false) {
  ApiFailure failure;
  failure.http_status = status;
  failure.reason = reason;
  failure.has_details = has_details;
  return failure;
}

std::string quoted(std::string_view name) { return fmt::format("\"{}\"", name); }

}  // namespace

Error not_found(const k8s::GroupResource& resource, std::string_view name) {
  return refusal(Code::kNotFound, fmt::format("{} {} not found", to_string(resource), quoted(name)),
                 about(404, "NotFound", resource, name));
}

Error already_exists(const k8s::GroupResource& resource, std::string_view name, bool is_deleting) {
  return refusal(Code::kAlreadyExists,
                 fmt::format("{}{} {} already exists", is_deleting ? "object is being deleted: " : "",
                             to_string(resource), quoted(name)),
                 about(409, "AlreadyExists", resource, name));
}

Error conflict(const k8s::GroupResource& resource, std::string_view name, std::string_view why) {
  return refusal(Code::kConflict,
                 fmt::format("Operation cannot be fulfilled on {} {}: {}", to_string(resource), quoted(name), why),
                 about(409, "Conflict", resource, name));
}

Error modified_meanwhile(const k8s::GroupResource& resource, std::string_view name) {
  return conflict(resource, name,
                  "the object has been modified; please apply your changes to the latest version and try again");
}

Error forbidden_by(const k8s::GroupResource& resource, std::string_view name, std::string_view why, Causes causes) {
  ApiFailure failure = about(403, "Forbidden", resource, name);
  failure.causes = std::move(causes);
  return refusal(Code::kForbidden, fmt::format("{} {} is forbidden: {}", to_string(resource), quoted(name), why),
                 std::move(failure));
}

Error invalid(const KindInfo& kind, std::string_view name, const Causes& causes) {
  // Events are core's, whichever way they come.
  return invalid(k8s::GroupKind{kind.id.group == "events.k8s.io" ? "" : kind.id.group, kind.kind}, name, causes);
}

Error invalid(const k8s::GroupKind& kind, std::string_view name, const Causes& causes) {
  ApiFailure failure = about(422, "Invalid", {kind.group, kind.kind}, name);
  failure.causes = causes;
  return refusal(Code::kInvalid,
                 fmt::format("{} {} is invalid: {}", to_string(kind), quoted(name), causes_text(causes)),
                 std::move(failure));
}

Error bad_request(std::string message) { return refusal(Code::kInvalid, std::move(message), plain(400, "BadRequest")); }

Error unauthorized() { return refusal(Code::kUnauthenticated, "Unauthorized", plain(401, "Unauthorized")); }

Error no_such_resource() {
  return refusal(Code::kNotFound, "the server could not find the requested resource", plain(404, "NotFound", true));
}

Error method_not_allowed() {
  return refusal(Code::kUnsupported, "the server does not allow this method on the requested resource",
                 plain(405, "MethodNotAllowed", true));
}

Error unsupported_media_type(std::string message) {
  return refusal(Code::kInvalid, std::move(message), plain(415, "UnsupportedMediaType"));
}

Error patch_type_not_supported() {
  return refusal(Code::kInvalid, "415: Unsupported Media Type", plain(415, "UnsupportedMediaType", true));
}

Error not_acceptable(std::string_view available) {
  return refusal(Code::kInvalid, fmt::format("406: Not Acceptable\n\nAvailable representations: {}", available),
                 plain(406, "NotAcceptable", true));
}

Error not_acceptable_shape(std::string message) {
  return refusal(Code::kInvalid, std::move(message), plain(406, "NotAcceptable"));
}

Error entity_too_large(std::string message) {
  return refusal(Code::kTooLarge, "Request entity too large: " + message, plain(413, "RequestEntityTooLarge"));
}

Error expired(std::string message, std::string continue_token) {
  ApiFailure failure = plain(410, "Expired");
  failure.continue_token = std::move(continue_token);
  return refusal(Code::kGone, std::move(message), std::move(failure));
}

Error too_large_revision(std::uint64_t asked, std::uint64_t current) {
  ApiFailure failure = plain(504, "Timeout", true);
  failure.causes.push_back({"ResourceVersionTooLarge", "Too large resource version", ""});
  failure.retry_after_seconds = 1;
  return refusal(Code::kTimeout, fmt::format("Timeout: Too large resource version: {}, current: {}", asked, current),
                 std::move(failure));
}

Error too_many_requests(std::string message, int retry_after_seconds) {
  ApiFailure failure = plain(429, "TooManyRequests", true);
  failure.retry_after_seconds = retry_after_seconds;
  return refusal(Code::kThrottled, std::move(message), std::move(failure));
}

Error apply_conflict(Causes causes, std::string message) {
  ApiFailure failure = plain(409, "Conflict", true);
  failure.causes = std::move(causes);
  return refusal(Code::kConflict, std::move(message), std::move(failure));
}

Error unprocessable() {
  return refusal(Code::kInvalid, "the server rejected our request due to an error in our request",
                 plain(422, "Invalid", true));
}

Error server_error(std::string message) { return refusal(Code::kInternal, std::move(message), plain(500, "")); }

int http_status_of(const Error& error) {
  if (const auto* failure = error.detail<ApiFailure>()) return failure->http_status;
  return http::status_of(error.code());
}

namespace {

Json details_of(const ApiFailure& failure) {
  Json details = Json::object();
  if (!failure.name.empty()) details["name"] = failure.name;
  if (!failure.group.empty()) details["group"] = failure.group;
  if (!failure.kind.empty()) details["kind"] = failure.kind;
  if (!failure.uid.empty()) details["uid"] = failure.uid;
  for (const Cause& cause : failure.causes) {
    Json entry = Json::object();
    if (!cause.reason.empty()) entry["reason"] = cause.reason;
    if (!cause.message.empty()) entry["message"] = cause.message;
    if (!cause.field.empty()) entry["field"] = cause.field;
    details["causes"].push_back(std::move(entry));
  }
  if (failure.retry_after_seconds > 0) details["retryAfterSeconds"] = failure.retry_after_seconds;
  return details;
}

}  // namespace

Json status_document(const Error& error) {
  Json status = {{"kind", "Status"},    {"apiVersion", "v1"},         {"metadata", Json::object()},
                 {"status", "Failure"}, {"message", error.message()}, {"code", http_status_of(error)}};
  const auto* failure = error.detail<ApiFailure>();
  if (failure == nullptr) return status;
  if (!failure->reason.empty()) status["reason"] = failure->reason;
  if (!failure->continue_token.empty()) status["metadata"]["continue"] = failure->continue_token;
  if (failure->has_details) status["details"] = details_of(*failure);
  return status;
}

Json success_document(const k8s::GroupResource& resource, std::string_view name, std::string_view uid) {
  ApiFailure about_it = about(200, "", resource, name);
  about_it.uid = uid;
  return {{"kind", "Status"},
          {"apiVersion", "v1"},
          {"metadata", Json::object()},
          {"status", "Success"},
          {"details", details_of(about_it)}};
}

}  // namespace landfall::sandbox
