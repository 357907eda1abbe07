#include "http/response.h"

#include <algorithm>
#include <array>
#include <utility>

namespace landfall::http {
namespace {

constexpr std::string_view kPlainText = "text/plain; charset=utf-8";

constexpr std::array kPhrases = std::to_array<std::pair<int, std::string_view>>({
    {100, "Continue"},
    {101, "Switching Protocols"},
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {206, "Partial Content"},
    {301, "Moved Permanently"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {307, "Temporary Redirect"},
    {308, "Permanent Redirect"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {406, "Not Acceptable"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {414, "URI Too Long"},
    {415, "Unsupported Media Type"},
    {416, "Range Not Satisfiable"},
    {417, "Expectation Failed"},
    {422, "Unprocessable Content"},
    {428, "Precondition Required"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
});

}  // namespace

std::string_view reason_phrase(int status) {
  const auto* const found = std::ranges::find_if(kPhrases, [&](const auto& entry) { return entry.first == status; });
  return found == kPhrases.end() ? "Unknown" : found->second;
}

int status_of(Code code) {
  switch (code) {
    case Code::kInvalid:
      return 400;
    case Code::kUnauthenticated:
      return 401;
    case Code::kForbidden:
      return 403;
    case Code::kNotFound:
      return 404;
    case Code::kAlreadyExists:
    case Code::kConflict:
      return 409;
    case Code::kGone:
      return 410;
    case Code::kTooLarge:
      return 413;
    case Code::kThrottled:
      return 429;
    case Code::kUnsupported:
      return 501;
    case Code::kCancelled:
    case Code::kUnavailable:
      return 503;
    case Code::kTimeout:
      return 504;
    case Code::kDataLoss:
    case Code::kInternal:
      return 500;
  }
  return 500;
}

Response text(int status, std::string body) {
  return {.status = status, .headers = {{"Content-Type", std::string(kPlainText)}}, .body = std::move(body)};
}

Response bytes(std::string body, std::string content_type) {
  return {.status = 200, .headers = {{"Content-Type", std::move(content_type)}}, .body = std::move(body)};
}

Response error_answer(int status, std::string_view sentence) {
  Response response = text(status, std::string(sentence) + "\n");
  // The sentence may quote the client: a browser must not take it for a page.
  response.headers.add("X-Content-Type-Options", "nosniff");
  return response;
}

Response error_answer(const Error& error) {
  const bool tell = error.code() != Code::kInternal;
  return error_answer(status_of(error.code()), tell ? std::string_view(error.message()) : "internal error");
}

}  // namespace landfall::http
