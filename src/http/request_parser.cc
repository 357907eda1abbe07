#include "http/request_parser.h"

#include <fmt/format.h>

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <utility>

#include "base/strings.h"

namespace landfall::http {
namespace {

namespace beast = boost::beast;
using beast::http::error;
using beast::http::field;

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

// Stops the parser; the refusal says why.
beast::error_code stopped() { return error::bad_value; }

Refusal explain(beast::error_code ec) {
  if (ec == error::bad_version) return {505, "only HTTP/1.0 and HTTP/1.1 are spoken here"};
  if (ec == error::bad_method) return {400, "the request line has no method"};
  if (ec == error::bad_target) return {400, "the request line has no target"};
  if (ec == error::bad_field) return {400, "a header name is not a token"};
  if (ec == error::bad_value) return {400, "a header value has a control character"};
  if (ec == error::bad_line_ending) return {400, "a line does not end in CR LF"};
  if (ec == error::bad_content_length || ec == error::multiple_content_length) {
    return {400, "Content-Length is not one number"};
  }
  if (ec == error::bad_transfer_encoding) return {400, "Transfer-Encoding and Content-Length contradict each other"};
  if (ec == error::bad_chunk || ec == error::bad_chunk_extension) return {400, "a chunk of the body is malformed"};
  if (ec == error::header_limit) return {431, "the headers are too large"};
  return {400, "the request is malformed"};
}

tl::unexpected<Refusal> refuse_with(int status, std::string sentence) {
  return tl::unexpected<Refusal>(Refusal{status, std::move(sentence)});
}

// True when one of the lines that end before `end` goes on in the next. Beast accepts that, but two readers may not
// agree on what such a header says.
bool has_folded_line(std::string_view bytes, std::size_t end) {
  for (std::size_t at = bytes.find('\n'); at < end; at = bytes.find('\n', at + 1)) {
    if (at + 1 < bytes.size() && (bytes[at + 1] == ' ' || bytes[at + 1] == '\t')) return true;
  }
  return false;
}

}  // namespace

// Beast reads the grammar and calls back with what it finds; the rest of this class decides what is accepted.
class RequestParser::Impl final : public beast::http::basic_parser<true> {
 public:
  explicit Impl(Limits limits) : limits_(limits) {
    header_limit(static_cast<std::uint32_t>(std::min<std::size_t>(limits.header_bytes, UINT32_MAX)));
    body_limit(boost::none);  // ours is decided after the head
    eager(false);
  }

  tl::expected<Step, Refusal> feed_head(std::string_view bytes);
  tl::expected<Step, Refusal> feed_body(std::string_view bytes);
  tl::expected<Progress, Refusal> allow_body(std::uint64_t at_most);

  bool head_done() const { return is_header_done(); }
  bool expects_continue() const { return expects_continue_; }
  std::optional<std::uint64_t> body_remaining() const {
    return length_ ? std::optional(*length_ - request.body.size()) : std::nullopt;
  }
  Request request;

 private:
  tl::unexpected<Refusal> refused(beast::error_code ec) const {
    return tl::unexpected<Refusal>(refusal_ ? *refusal_ : explain(ec));
  }
  void refuse(int status, std::string sentence, beast::error_code& ec) {
    refusal_ = Refusal{status, std::move(sentence)};
    ec = stopped();
  }
  void check_framing(field name, std::string_view value, beast::error_code& ec);
  void check_head(beast::error_code& ec);
  void take_body(std::string_view body, beast::error_code& ec);

  void on_request_impl(beast::http::verb verb, beast::string_view method, beast::string_view target, int version,
                       beast::error_code& ec) override;
  void on_response_impl(int status, beast::string_view reason, int version, beast::error_code& ec) override;
  void on_field_impl(field name, beast::string_view spelled, beast::string_view value, beast::error_code& ec) override;
  void on_header_impl(beast::error_code& ec) override { check_head(ec); }
  void on_body_init_impl(const boost::optional<std::uint64_t>& length, beast::error_code& ec) override;
  std::size_t on_body_impl(beast::string_view body, beast::error_code& ec) override;
  void on_chunk_header_impl(std::uint64_t size, beast::string_view extensions, beast::error_code& ec) override;
  std::size_t on_chunk_body_impl(std::uint64_t remain, beast::string_view body, beast::error_code& ec) override;
  void on_finish_impl(beast::error_code& ec) override { ec = {}; }

