#include "io/http_request_check.h"

#include <algorithm>

#include "base/strings.h"

namespace landfall::io {
namespace {

bool is_token_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

Status check_header(const HttpHeaders::Field& field) {
  const auto& [name, value] = field;
  if (!is_http_token(name)) {
    return fail(Code::kInvalid, "header " + quote(name) + ": not a header name");
  }
  if (!is_http_field_value(value)) {
    return fail(Code::kInvalid, "header " + quote(name) + ": the value holds a line break or control character");
  }
  // They follow from the body; two opinions on where it ends are how requests are smuggled.
  const std::string key = to_lower(name);
  if (key == "content-length" || key == "transfer-encoding" || key == "expect") {
    return fail(Code::kInvalid, "header " + quote(name) + ": the client sets it by itself");
  }
  return {};
}

}  // namespace

bool is_http_token(std::string_view text) { return !text.empty() && std::ranges::all_of(text, is_token_character); }

bool is_http_field_value(std::string_view text) {
  return std::ranges::all_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte >= 0x20 && byte != 0x7f) || c == '\t';
  });
}

Result<Url> check_request(const HttpRequest& request) {
  if (!is_http_token(request.method) || request.method == "CONNECT") {
    return fail(Code::kInvalid, "method " + quote(request.method) + ": not one that can be sent");
  }
  TRY_ASSIGN(Url url, "", parse_url(request.url));
  if (url.scheme != "http" && url.scheme != "https") {
    return fail(Code::kInvalid, "URL scheme " + quote(url.scheme) + ": only http and https are spoken");
  }
  if (!url.userinfo.empty()) {
    return fail(Code::kInvalid, "credentials in a URL are not used; set an Authorization header");
  }
  for (const HttpHeaders::Field& field : request.headers.fields()) {
    TRY("", check_header(field));
  }
  if (request.method == "HEAD" && request.body.has_body()) {
    return fail(Code::kInvalid, "a HEAD request has no body");
  }
  url.fragment.reset();
  return url;
}

}  // namespace landfall::io
