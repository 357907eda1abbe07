#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/http_head_parser.h"
#include "io/http_message.h"
#include "io/url.h"

// How an HTTP connection becomes a WebSocket (RFC 6455, section 4), as a client sees it. Pure.

namespace landfall::io {

// The request's bytes. Its URL and headers have been checked (check_request); `key` is 16 random bytes in Base64.
std::string upgrade_request(const HttpRequest& request, const Url& url, const std::vector<std::string>& protocols,
                            const std::string& key, const std::string& user_agent);

// What a server answers in Sec-WebSocket-Accept.
std::string accept_key(const std::string& key);

// The protocol that the server has chosen, empty when none was offered. kDataLoss when the answer is no answer to this
// handshake, kUnsupported when it chose none of those offered.
Result<std::string> check_upgrade(const HttpHead& head, const std::string& key,
                                  const std::vector<std::string>& protocols);

// The answer to the upgrade as it comes in: the head, and the body of a refusal. Bytes behind the head of a 101 are the
// first frames.
class UpgradeAnswer {
 public:
  UpgradeAnswer(std::size_t max_header_bytes, std::size_t max_header_count, std::size_t max_body);

  // kDataLoss when it is not HTTP/1.1, kTooLarge when the headers are over their limit.
  Status feed(std::string_view bytes);

  // Known once the head is complete, which excludes interim answers.
  bool has_head() const { return head_.status != 0; }
  const HttpHead& head() const { return head_; }
  bool is_upgraded() const { return head_.status == 101; }
  // The body is all there, by its length, by its chunks or because it is as long as we read.
  bool has_body() const { return body_done_; }
  const std::string& body() const { return body_; }
  // What came behind the head of a 101.
  const std::string& rest() const { return rest_; }

 private:
  Status take_line(std::string_view line);
  void begin_body();
  void take_body(std::string_view bytes);
  void take_chunks();

  const std::size_t max_header_bytes_;
  const std::size_t max_body_;
  HttpHeadParser parser_;
  int status_ = 0;  // of the head that is being read
  HttpHead head_;
  std::string rest_;  // not taken yet: part of a line, of a chunk, or frames
  std::string body_;
  std::size_t body_left_ = 0;  // of the body, or of a chunk
  bool is_chunked_ = false;
  bool body_done_ = false;
};

}  // namespace landfall::io
