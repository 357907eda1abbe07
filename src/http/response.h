#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "http/headers.h"

namespace landfall::http {

// A whole answer. The server adds Date and everything that frames the message: Content-Length, Transfer-Encoding and
// Keep-Alive of a handler are ignored; `Connection: close` is honoured.
struct Response {
  int status = 200;
  Headers headers;
  std::string body;
};

// The head of an answer whose body is streamed.
struct ResponseHead {
  int status = 200;
  Headers headers;
  // When the length is known the client is told; a stream that ends at another length is cut. Otherwise the body is
  // sent in chunks, or ends with the connection for an HTTP/1.0 client.
  std::optional<std::uint64_t> content_length;
};

// "Not Found"; "Unknown" for a status without a name.
std::string_view reason_phrase(int status);
// The status that tells a client what the code tells a caller: kNotFound is 404, kThrottled is 429 …
int status_of(Code code);

Response text(int status, std::string body);
Response bytes(std::string body, std::string content_type);
// A short sentence as plain text. Never put into it what only the log should see.
Response error_answer(int status, std::string_view sentence);
// The error's message under its status; a kInternal error keeps its message to itself.
Response error_answer(const Error& error);

}  // namespace landfall::http
