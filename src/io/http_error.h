#pragma once

#include <tl/expected.hpp>
#include <utility>

#include "base/result.h"

namespace landfall::io {

// Why a call got no (whole) response. A response with an error status is not one: it is a response.
//
//   kUnavailable      could not connect (refused, no such host, connect time-out), or the connection broke
//   kTimeout          the deadline or the idle time-out passed
//   kCancelled        a stop was asked for
//   kUnauthenticated  TLS: one side does not trust the other's certificate; or the proxy wants credentials
//   kTooLarge         the body or the headers are over their limit
//   kDataLoss         what the server sent is not HTTP, or its gzip is damaged
//   kInvalid          the request itself cannot be sent; the error of a callback or of the body's reader stays its own
//
// Messages name method, scheme, host and path, never headers, query or credentials. Turns into a plain Error in TRY.
class HttpError {
 public:
  HttpError(Error error, bool request_may_have_been_sent)
      : error_(std::move(error)), request_may_have_been_sent_(request_may_have_been_sent) {}

  Code code() const { return error_.code(); }
  const std::string& message() const { return error_.message(); }
  // False: no byte of the request has left, so trying again is safe whatever the method.
  bool request_may_have_been_sent() const { return request_may_have_been_sent_; }

  // NOLINTNEXTLINE(google-explicit-constructor): so that TRY works
  operator Error() const& { return error_; }
  // NOLINTNEXTLINE(google-explicit-constructor): so that TRY works
  operator Error() && { return std::move(error_); }

 private:
  Error error_;
  bool request_may_have_been_sent_;
};

template <class T>
class [[nodiscard]] HttpResult : public tl::expected<T, HttpError> {
 public:
  using tl::expected<T, HttpError>::expected;
};

}  // namespace landfall::io
