#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "io/http_message.h"

namespace landfall::kube {

// What the API server's Status says beyond our code and its message: the detail of an Error that came from it
// (`error.detail<ApiStatus>()`).
struct ApiStatus final : ErrorDetail {
  struct Cause {
    std::string reason;  // "FieldValueInvalid"
    std::string message;
    std::string field;  // "spec.replicas"
  };
  int http_status = 0;
  std::string reason;  // "NotFound", "Invalid" …
  std::string message;
  std::string name;
  std::string group;
  std::string kind;
  std::string uid;
  std::vector<Cause> causes;
  std::optional<Duration> retry_after;
};

// The error that an answer with a status of 400 and above stands for. A body that is no Status (a proxy's page, a cut
// text) gives a message of its own with the beginning of it.
Error error_from(int http_status, const io::HttpHeaders& headers, std::string_view body);

// The same from a Status document inside a stream: the object of a watch event of type ERROR.
Error error_from_status_json(std::string_view status_json);

// The Retry-After of an answer: seconds, or a date, as HTTP has it.
std::optional<Duration> retry_after(const io::HttpHeaders& headers);

}  // namespace landfall::kube
