#include "io/http_status.h"

namespace landfall::io {

Code code_of_status(int status) {
  switch (status) {
    case 401:
      return Code::kUnauthenticated;
    case 403:
      return Code::kForbidden;
    case 404:
      return Code::kNotFound;
    case 405:
    case 406:
    case 415:
    case 501:
      return Code::kUnsupported;
    case 408:
    case 504:
      return Code::kTimeout;
    case 409:
      return Code::kConflict;
    case 410:
      return Code::kGone;
    case 413:
      return Code::kTooLarge;
    case 429:
      return Code::kThrottled;
    case 502:
    case 503:
      return Code::kUnavailable;
    default:
      return status >= 500 ? Code::kInternal : Code::kInvalid;
  }
}

}  // namespace landfall::io
