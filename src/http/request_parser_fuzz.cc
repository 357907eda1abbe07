// Any bytes, whole and in pieces: both readings agree on whether there is a request, which one, and where it ends.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "http/request_parser.h"

namespace landfall::http {
namespace {

constexpr RequestParser::Limits kLimits{.header_bytes = 2048, .header_count = 16};
constexpr std::uint64_t kBodyLimit = 4096;

void require(bool holds) {
  if (!holds) __builtin_trap();
}

enum class Verdict { kIncomplete, kDone, kRefused };

struct Reading {
  Verdict verdict = Verdict::kIncomplete;
  std::size_t consumed = 0;
  std::optional<Request> request;
};

void check(const Request& request) {
  require(is_token(request.method));
  require(request.path == "*" || request.path.starts_with('/'));
  require(request.body.size() <= kBodyLimit);
  require(request.headers.size() <= kLimits.header_count + 1);
  require(request.headers.all("Host").size() <= 1);
  require(!request.headers.contains("Content-Length") || !request.headers.contains("Transfer-Encoding"));
  for (const Headers::Field& field : request.headers) require(is_token(field.name) && is_field_value(field.value));
}

Reading read(std::string_view bytes, std::size_t piece) {
  RequestParser parser(kLimits);
  Reading reading;
  const auto refused = [&](const Refusal& refusal) {
    require(refusal.status >= 400 && refusal.status <= 599 && !refusal.sentence.empty());
    reading.verdict = Verdict::kRefused;
    return reading;
  };
  for (std::size_t offered = 0; offered < bytes.size();) {
    offered = std::min(bytes.size(), offered + piece);
    while (reading.consumed < offered) {
      const auto step = parser.feed(bytes.substr(reading.consumed, offered - reading.consumed));
      if (!step) return refused(step.error());
      reading.consumed += step->consumed;
      require(reading.consumed <= offered);
      bool done = step->progress == RequestParser::Progress::kDone;
      if (step->progress == RequestParser::Progress::kHead) {
        const auto allowed = parser.allow_body(kBodyLimit);
        if (!allowed) return refused(allowed.error());
        done = *allowed == RequestParser::Progress::kDone;
      } else if (step->consumed == 0) {
        require(offered - reading.consumed <= kLimits.header_bytes + kBodyLimit);  // what waits is bounded
        break;
      }
      if (done) {
        (void)parser.keep_alive();
        reading.verdict = Verdict::kDone;
        reading.request = std::move(parser.request());
        check(*reading.request);
        return reading;
      }
    }
  }
  return reading;
}

}  // namespace
}  // namespace landfall::http

namespace landfall::http {

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t piece = 1 + data[0] % 16U;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Reading whole = read(bytes, std::max<std::size_t>(bytes.size(), 1));
  const Reading pieces = read(bytes, piece);
  // In pieces a fault may be found later, so "refused" and "not yet complete" may differ; a request may not.
  require((whole.verdict == Verdict::kDone) == (pieces.verdict == Verdict::kDone));
  if (whole.verdict != Verdict::kDone) return 0;
  require(whole.consumed == pieces.consumed);
  require(whole.request->method == pieces.request->method && whole.request->target == pieces.request->target);
  require(whole.request->headers == pieces.request->headers && whole.request->body == pieces.request->body);
  return 0;
}

}  // namespace landfall::http
