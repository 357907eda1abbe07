#include "kube/identity_headers.h"

#include "base/encoding.h"
#include "io/http_request_check.h"
#include "io/url.h"

namespace landfall::kube {
namespace {

Status add(io::HttpHeaders& headers, const std::string& field, std::string name, std::string value) {
  if (!io::is_http_field_value(value)) {
    return fail(Code::kInvalid, field + ": holds a line break or another control character");
  }
  headers.add(std::move(name), std::move(value));
  return {};
}

Status add_impersonation(io::HttpHeaders& headers, const Impersonation& impersonate) {
  if (impersonate.user.empty()) {
    return {};
  }
  TRY("", add(headers, "as", "Impersonate-User", impersonate.user));
  if (!impersonate.uid.empty()) {
    TRY("", add(headers, "as-uid", "Impersonate-Uid", impersonate.uid));
  }
  for (const std::string& group : impersonate.groups) {
    TRY("", add(headers, "as-groups", "Impersonate-Group", group));
  }
  for (const auto& [key, values] : impersonate.extra) {
    for (const std::string& value : values) {
      TRY("", add(headers, "as-user-extra", "Impersonate-Extra-" + escape_extra_key(key), value));
    }
  }
  return {};
}

}  // namespace

std::string escape_extra_key(const std::string& key) {
  std::string escaped;
  for (const char c : key) {
    const std::string one(1, c);
    escaped += io::is_http_token(one) && c != '%' ? one : io::percent_encode(one);
  }
  return escaped;
}

Result<io::HttpHeaders> identity_headers(const Config& config, const std::string& token,
                                         const std::string& token_name) {
  io::HttpHeaders headers;
  if (!token.empty()) {
    TRY("", add(headers, token_name, "Authorization", "Bearer " + token));
  } else if (!config.username.empty() || !config.password.empty()) {
    headers.add("Authorization", "Basic " + base64_encode(config.username + ":" + config.password));
  }
  TRY("", add_impersonation(headers, config.impersonate));
  return headers;
}

}  // namespace landfall::kube
