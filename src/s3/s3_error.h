#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "io/http_message.h"

namespace landfall::s3 {

// What a server said about a request that it did not fulfil; goes with the Error.
struct S3ErrorDetail final : ErrorDetail {
  int http_status = 0;
  std::string s3_code;   // "NoSuchKey"; "" when the answer held none
  std::string region;    // where the server says that the bucket is
  std::string location;  // where it says to go instead
  std::optional<Duration> retry_after;
  // An attempt before this one was cut and may have done what was asked for.
  bool may_have_taken_effect = false;
};

// Which request it was, for messages.
struct RequestName {
  std::string_view method;
  std::string_view bucket;
  std::string_view key;  // "" for the bucket itself
};
std::string to_string(const RequestName& name);

// Replaces every one of the secrets in a text that came from outside.
std::string redact(std::string text, const std::vector<std::string>& secrets);

// An answer with a status that is no success as an error: the code says what the caller can do, the message names the
// request, the server's own code and its request id, and what to check. None of the secrets is in it, even when the
// server repeats them.
Error error_from(const std::string& request, const io::HttpHead& head, std::string_view body, WallTime now,
                 const std::vector<std::string>& secrets);

// The detail's code, or "" for an error without one.
std::string_view s3_code_of(const Error& error);
// The same error after an attempt that was cut, see S3ErrorDetail.
Error after_uncertain_attempt(const Error& error);

// The code for one of S3's error codes; for an unknown one that of the HTTP status.
Code code_for(std::string_view s3_code, int http_status);

}  // namespace landfall::s3
