#include "sandbox/authenticator.h"

#include <chrono>
#include <utility>

#include "base/digest.h"
#include "base/encoding.h"
#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"

namespace landfall::sandbox {
namespace {

using json::Json;

constexpr std::string_view kIssuer = "https://kubernetes.default.svc";

std::int64_t unix_seconds(WallTime time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

std::string random_hex(Random& random, int words) {
  std::string out;
  for (int i = 0; i < words; ++i) {
    const std::uint64_t bits = random.bits();
    for (unsigned shift = 0; shift < 64; shift += 8) out += static_cast<char>((bits >> shift) & 0xffU);
  }
  return hex_encode(out);
}

// Takes the same time wherever they differ.
bool same_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  int different = 0;
  for (std::size_t i = 0; i < a.size(); ++i) different |= a[i] ^ b[i];
  return different == 0;
}

std::string signature(std::string_view secret, std::string_view text) {
  const Sha256Digest digest = hmac_sha256(secret, text);
  return base64url_encode(as_bytes(digest));
}

}  // namespace

Authenticator::Authenticator(std::string token, Clock& clock, Random& random)
    : token_(std::move(token)), secret_(random_hex(random, 4)), clock_(clock) {
  if (token_.empty()) token_ = random_hex(random, 4);
}

std::optional<User> Authenticator::user_of(const http::Request& request) const {
  const auto header = request.headers.get("Authorization");
  if (!header) return std::nullopt;
  const auto parts = cut(trim(*header), ' ');
  if (!parts || !http::equals_ignoring_case(parts->first, "Bearer")) return std::nullopt;
  std::optional<User> user = user_of_token(trim(parts->second));
  if (!user) return std::nullopt;
  if (const auto as = request.headers.get("Impersonate-User")) {
    user = User{.name = std::string(*as)};
    for (const std::string_view group : request.headers.all("Impersonate-Group")) user->groups.emplace_back(group);
    user->groups.emplace_back("system:authenticated");
  }
  return user;
}

std::optional<User> Authenticator::user_of_token(std::string_view token) const {
  if (same_secret(token, token_)) {
    return User{.name = "sandbox-admin", .uid = "sandbox-admin", .groups = {"system:masters", "system:authenticated"}};
  }
  const std::size_t dot = token.rfind('.');
  if (dot == std::string_view::npos || token.size() > 8192) return std::nullopt;
  const std::string_view text = token.substr(0, dot);
  if (!same_secret(signature(secret_, text), token.substr(dot + 1))) return std::nullopt;
  const auto payload = base64url_decode(text.substr(text.find('.') + 1));
  const auto claims = payload ? json::parse(*payload) : Result<Json>(fail(Code::kInvalid, "no payload"));
  if (!claims || json::int_or(*claims, {"exp"}, 0) <= unix_seconds(clock_.wall_now())) return std::nullopt;
  const std::string name_space = json::string_or(*claims, {"kubernetes.io", "namespace"}, "");
  return User{.name = json::string_or(*claims, {"sub"}, ""),
              .uid = json::string_or(*claims, {"kubernetes.io", "serviceaccount", "uid"}, ""),
              .groups = {"system:serviceaccounts", "system:serviceaccounts:" + name_space, "system:authenticated"}};
}

std::string Authenticator::issue(const ServiceAccount& account, const std::vector<std::string>& audiences,
                                 WallTime until) const {
  const std::int64_t now = unix_seconds(clock_.wall_now());
  const Json header = {{"alg", "HS256"}, {"typ", "JWT"}};
  const Json claims = {
      {"aud", audiences},
      {"exp", unix_seconds(until)},
      {"iat", now},
      {"iss", kIssuer},
      {"kubernetes.io",
       {{"namespace", account.name_space}, {"serviceaccount", {{"name", account.name}, {"uid", account.uid}}}}},
      {"nbf", now},
      {"sub", "system:serviceaccount:" + account.name_space + ":" + account.name}};
  const std::string text = base64url_encode(json::dump(header)) + "." + base64url_encode(json::dump(claims));
  return text + "." + signature(secret_, text);
}

}  // namespace landfall::sandbox
