#include "io/http_transfer.h"

#include <curl/curl.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/go_duration.h"
#include "base/strings.h"
#include "io/http_curl_error.h"
#include "io/http_request_check.h"

namespace landfall::io {
namespace {

// A clock that is not the system's may move while we wait for the network, so we look at it this often.
constexpr auto kGlance = std::chrono::seconds(1);

SteadyTime later(SteadyTime from, Duration by) { return by > kNever - from ? kNever : from + by; }

std::string origin_of(const Url& url) {
  return url.scheme + "://" + url.host + ":" + std::to_string(effective_port(url));
}

// How messages name a request: no query, no credentials.
std::string describe(const HttpRequest& request) {
  return (is_http_token(request.method) ? request.method : "request") + " " + redact_url(request.url);
}

}  // namespace

HttpTransfer::HttpTransfer(std::shared_ptr<HttpContext> context, const HttpRequest& request, HttpSink& sink,
                           std::size_t body_limit, std::stop_token stop)
    : context_(std::move(context)),
      request_(request),
      sink_(sink),
      body_limit_(body_limit),
      stop_(std::move(stop)),
      parser_(context_->options.max_header_bytes, context_->options.max_header_count) {}

HttpTransfer::~HttpTransfer() {
  if (slot_ != nullptr) {
    curl_multi_remove_handle(slot_->multi.get(), slot_->easy.get());
  }
}

HttpResult<void> HttpTransfer::start() {
  if (Status checked = check(); !checked) {
    return broken(std::move(checked).error());
  }
  return put_on(context_->pool.take(origin_of(url_), !context_->options.http2));
}

HttpResult<void> HttpTransfer::start_tunnel() {
  is_tunnel_ = true;
  if (Status checked = check(); !checked) {
    return broken(std::move(checked).error());
  }
  return put_on(HttpPool::make(origin_of(url_)));
}

Status HttpTransfer::check() {
  TRY_ASSIGN(url_, "", check_request(request_));
  if (std::optional<Error> error = check_time()) {
    return tl::unexpected(*std::move(error));
  }
  return {};
}

HttpResult<void> HttpTransfer::put_on(std::unique_ptr<HttpSlot> slot) {
  if (slot == nullptr) {
    return broken(Error(Code::kInternal, "libcurl is out of memory"));
  }
  Status set = slot->setup.apply(slot->easy.get(), context_->options, request_, url_, *this);
  if (set && is_tunnel_) {
    set = slot->setup.connect_only(slot->easy.get());
  }
  if (!set) {
    return broken(std::move(set).error());
  }
  if (curl_multi_add_handle(slot->multi.get(), slot->easy.get()) != CURLM_OK) {
    return broken(Error(Code::kInternal, "libcurl does not take the transfer"));
  }
  slot_ = std::move(slot);
  return {};
}

HttpResult<void> HttpTransfer::run(const std::function<bool()>& enough) {
  HttpResult<void> result = drive(enough);
  // Not before the wake-up of drive() is gone: a stop that comes from another thread may just be using the handle.
  if (std::unique_ptr<HttpSlot> slot = std::move(done_with_); slot != nullptr && slot->socket >= 0) {
    context_->pool.give_back(std::move(slot));
  }
  return result;
}

HttpResult<void> HttpTransfer::drive(const std::function<bool()>& enough) {
  void* multi = slot_->multi.get();
  activity_.at = context_->clock.now();  // the time between two reads of a download is the caller's
  // Wakes the wait below, from whatever thread asks for the stop.
  const std::stop_callback wake(stop_, [multi] { curl_multi_wakeup(multi); });
  while (true) {
    if (HttpResult<void> stepped = step(); !stepped || ended_) {
      return stepped;
    }
    if (enough && enough()) {
      return {};
    }
    if (std::optional<Error> error = check_time()) {
      return broken(*std::move(error));
    }
    if (curl_multi_poll(multi, nullptr, 0, wait_milliseconds(), nullptr) != CURLM_OK) {
      return broken(Error(Code::kInternal, "libcurl cannot wait"));
    }
  }
}

HttpResult<void> HttpTransfer::step() {
  if (paused_ && !sink_.is_full()) {
    paused_ = false;
    if (const CURLcode code = curl_easy_pause(slot_->easy.get(), CURLPAUSE_CONT); code != CURLE_OK) {
      return finish(code);
    }
  }
  int running = 0;
  if (curl_multi_perform(slot_->multi.get(), &running) != CURLM_OK) {
    return broken(Error(Code::kInternal, "libcurl cannot go on"));
  }
  int waiting = 0;
  while (const CURLMsg* message = curl_multi_info_read(slot_->multi.get(), &waiting)) {
    if (message->msg == CURLMSG_DONE) {
      return finish(message->data.result);
    }
  }
  return {};
}

HttpResult<void> HttpTransfer::finish(int curl_code) {
  if (failure_) {
    return broken(*std::move(failure_));
  }
  if (curl_code == CURLE_OK && is_tunnel_) {
    ended_ = true;  // and keeps its slot
    return {};
  }
  if (curl_code == CURLE_OK && !has_head_) {
    // libcurl takes a connection that is closed between two header lines for the end of the headers.
    return broken(Error(Code::kUnavailable, "the server closed the connection in the middle of the response"));
  }
  if (curl_code != CURLE_OK && !stopped_by_sink_) {
    return broken(
        explain({.code = curl_code,
                 .easy = slot_->easy.get(),
                 .detail = slot_->setup.detail(),
                 .host = context_->options.tls.server_name.empty() ? url_.host : context_->options.tls.server_name,
                 .connect_timeout = request_.connect_timeout,
                 .has_authorities = context_->tls->has_authorities(),
                 .in_headers = attempts_ > 0 && !has_head_}));
  }
  curl_socket_t socket = CURL_SOCKET_BAD;
  if (!stopped_by_sink_) {
    curl_easy_getinfo(slot_->easy.get(), CURLINFO_ACTIVESOCKET, &socket);
  }
  retire(socket);
  return {};
}

// The end of a transfer that failed. Its connection is in a state that nobody knows, so it is closed.
tl::unexpected<HttpError> HttpTransfer::broken(Error error) {
  const bool sent = has_sent_anything();
  retire(CURL_SOCKET_BAD);
  return tl::unexpected<HttpError>(HttpError(std::move(error).with_context(describe(request_)), sent));
}

void HttpTransfer::retire(int socket) {
  ended_ = true;
  if (slot_ != nullptr) {
    curl_multi_remove_handle(slot_->multi.get(), slot_->easy.get());
    slot_->socket = socket;
    done_with_ = std::move(slot_);
  }
}

std::optional<Error> HttpTransfer::check_time() {
  if (stop_.stop_requested()) {
    return Error(Code::kCancelled, "cancelled while " + std::string(phase()));
  }
  const SteadyTime now = context_->clock.now();
  if (now >= deadline()) {
    return Error(Code::kTimeout, "the deadline passed while " + std::string(phase()));
  }
  if (attempts_ > 0 && request_.idle_timeout != Duration::max()) {
    if (const std::uint64_t bytes = bytes_moved(); bytes != activity_.bytes) {
      activity_ = {.bytes = bytes, .at = now};
    }
    if (now >= later(activity_.at, request_.idle_timeout)) {
      return Error(Code::kTimeout,
                   "nothing moved for " + format_go_duration(request_.idle_timeout) + " while " + std::string(phase()));
    }
  }
  return std::nullopt;
}

SteadyTime HttpTransfer::deadline() const {
  return has_head_ ? request_.deadline : std::min(request_.deadline, request_.head_deadline);
}

int HttpTransfer::wait_milliseconds() const {
  SteadyTime until = deadline();
  if (attempts_ > 0) {
    until = std::min(until, later(activity_.at, request_.idle_timeout));
  }
  const Duration left = std::clamp<Duration>(until - context_->clock.now(), Duration::zero(), kGlance);
  return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(left).count());
}

