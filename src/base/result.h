#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace landfall {

// What went wrong, in terms of what the caller can do about it.
enum class Code {
  kCancelled,        // the caller asked to stop
  kInvalid,          // the input is wrong: trying again without changing it cannot help
  kNotFound,         // there is no such thing
  kAlreadyExists,    // the name is taken
  kConflict,         // it changed underneath: read it again, then retry
  kUnauthenticated,  // no or wrong credentials
  kForbidden,        // the credentials do not allow it
  kGone,             // an expired continue token or resource version: start over from a fresh read
  kThrottled,        // too many requests: slow down, then retry
  kUnavailable,      // a passing fault: retry with backoff
  kTimeout,          // the deadline passed; whether it took effect is not known
  kTooLarge,         // a limit of ours stopped it
  kDataLoss,         // the bytes are damaged
  kUnsupported,      // understood, but not done here
  kInternal,         // a bug of ours, or a machine that fails (disk full, out of descriptors)
};

// The code as it appears in logs: "NotFound".
std::string_view to_string(Code code);

// True for faults that may pass by themselves.
bool is_retryable(Code code);

// What more there is to know about an error for those who know where it came from: an API server's Status, say.
class ErrorDetail {
 public:
  ErrorDetail() = default;
  ErrorDetail(const ErrorDetail&) = default;
  ErrorDetail& operator=(const ErrorDetail&) = default;
  ErrorDetail(ErrorDetail&&) = default;
  ErrorDetail& operator=(ErrorDetail&&) = default;
  virtual ~ErrorDetail() = default;
};

// An error is a code and one sentence, built outside-in: "restore pod shop/db-0: create: timed out".
class Error {
 public:
  Error(Code code, std::string message, std::shared_ptr<const ErrorDetail> detail = nullptr)
      : code_(code), message_(std::move(message)), detail_(std::move(detail)) {}

  Code code() const { return code_; }
  const std::string& message() const { return message_; }

  // The detail, when there is one of that type. It stays with the error whatever context is added.
  template <class Detail>
  const Detail* detail() const {
    return dynamic_cast<const Detail*>(detail_.get());
  }

  // The same error, seen from one step further out. An empty context adds nothing.
  Error with_context(std::string_view context) &&;

  // Details do not count.
  friend bool operator==(const Error& a, const Error& b) { return a.code_ == b.code_ && a.message_ == b.message_; }

 private:
  Code code_;
  std::string message_;
  std::shared_ptr<const ErrorDetail> detail_;
};

// A value or an Error. A result that nobody looks at is a compiler error.
template <class T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using tl::expected<T, Error>::expected;
  // NOLINTNEXTLINE(google-explicit-constructor): what map() and and_then() return is a Result again.
  Result(tl::expected<T, Error> other) : tl::expected<T, Error>(std::move(other)) {}
};

using Status = Result<void>;

// `return fail(Code::kNotFound, "no such backup");` in a function that returns a Result or a Status.
inline tl::unexpected<Error> fail(Code code, std::string message) {
  return tl::unexpected<Error>(Error(code, std::move(message)));
}

// Passes on an error with the context of the step that failed.
inline tl::unexpected<Error> fail(std::string_view context, Error error) {
  return tl::unexpected<Error>(std::move(error).with_context(context));
}

}  // namespace landfall

// NOLINTBEGIN(cppcoreguidelines-macro-usage): an early return cannot be a function.

// TRY(context, expression): returns from the function with the error, if there is one. The context is built only then.
#define TRY(context, ...)                                              \
  do {                                                                 \
    if (auto try_result = (__VA_ARGS__); !try_result) {                \
      return ::landfall::fail(context, std::move(try_result).error()); \
    }                                                                  \
  } while (false)

#define LANDFALL_JOIN_(a, b) a##b
#define LANDFALL_JOIN(a, b) LANDFALL_JOIN_(a, b)

// TRY_ASSIGN(const auto page, "list pods", client.list(…)): declares or assigns the value, or returns like TRY.
#define TRY_ASSIGN(target, context, ...) \
  LANDFALL_TRY_ASSIGN(LANDFALL_JOIN(try_result_, __LINE__), target, context, __VA_ARGS__)
#define LANDFALL_TRY_ASSIGN(result, target, context, ...)        \
  auto result = (__VA_ARGS__);                                   \
  if (!result) {                                                 \
    return ::landfall::fail(context, std::move(result).error()); \
  }                                                              \
  target = *std::move(result)

// NOLINTEND(cppcoreguidelines-macro-usage)
