#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "io/stream.h"

// What goes over the wire: requests, responses and their headers. Plain values.

namespace landfall::io {

// Header fields in their order; names compare without case, and a name may occur more than once.
class HttpHeaders {
 public:
  using Field = std::pair<std::string, std::string>;
  HttpHeaders() = default;
  HttpHeaders(std::initializer_list<Field> fields) : fields_(fields) {}

  // The first value of that name.
  std::optional<std::string_view> get(std::string_view name) const;
  std::vector<std::string_view> get_all(std::string_view name) const;
  bool has(std::string_view name) const { return get(name).has_value(); }

  void add(std::string name, std::string value) { fields_.emplace_back(std::move(name), std::move(value)); }
  // Replaces all of that name.
  void set(std::string name, std::string value);
  void remove(std::string_view name);
  // Adds a word to the value of the last field: a header that is folded over two lines.
  void extend_last(std::string_view word) { fields_.back().second.append(" ").append(word); }

  const std::vector<Field>& fields() const { return fields_; }
  bool empty() const { return fields_.empty(); }

 private:
  std::vector<Field> fields_;
};

// What a request sends: nothing, bytes, or a stream.
class HttpBody {
 public:
  struct Stream {
    Reader* reader;
    std::optional<std::uint64_t> length;
  };
  HttpBody() = default;
  static HttpBody bytes(std::string bytes) { return HttpBody(std::move(bytes)); }
  // Borrowed: they must outlive the call.
  static HttpBody view(std::string_view bytes) { return HttpBody(bytes); }
  // Exactly `length` bytes of the reader (fewer is an error), or all of it, chunked, when the length is not known. The
  // reader is used on the calling thread, must outlive the call, and heeds the caller's stop by itself when it can
  // block. Such a request is never repeated.
  static HttpBody stream(Reader& reader, std::optional<std::uint64_t> length) {
    return HttpBody(Stream{.reader = &reader, .length = length});
  }

  bool has_body() const { return !std::holds_alternative<std::monostate>(content_); }
  std::optional<std::string_view> in_memory() const;
  const Stream* as_stream() const { return std::get_if<Stream>(&content_); }

 private:
  template <class Content>
  explicit HttpBody(Content content) : content_(std::move(content)) {}
  std::variant<std::monostate, std::string, std::string_view, Stream> content_;
};

// The client adds Host and User-Agent where they are not given, and Content-Length or Transfer-Encoding, which cannot
// be given; nothing else.
struct HttpRequest {
  std::string method = "GET";
  std::string url;  // http or https, without user and password; a path is sent as it is ("..", "//" as well)
  HttpHeaders headers;
  HttpBody body;

  SteadyTime deadline = kNever;                         // for the whole call
  SteadyTime head_deadline = kNever;                    // until the response begins, where the rest may take longer
  Duration connect_timeout = std::chrono::seconds(30);  // resolving, TCP, proxy and TLS together
  Duration idle_timeout = Duration::max();              // once connected: no byte either way for so long
  std::optional<std::size_t> max_response_body;         // default: send() 64 MiB, stream() and open() no limit
  bool expect_continue = false;                         // wait up to a second for `100 Continue` before the body
  bool accept_gzip = false;                             // ask for gzip and unpack it; not with open()
};

// A response before its body.
struct HttpHead {
  int status = 0;
  HttpHeaders headers;
};

struct HttpResponse {
  int status = 0;
  HttpHeaders headers;
  HttpHeaders trailers;  // fields behind a chunked body
  std::string body;      // empty after stream()
};

}  // namespace landfall::io