std::string_view HttpTransfer::phase() const {
  if (attempts_ == 0) {
    return "connecting";
  }
  return has_head_ ? "reading the response" : "waiting for the response";
}

std::uint64_t HttpTransfer::bytes_moved() const {
  long request = 0;
  curl_off_t uploaded = 0;
  curl_easy_getinfo(slot_->easy.get(), CURLINFO_REQUEST_SIZE, &request);
  curl_easy_getinfo(slot_->easy.get(), CURLINFO_SIZE_UPLOAD_T, &uploaded);
  return static_cast<std::uint64_t>(request) + static_cast<std::uint64_t>(uploaded) + header_received_ + body_received_;
}

bool HttpTransfer::has_sent_anything() const {
  if (slot_ == nullptr || attempts_ == 0) {
    return false;
  }
  long bytes = 0;
  curl_easy_getinfo(slot_->easy.get(), CURLINFO_REQUEST_SIZE, &bytes);
  return bytes > tunnel_bytes_;
}

bool HttpTransfer::may_repeat() const {
  if (!has_sent_anything()) {
    return true;
  }
  const bool is_safe = request_.method == "GET" || request_.method == "HEAD" || request_.method == "OPTIONS";
  return is_safe && request_.body.as_stream() == nullptr;
}

// libcurl is about to send the request over a connection. It comes here a second time when a kept connection turned out
// to be dead and it wants to repeat the request over a new one, whatever the method.
bool HttpTransfer::may_send_now() {
  if (attempts_ > 0 && !may_repeat()) {
    failure_ = Error(Code::kUnavailable, "the server closed the connection without an answer");
    return false;
  }
  if (attempts_ == 0) {
    long bytes = 0;
    curl_easy_getinfo(slot_->easy.get(), CURLINFO_REQUEST_SIZE, &bytes);
    tunnel_bytes_ = bytes;
  }
  ++attempts_;
  activity_.at = context_->clock.now();
  return true;
}

