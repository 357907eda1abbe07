#include "io/http_head_parser.h"

#include <string>
#include <utility>

#include "io/http_request_check.h"

namespace landfall::io {
namespace {

constexpr std::string_view kBlanks = " \t";

std::string_view trim_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace

Status HttpHeadParser::add(std::string_view line) {
  bytes_ += line.size();
  if (bytes_ > max_bytes_) {
    return fail(Code::kTooLarge, "the response headers are larger than " + std::to_string(max_bytes_) + " bytes");
  }
  while (line.ends_with('\n') || line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  if (!in_trailers_ && (at_end_ || count_ == 0) && line.starts_with("HTTP/")) {
    headers_ = {};
    at_end_ = false;
    ++count_;
    return {};
  }
  if (line.empty()) {
    at_end_ = true;
    return {};
  }
  return add_field(line);
}

Status HttpHeadParser::add_field(std::string_view line) {
  if (++count_ > max_count_) {
    return fail(Code::kTooLarge, "the response has more than " + std::to_string(max_count_) + " headers");
  }
  if (!is_http_field_value(line)) {
    return fail(Code::kDataLoss, "the response has a header line with a control character");
  }
  HttpHeaders& into = in_trailers_ ? trailers_ : headers_;
  // A line that starts with a blank goes on where the one before it ended.
  if (kBlanks.find(line.front()) != std::string_view::npos && !into.empty()) {
    into.extend_last(trim_blanks(line));
    return {};
  }
  const std::size_t colon = line.find(':');
  const std::string_view name = colon == std::string_view::npos ? std::string_view() : line.substr(0, colon);
  if (!is_http_token(name)) {
    return fail(Code::kDataLoss, "the response has a malformed header line");
  }
  const std::string_view value = trim_blanks(line.substr(colon + 1));
  into.add(std::string(name), std::string(value));
  return {};
}

}  // namespace landfall::io
