#include "s3/sigv4.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/rfc3339.h"
#include "base/strings.h"
#include "s3/sigv4a.h"

namespace landfall::s3 {
namespace {

bool is_for_all_regions(const SigningScope& scope) { return scope.region == kAllRegions; }

std::string algorithm_of(const SigningScope& scope) {
  return is_for_all_regions(scope) ? "AWS4-ECDSA-P256-SHA256" : "AWS4-HMAC-SHA256";
}

// Without spaces at the ends, runs of them inside made one.
std::string canonical_value(std::string_view value) {
  std::string out;
  for (const char c : value) {
    const bool is_space = c == ' ' || c == '\t';
    if (!is_space) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  if (!out.empty() && out.back() == ' ') {
    out.pop_back();
  }
  return out;
}

// By lower case name; values of one name joined in their order.
std::map<std::string, std::string> canonical_headers(const io::HttpHeaders& headers) {
  std::map<std::string, std::string> out;
  for (const auto& [name, value] : headers.fields()) {
    auto [at, is_new] = out.try_emplace(to_lower(name), canonical_value(value));
    if (!is_new) {
      at->second += "," + canonical_value(value);
    }
  }
  return out;
}

std::string signed_headers(const io::HttpHeaders& headers) {
  std::vector<std::string> names;
  for (const auto& [name, value] : canonical_headers(headers)) {
    names.push_back(name);
  }
  return join(names, ";");
}

// Encoded first, then sorted: the order is that of the encoded bytes.
std::string canonical_query(const io::QueryParameters& query) {
  std::vector<std::pair<std::string, std::string>> encoded;
  encoded.reserve(query.size());
  for (const auto& [name, value] : query) {
    encoded.emplace_back(io::percent_encode(name), io::percent_encode(value));
  }
  std::ranges::sort(encoded);
  std::string out;
  for (const auto& [name, value] : encoded) {
    out += (out.empty() ? "" : "&") + name + "=" + value;
  }
  return out;
}

std::string day_of(const SigningScope& scope) { return amz_date(scope.time).substr(0, 8); }

std::string scope_text(const SigningScope& scope) {
  return day_of(scope) + "/" + (is_for_all_regions(scope) ? "" : scope.region + "/") + scope.service + "/aws4_request";
}

Sha256Digest signing_key(const Credentials& credentials, const SigningScope& scope) {
  const Sha256Digest day = hmac_sha256("AWS4" + credentials.secret_access_key, day_of(scope));
  const Sha256Digest region = hmac_sha256(as_bytes(day), scope.region);
  const Sha256Digest service = hmac_sha256(as_bytes(region), scope.service);
  return hmac_sha256(as_bytes(service), "aws4_request");
}

}  // namespace

std::string amz_date(WallTime time) {
  std::string text = format_rfc3339(time);
  std::erase_if(text, [](char c) { return c == '-' || c == ':'; });
  return text;
}

std::string canonical_request(const SignedParts& parts) {
  std::string out = parts.method + "\n" + parts.path + "\n" + canonical_query(parts.query) + "\n";
  for (const auto& [name, value] : canonical_headers(parts.headers)) {
    out += name + ":" + value + "\n";
  }
  return out + "\n" + signed_headers(parts.headers) + "\n" + parts.payload_hash;
}

std::string sign(const SignedParts& parts, const Credentials& credentials, const SigningScope& scope) {
  const std::string to_sign = algorithm_of(scope) + "\n" + amz_date(scope.time) + "\n" + scope_text(scope) + "\n" +
                              sha256_hex(canonical_request(parts));
  if (is_for_all_regions(scope)) {
    return sign_ecdsa(derive_private_key(credentials), to_sign);
  }
  return hex_encode(as_bytes(hmac_sha256(as_bytes(signing_key(credentials, scope)), to_sign)));
}

void add_authorization(SignedParts& parts, const Credentials& credentials, const SigningScope& scope) {
  std::string value = algorithm_of(scope) + " Credential=" + credentials.access_key_id + "/" + scope_text(scope) +
                      ",SignedHeaders=" + signed_headers(parts.headers) +
                      ",Signature=" + sign(parts, credentials, scope);
  parts.headers.set("Authorization", std::move(value));
}

void sign_headers(SignedParts& parts, const Credentials& credentials, const SigningScope& scope) {
  parts.headers.set("X-Amz-Date", amz_date(scope.time));
  if (scope.service == "s3") {
    parts.headers.set("X-Amz-Content-Sha256", parts.payload_hash);
  }
  if (is_for_all_regions(scope)) {
    parts.headers.set("X-Amz-Region-Set", std::string(kAllRegions));
  }
  if (!credentials.session_token.empty()) {
    parts.headers.set("X-Amz-Security-Token", credentials.session_token);
  }
  add_authorization(parts, credentials, scope);
}

io::QueryParameters presigned_query(const SignedParts& parts, const Credentials& credentials, const SigningScope& scope,
                                    std::chrono::seconds valid_for) {
  SignedParts with_query = parts;
  io::QueryParameters& query = with_query.query;
  query.emplace_back("X-Amz-Algorithm", algorithm_of(scope));
  query.emplace_back("X-Amz-Credential", credentials.access_key_id + "/" + scope_text(scope));
  query.emplace_back("X-Amz-Date", amz_date(scope.time));
  query.emplace_back("X-Amz-Expires", std::to_string(valid_for.count()));
  if (is_for_all_regions(scope)) {
    query.emplace_back("X-Amz-Region-Set", kAllRegions);
  }
  if (!credentials.session_token.empty()) {
    query.emplace_back("X-Amz-Security-Token", credentials.session_token);
  }
  query.emplace_back("X-Amz-SignedHeaders", signed_headers(parts.headers));
  query.emplace_back("X-Amz-Signature", sign(with_query, credentials, scope));
  return std::move(query);
}

}  // namespace landfall::s3
