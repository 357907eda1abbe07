#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "http/response.h"

namespace landfall::http {

enum class Framing {
  kNone,    // no body by definition
  kLength,  // Content-Length
  kChunked,
  kUntilClose,
};

struct HeadContext {
  int version_minor = 1;
  bool keep_alive = true;
  std::string_view date;  // "Tue, 01 Jan 2030 00:00:00 GMT"
};

// Internal to the module.

// How the body of this answer is framed, for an HTTP/1.x client.
Framing framing_of(const ResponseHead& head, int version_minor);

// The head of an answer, to the empty line. kInvalid when a status, name or value could not stand in a message: a line
// end in a value would let whoever chose it write headers of their own.
Result<std::string> write_head(const ResponseHead& head, Framing framing, const HeadContext& context);

// The moment as the Date header has it.
std::string http_date(WallTime time);

}  // namespace landfall::http
