#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "http/request.h"

namespace landfall::http {

// A request that is not served: the status and a short sentence for the client.
struct Refusal {
  int status = 400;
  std::string sentence;
};

// Internal to the module. Reads one request after the other from bytes that come in pieces of any size. Stricter than
// the grammar allows where two readers could disagree about where a request ends: one Content-Length or one
// `Transfer-Encoding: chunked`, never both, no folded lines, exactly one Host in HTTP/1.1. Not thread-safe.
class RequestParser {
 public:
  struct Limits {
    std::size_t header_bytes;
    std::size_t header_count;
  };
  enum class Progress {
    kNeedMore,  // offer what was not consumed again, with more behind it
    kHead,      // reported once: the head is in; allow_body() decides how to go on
    kDone,      // the request is complete; what was not consumed belongs to the next
  };
  struct Step {
    std::size_t consumed = 0;
    Progress progress = Progress::kNeedMore;
  };

  explicit RequestParser(Limits limits);
  RequestParser(const RequestParser&) = delete;
  RequestParser& operator=(const RequestParser&) = delete;
  ~RequestParser();

  // After a refusal, or kDone, only reset() may follow.
  tl::expected<Step, Refusal> feed(std::string_view bytes);

  // After kHead: how large the body may be. Returns kDone at once when there is no body.
  tl::expected<Progress, Refusal> allow_body(std::uint64_t at_most);

  // Valid from kHead on; complete at kDone.
  Request& request();
  // True when the client wants to send another request on this connection.
  bool keep_alive() const;
  bool expects_continue() const;
  // How much of the body is still to come, as far as that is known.
  std::optional<std::uint64_t> body_remaining() const;

  // Makes ready for the next request.
  void reset();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
  const Limits limits_;
};

}  // namespace landfall::http