bool HttpTransfer::set_up_tls(void* ssl_context) {
  Status applied = context_->tls->apply(ssl_context);
  if (!applied) {
    failure_ = std::move(applied).error();
  }
  return !failure_;
}

std::size_t HttpTransfer::take_header(std::string_view line) {
  header_received_ += line.size();
  Status taken = parser_.add(line);
  if (taken && !has_head_ && parser_.at_end_of_head()) {
    taken = deliver_head();
  }
  if (!taken) {
    failure_ = std::move(taken).error();
  }
  return failure_ || stopped_by_sink_ ? 0 : line.size();
}

Status HttpTransfer::deliver_head() {
  long status = 0;
  curl_easy_getinfo(slot_->easy.get(), CURLINFO_RESPONSE_CODE, &status);
  if (status < 200 && status != 101) {
    return {};  // an interim response: the real one follows
  }
  has_head_ = true;
  parser_.begin_trailers();
  HttpHead head{.status = static_cast<int>(status), .headers = std::move(parser_.headers())};
  const std::optional<std::string_view> length = head.headers.get("content-length");
  const Result<std::uint64_t> size = length ? parse_uint64(*length) : Result<std::uint64_t>(0);
  if (size && *size > body_limit_ && request_.method != "HEAD") {
    return fail(Code::kTooLarge, "the response body is larger than " + std::to_string(body_limit_) + " bytes");
  }
  if (request_.accept_gzip && head.headers.has("content-encoding") && request_.method != "HEAD") {
    // They describe what came over the wire, not what is handed out.
    head.headers.remove("content-encoding");
    head.headers.remove("content-length");
  }
  TRY_ASSIGN(const HttpFlow flow, "", sink_.on_head(std::move(head)));
  stopped_by_sink_ = flow == HttpFlow::kStop;
  return {};
}

std::size_t HttpTransfer::take_body(std::string_view bytes) {
  if (stop_.stop_requested()) {
    failure_ = Error(Code::kCancelled, "cancelled while reading the response");
    return 0;
  }
  if (sink_.is_full()) {
    paused_ = true;
    return CURL_WRITEFUNC_PAUSE;
  }
  if (bytes.size() > body_limit_ - body_received_) {
    failure_ = Error(Code::kTooLarge, "the response body is larger than " + std::to_string(body_limit_) + " bytes");
    return 0;
  }
  body_received_ += bytes.size();
  const Result<HttpFlow> flow = sink_.on_body(bytes);
  if (!flow) {
    failure_ = flow.error();
    return 0;
  }
  stopped_by_sink_ = *flow == HttpFlow::kStop;
  return stopped_by_sink_ ? 0 : bytes.size();
}

std::size_t HttpTransfer::give_body(std::span<char> buffer) {
  const HttpBody::Stream& stream = *request_.body.as_stream();
  if (stop_.stop_requested()) {
    failure_ = Error(Code::kCancelled, "cancelled while sending the body");
    return CURL_READFUNC_ABORT;
  }
  if (stream.length) {
    buffer =
        buffer.first(static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), *stream.length - body_sent_)));
  }
  if (buffer.empty()) {
    return 0;
  }
  const Result<std::size_t> got = stream.reader->read(buffer);
  if (!got) {
    failure_ = Error(got.error()).with_context("request body");
    return CURL_READFUNC_ABORT;
  }
  if (*got == 0 && stream.length) {
    failure_ = Error(Code::kInvalid, "request body: ended after " + std::to_string(body_sent_) + " of " +
                                         std::to_string(*stream.length) + " bytes");
    return CURL_READFUNC_ABORT;
  }
  body_sent_ += *got;
  return *got;
}

}  // namespace landfall::io
