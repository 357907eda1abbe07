#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"
#include "io/http_message.h"

namespace landfall::io {

// Collects the header lines of a response, and the trailers behind its body, within limits that hold for all of them
// together: a server that sends interim responses without end is stopped as well. Part of HttpClient.
class HttpHeadParser {
 public:
  HttpHeadParser(std::size_t max_bytes, std::size_t max_count) : max_bytes_(max_bytes), max_count_(max_count) {}

  // One line as it came, with its line end. kTooLarge past a limit, kDataLoss when it is no header line.
  Status add(std::string_view line);

  // True after the empty line of a response, until the next status line.
  bool at_end_of_head() const { return at_end_; }
  // To be called on the final response's head: from then on lines are trailers.
  void begin_trailers() { in_trailers_ = true; }

  HttpHeaders& headers() { return headers_; }
  HttpHeaders& trailers() { return trailers_; }

 private:
  Status add_field(std::string_view line);

  std::size_t max_bytes_;
  std::size_t max_count_;
  std::size_t bytes_ = 0;
  std::size_t count_ = 0;
  bool at_end_ = false;
  bool in_trailers_ = false;
  HttpHeaders headers_;
  HttpHeaders trailers_;
};

}  // namespace landfall::io
