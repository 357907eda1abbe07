#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"

namespace landfall::io {

// What is known about a transfer that libcurl has given up.
struct HttpFault {
  int code;    // CURLcode
  void* easy;  // the handle, for what else it knows
  std::string_view detail;
  std::string_view host;  // as the certificate should name it
  Duration connect_timeout;
  bool has_authorities;
  bool in_headers;  // the request is out, the response has not got past its headers
};

// The fault in our terms: one of the codes that HttpError names, and one sentence. Part of HttpClient.
Error explain(const HttpFault& fault);

}  // namespace landfall::io