  const Limits limits_;
  std::optional<Refusal> refusal_;
  std::size_t head_bytes_ = 0;  // consumed so far
  std::size_t fields_ = 0;      // trailers included
  std::size_t hosts_ = 0;
  std::optional<std::uint64_t> length_;
  bool has_encoding_ = false;
  bool expects_continue_ = false;
  std::uint64_t body_limit_ = 0;
};

void RequestParser::Impl::on_request_impl(beast::http::verb /*verb*/, beast::string_view method,
                                          beast::string_view target, int version, beast::error_code& ec) {
  ec = {};
  request.method = view(method);
  request.target = view(target);
  request.version_minor = version - 10;
  if (request.method == "CONNECT") return refuse(501, "CONNECT is not supported", ec);
  Result<Target> parts = http::parse_target(request.target);
  if (!parts) return refuse(400, parts.error().message(), ec);
  request.raw_path = std::move(parts->raw_path);
  request.path = std::move(parts->path);
  request.raw_query = std::move(parts->raw_query);
  request.query = std::move(parts->query);
  if (!parts->authority.empty()) request.headers.add("Host", std::move(parts->authority));
}

void RequestParser::Impl::on_response_impl(int /*status*/, beast::string_view /*reason*/, int /*version*/,
                                           beast::error_code& ec) {
  ec = stopped();  // this parser reads requests only
}

void RequestParser::Impl::on_field_impl(field name, beast::string_view spelled, beast::string_view value,
                                        beast::error_code& ec) {
  ec = {};
  if (++fields_ > limits_.header_count) {
    return refuse(431, fmt::format("more than {} headers", limits_.header_count), ec);
  }
  if (is_header_done()) return;  // trailers are read, but nothing relies on them
  check_framing(name, view(value), ec);
  if (ec) return;
  if (name == field::host && ++hosts_ == 1 && request.headers.contains("Host")) return;  // an absolute target decides
  request.headers.add(std::string(view(spelled)), std::string(view(value)));
}

// A proxy before us may read a request with two lengths differently than we do, and then one client's bytes become
// another's request. So there is one way to say the length, and what is unclear is refused.
void RequestParser::Impl::check_framing(field name, std::string_view value, beast::error_code& ec) {
  if (name == field::content_length) {
    const Result<std::uint64_t> number = parse_uint64(value);
    if (length_ || !number) return refuse(400, "Content-Length is not one number", ec);
    length_ = *number;
  } else if (name == field::transfer_encoding) {
    if (std::exchange(has_encoding_, true)) return refuse(400, "Transfer-Encoding is given more than once", ec);
    if (request.version_minor == 0) return refuse(400, "HTTP/1.0 has no Transfer-Encoding", ec);
    if (!equals_ignoring_case(value, "chunked")) return refuse(501, "the only Transfer-Encoding here is chunked", ec);
  } else if (name == field::expect) {
    if (!equals_ignoring_case(value, "100-continue")) return refuse(417, "the only Expect here is 100-continue", ec);
    expects_continue_ = request.version_minor == 1;
  }
  if (length_ && has_encoding_) {
    refuse(400, "Transfer-Encoding and Content-Length contradict each other", ec);
  }
}

void RequestParser::Impl::check_head(beast::error_code& ec) {
  ec = {};
  if (hosts_ > 1) return refuse(400, "Host is given more than once", ec);
  if (hosts_ == 0 && request.version_minor == 1) return refuse(400, "HTTP/1.1 needs a Host header", ec);
}

void RequestParser::Impl::on_body_init_impl(const boost::optional<std::uint64_t>& /*length*/, beast::error_code& ec) {
  ec = {};
  // Not more at once than a client that only claims a length can make us waste.
  static constexpr std::uint64_t kAtOnce = std::uint64_t{64} * 1024;
  request.body.reserve(static_cast<std::size_t>(std::min(length_.value_or(0), kAtOnce)));
}

void RequestParser::Impl::take_body(std::string_view body, beast::error_code& ec) {
  ec = {};
  if (body.size() > body_limit_ - request.body.size()) {
    return refuse(413, fmt::format("the body is larger than {} bytes", body_limit_), ec);
  }
  request.body.append(body);
}

std::size_t RequestParser::Impl::on_body_impl(beast::string_view body, beast::error_code& ec) {
  take_body(view(body), ec);
  return body.size();
}

void RequestParser::Impl::on_chunk_header_impl(std::uint64_t size, beast::string_view /*extensions*/,
                                               beast::error_code& ec) {
  ec = {};
  if (size > body_limit_ - request.body.size()) {
    refuse(413, fmt::format("the body is larger than {} bytes", body_limit_), ec);
  }
}

std::size_t RequestParser::Impl::on_chunk_body_impl(std::uint64_t /*remain*/, beast::string_view body,
                                                    beast::error_code& ec) {
  take_body(view(body), ec);
  return body.size();
}

tl::expected<RequestParser::Step, Refusal> RequestParser::Impl::feed_head(std::string_view bytes) {
  const std::size_t offered = bytes.size();
  // An empty line before a request is an old habit of some clients.
  while (!got_some() && bytes.starts_with("\r\n")) bytes.remove_prefix(2);
  beast::error_code ec = error::need_more;
  std::size_t used = 0;
  if (got_some() || (!bytes.empty() && bytes != "\r")) used = put({bytes.data(), bytes.size()}, ec);
  if (ec && ec != error::need_more) return refused(ec);
  if (has_folded_line(bytes, head_done() ? used - 1 : used)) return refuse_with(400, "a header line is folded");
  bytes.remove_prefix(used);
  head_bytes_ += offered - bytes.size();
  // Beast's own limit starts over with every piece that it consumes.
  if (head_bytes_ + (head_done() ? 0 : bytes.size()) > limits_.header_bytes) {
    return refuse_with(431, fmt::format("the headers are larger than {} bytes", limits_.header_bytes));
  }
  return Step{.consumed = offered - bytes.size(), .progress = head_done() ? Progress::kHead : Progress::kNeedMore};
}

tl::expected<RequestParser::Progress, Refusal> RequestParser::Impl::allow_body(std::uint64_t at_most) {
  body_limit_ = at_most;
  if (is_done()) return Progress::kDone;
  if (length_ && *length_ > at_most) {
    return refuse_with(413, fmt::format("the body is larger than {} bytes", at_most));
  }
  eager(true);
  return Progress::kNeedMore;
}

tl::expected<RequestParser::Step, Refusal> RequestParser::Impl::feed_body(std::string_view bytes) {
  beast::error_code ec;
  Step step;
  step.consumed = put({bytes.data(), bytes.size()}, ec);
  if (ec && ec != error::need_more) return refused(ec);
  if (is_done()) {
    step.progress = Progress::kDone;
  } else if (bytes.size() - step.consumed > limits_.header_bytes) {
    // Between chunks something goes on and on that is no data.
    return refuse_with(431, "a chunk's extensions or the trailers are too large");
  }
  return step;
}

RequestParser::RequestParser(Limits limits) : impl_(std::make_unique<Impl>(limits)), limits_(limits) {}
RequestParser::~RequestParser() = default;

tl::expected<RequestParser::Step, Refusal> RequestParser::feed(std::string_view bytes) {
  return impl_->head_done() ? impl_->feed_body(bytes) : impl_->feed_head(bytes);
}

tl::expected<RequestParser::Progress, Refusal> RequestParser::allow_body(std::uint64_t at_most) {
  return impl_->allow_body(at_most);
}

Request& RequestParser::request() { return impl_->request; }
bool RequestParser::keep_alive() const { return impl_->keep_alive(); }
bool RequestParser::expects_continue() const { return impl_->expects_continue(); }

std::optional<std::uint64_t> RequestParser::body_remaining() const { return impl_->body_remaining(); }

void RequestParser::reset() { impl_ = std::make_unique<Impl>(limits_); }

}  // namespace landfall::http
