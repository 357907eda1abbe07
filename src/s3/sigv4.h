#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "io/http_message.h"
#include "io/url.h"

// AWS's Signature Version 4 as S3 reads it. Pure functions.

namespace landfall::s3 {

// All of them secrets, but for the first.
struct Credentials {
  std::string access_key_id;
  std::string secret_access_key;
  std::string session_token;        // "" for a user's long-lived key
  std::optional<WallTime> expires;  // of temporary ones

  friend bool operator==(const Credentials&, const Credentials&) = default;
};

// What is signed of a request.
struct SignedParts {
  std::string method;
  std::string path;           // as it is sent: percent-encoded once, "/" at least
  io::QueryParameters query;  // not encoded yet
  io::HttpHeaders headers;    // every one of them; Host must be there
  std::string payload_hash;   // hex_encode(SHA-256), or kUnsignedPayload
};

// In place of a region: the signature holds for all of them, and is of Version 4A (sigv4a.h).
inline constexpr std::string_view kAllRegions = "*";

struct SigningScope {
  std::string region;
  std::string service = "s3";
  WallTime time;
};

// In place of a body's digest: TLS alone protects it.
inline constexpr std::string_view kUnsignedPayload = "UNSIGNED-PAYLOAD";
inline constexpr std::string_view kEmptyPayload = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

// "20130524T000000Z"
std::string amz_date(WallTime time);
// The text whose digest is signed. For tests and for looking into a SignatureDoesNotMatch.
std::string canonical_request(const SignedParts& parts);
// The signature alone, in hexadecimal digits.
std::string sign(const SignedParts& parts, const Credentials& credentials, const SigningScope& scope);

// Adds X-Amz-Date, X-Amz-Security-Token (where there is one), X-Amz-Content-Sha256 (for S3 only), X-Amz-Region-Set (for
// all regions) and Authorization to the headers.
void sign_headers(SignedParts& parts, const Credentials& credentials, const SigningScope& scope);
// The same with an Authorization over the headers that are there, none added.
void add_authorization(SignedParts& parts, const Credentials& credentials, const SigningScope& scope);
// The query of an address that is valid by itself for a while: that of `parts` and the signature behind it. Of the
// headers whoever uses it has to send the same.
io::QueryParameters presigned_query(const SignedParts& parts, const Credentials& credentials, const SigningScope& scope,
                                    std::chrono::seconds valid_for);

}  // namespace landfall::s3
