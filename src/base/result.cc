#include "base/result.h"

namespace landfall {

std::string_view to_string(Code code) {
  switch (code) {
    case Code::kCancelled:
      return "Cancelled";
    case Code::kInvalid:
      return "Invalid";
    case Code::kNotFound:
      return "NotFound";
    case Code::kAlreadyExists:
      return "AlreadyExists";
    case Code::kConflict:
      return "Conflict";
    case Code::kUnauthenticated:
      return "Unauthenticated";
    case Code::kForbidden:
      return "Forbidden";
    case Code::kGone:
      return "Gone";
    case Code::kThrottled:
      return "Throttled";
    case Code::kUnavailable:
      return "Unavailable";
    case Code::kTimeout:
      return "Timeout";
    case Code::kTooLarge:
      return "TooLarge";
    case Code::kDataLoss:
      return "DataLoss";
    case Code::kUnsupported:
      return "Unsupported";
    case Code::kInternal:
      return "Internal";
  }
  return "Unknown";
}

bool is_retryable(Code code) {
  return code == Code::kThrottled || code == Code::kUnavailable || code == Code::kTimeout;
}

Error Error::with_context(std::string_view context) && {
  if (!context.empty()) {
    message_.insert(0, std::string(context) + ": ");
  }
  return std::move(*this);
}

}  // namespace landfall
