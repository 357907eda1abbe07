#include "kube/client.h"

#include <algorithm>

#include "base/backoff.h"
#include "base/strings.h"
#include "kube/api_status.h"
#include "kube/limiter.h"
#include "kube/unreachable.h"
#include "kube/warnings.h"

namespace landfall::kube {
namespace {

// Someone who waits at a terminal learns within ten seconds that nobody is there.
constexpr Duration kConnectTimeout = std::chrono::seconds(8);
// A try that got no connection in all that time counts as so many: who has few tries, waits for one of that kind only.
constexpr int kTriesOfConnectTimeout = 4;
constexpr std::size_t kErrorBody = std::size_t{1} << 20U;

bool reads_only(const Call& call) { return call.method == "GET" || call.method == "HEAD"; }

// What one try came to.
struct Try {
  Result<Answer> answer;
  bool may_have_taken_effect = true;
  bool is_final = false;        // not to be repeated, whatever the error
  bool is_unreachable = false;  // there was no connection
};

struct StreamTerms {
  SteadyTime deadline;  // for getting it open
  Duration idle;
  const OnBytes& on_bytes;
};

// What comes of a stream: the handler's, or, when the server refuses it, the beginning of an error.
class StreamSink {
 public:
  StreamSink(const StreamTerms& terms, Clock& clock) : terms_(terms), clock_(clock) {}

  io::HttpFlow take_head(const io::HttpHead& head) {
    head_ = head;
    return io::HttpFlow::kContinue;
  }
  io::HttpFlow take_body(std::string_view bytes) {
    if (is_open()) {
      const Result<bool> more = terms_.on_bytes(bytes);
      if (!more) {
        refusal_ = more.error();
      }
      return more && *more ? io::HttpFlow::kContinue : io::HttpFlow::kStop;
    }
    error_body_.append(bytes.substr(0, kErrorBody - error_body_.size()));
    const bool is_enough = error_body_.size() == kErrorBody || clock_.now() >= terms_.deadline;
    return is_enough ? io::HttpFlow::kStop : io::HttpFlow::kContinue;
  }

  bool is_open() const { return head_.status != 0 && head_.status < 400; }
  // The handler's error, which ends the stream.
  const std::optional<Error>& refusal() const { return refusal_; }
  Error error() const { return error_from(head_.status, head_.headers, error_body_); }

 private:
  const StreamTerms& terms_;
  Clock& clock_;
  io::HttpHead head_;
  std::string error_body_;
  std::optional<Error> refusal_;
};

// Not of the request, or of a stop.
bool is_of_connection(const io::HttpError& error) {
  return error.code() == Code::kUnavailable || error.code() == Code::kUnauthenticated;
}

std::string describe(const Call& call) { return call.method + " " + call.path; }

}  // namespace

struct Client::Impl {
  Connection& connection;
  ClientOptions options;
  Clock& clock;
  Random& random;
  Logger log;
  RateLimiter rate;
  ConcurrencyLimiter concurrency;

  Impl(Connection& the_connection, ClientOptions the_options, Clock& the_clock, Random& the_random, Logger the_log)
      : connection(the_connection),
        options(std::move(the_options)),
        clock(the_clock),
        random(the_random),
        log(std::move(the_log)),
        rate(options.qps, options.burst, clock),
        concurrency(options.max_concurrent, clock) {}

  io::HttpRequest request_for(const Call& call, const Identity& identity, SteadyTime deadline) const;
  void hear_warnings(const std::vector<std::string>& warnings) const;
  // Whether a failed try is worth another, and how long to wait before it.
  std::optional<Duration> retry_in(const Call& call, const Error& error, bool may_have_taken_effect,
                                   Backoff& backoff) const;

  // The error as the caller sees it: with the call, and, when it is about who we are, where that comes from.
  tl::unexpected<Error> in_context(const Call& call, const Error& error) const;
  // What is left of the error's message behind the call and the address is the reason.
  Error unreachable(const Error& error) const;

  Try send_once(const Call& call, SteadyTime deadline, const std::stop_token& stop,
                std::shared_ptr<const Identity>& used);
  Try stream_once(const Call& call, const StreamTerms& terms, const std::stop_token& stop,
                  std::shared_ptr<const Identity>& used);
  // Runs tries until one succeeds, the error is final, or time is up.
  template <class Once>
  Result<Answer> with_retries(const Call& call, SteadyTime deadline, const std::stop_token& stop, const Once& once);
};

io::HttpRequest Client::Impl::request_for(const Call& call, const Identity& identity, SteadyTime deadline) const {
  io::HttpRequest request{.method = call.method, .url = connection.server() + call.path};
  if (!call.query.empty()) {
    request.url += "?" + io::build_query(call.query);
  }
  request.headers = identity.headers;
  request.headers.set("Accept", call.accept);
  request.headers.set("User-Agent", options.user_agent);
  if (call.body) {
    request.headers.set("Content-Type", call.content_type);
    request.body = io::HttpBody::view(*call.body);
  }
  request.deadline = deadline;
  request.connect_timeout = kConnectTimeout;
  request.accept_gzip = reads_only(call) && !connection.config().disable_compression;
  request.max_response_body = call.max_body.value_or(options.max_body);
  return request;
}

void Client::Impl::hear_warnings(const std::vector<std::string>& warnings) const {
  if (options.on_warning) {
    for (const std::string& warning : warnings) {
      options.on_warning(warning);
    }
  }
}

std::optional<Duration> Client::Impl::retry_in(const Call& call, const Error& error, bool may_have_taken_effect,
                                               Backoff& backoff) const {
  const auto* status = error.detail<ApiStatus>();
  const bool was_refused = error.code() == Code::kThrottled || (status != nullptr && status->retry_after);
  const bool is_safe = reads_only(call) || call.is_repeatable || !may_have_taken_effect || was_refused;
  // What went wrong inside the server may go right the next time; asking again does no harm.
  const bool may_pass = is_retryable(error.code()) || (status != nullptr && status->http_status >= 500);
  if (!is_safe || !may_pass || backoff.attempts() >= options.max_retries) {
    return std::nullopt;
  }
  const Duration wait = backoff.next();
  return status != nullptr && status->retry_after ? std::max(wait, *status->retry_after) : wait;
}

tl::unexpected<Error> Client::Impl::in_context(const Call& call, const Error& error) const {
  if (error.detail<ApiStatus>() == nullptr) {
    return tl::unexpected(error);  // what the HTTP client and the credentials say names the place already
  }
  const bool is_about_us = error.code() == Code::kUnauthenticated && !connection.config().origin.empty();
  return fail(is_about_us ? connection.config().origin + ": " + describe(call) : describe(call), error);
}

Error Client::Impl::unreachable(const Error& error) const {
  auto detail = std::make_shared<Unreachable>();
  detail->server = connection.server();
  detail->origin = connection.config().origin;
  detail->what = error.message();
  const std::size_t address = detail->what.find(detail->server);
  const std::size_t end =
      address == std::string::npos ? address : detail->what.find(": ", address + detail->server.size());
  detail->reason = end == std::string::npos ? detail->what : detail->what.substr(end + 2);
  return {error.code(), error.message(), std::move(detail)};
}

template <class Once>
Result<Answer> Client::Impl::with_retries(const Call& call, SteadyTime deadline, const std::stop_token& stop,
                                          const Once& once) {
  Backoff backoff(options.retries, random);
  bool identity_renewed = false;
  int connect_timeouts = 0;
  while (true) {
    TRY(describe(call), rate.acquire(deadline, stop));
    std::shared_ptr<const Identity> used;
    const SteadyTime began = clock.now();
    Try tried = once(used);
    if (tried.answer) {
      concurrency.succeeded();
      return std::move(tried.answer);
    }
    const Error& error = tried.answer.error();
    if (error.code() == Code::kThrottled || error.code() == Code::kUnavailable) {
      concurrency.pushed_back();
    }
    if (error.code() == Code::kUnauthenticated && used && !identity_renewed && connection.reject(used)) {
      identity_renewed = true;
      continue;
    }
    connect_timeouts += tried.is_unreachable && clock.now() - began >= kConnectTimeout ? 1 : 0;
    const bool is_hopeless = connect_timeouts * kTriesOfConnectTimeout >= std::max(options.max_retries, 1);
    const auto wait =
        tried.is_final || is_hopeless ? std::nullopt : retry_in(call, error, tried.may_have_taken_effect, backoff);
    if (!wait || clock.after(*wait) >= deadline) {
      return tried.is_unreachable ? tl::unexpected(unreachable(error)) : in_context(call, error);
    }
    log.debug("trying a call again", {{"call", describe(call)}, LogField(error)});
    if (!clock.sleep_for(*wait, stop)) {
      return fail(Code::kCancelled, describe(call) + ": stopped");
    }
  }
}

Try Client::Impl::send_once(const Call& call, SteadyTime deadline, const std::stop_token& stop,
                            std::shared_ptr<const Identity>& used) {
  auto place = concurrency.acquire(deadline, stop);
  if (!place) {
    return {.answer = fail(describe(call), place.error()), .may_have_taken_effect = false};
  }
  auto identity = connection.identity(stop, deadline);
  if (!identity) {
    return {.answer = tl::unexpected(identity.error()), .may_have_taken_effect = false};
  }
  used = *identity;
  auto response = used->http->send(request_for(call, *used, deadline), stop);
  if (!response) {
    const bool was_sent = response.error().request_may_have_been_sent();
    return {.answer = tl::unexpected<Error>(response.error()),
            .may_have_taken_effect = was_sent,
            .is_unreachable = !was_sent && is_of_connection(response.error())};
  }
  std::vector<std::string> warnings = parse_warnings(response->headers);
  hear_warnings(warnings);
  if (response->status >= 400) {
    return {.answer = tl::unexpected(error_from(response->status, response->headers, response->body))};
  }
  return {.answer = Answer{.status = response->status,
                           .headers = std::move(response->headers),
                           .body = std::move(response->body),
                           .warnings = std::move(warnings)}};
}

// A stream is open for hours: it takes no place among the calls under way.
Try Client::Impl::stream_once(const Call& call, const StreamTerms& terms, const std::stop_token& stop,
                              std::shared_ptr<const Identity>& used) {
  auto identity = connection.identity(stop, terms.deadline);
  if (!identity) {
    return {.answer = tl::unexpected(identity.error()), .may_have_taken_effect = false};
  }
  used = *identity;
  io::HttpRequest request = request_for(call, *used, kNever);
  request.head_deadline = terms.deadline;
  request.accept_gzip = false;  // events are to arrive one by one, not when a block is full
  request.max_response_body.reset();
  request.idle_timeout = terms.idle;
  StreamSink sink(terms, clock);
  const auto result = used->http->stream(
      request,
      {.on_head = [&](const io::HttpHead& head) -> Result<io::HttpFlow> {
         hear_warnings(parse_warnings(head.headers));
         return sink.take_head(head);
       },
       .on_body = [&](std::string_view bytes) -> Result<io::HttpFlow> { return sink.take_body(bytes); }},
      stop);
  if (sink.refusal()) {
    return {.answer = tl::unexpected(*sink.refusal()), .is_final = true};
  }
  if (!result) {
    // What broke after it was open is the caller's to handle: only the caller knows how far it came.
    return {.answer = tl::unexpected<Error>(result.error()),
            .is_final = sink.is_open(),
            .is_unreachable = !result.error().request_may_have_been_sent() && is_of_connection(result.error())};
  }
  if (!sink.is_open()) {
    return {.answer = tl::unexpected(sink.error())};
  }
  return {.answer = Answer{.status = result->status}};
}

Client::Client(Connection& connection, ClientOptions options, Clock& clock, Random& random, Logger log)
    : impl_(std::make_unique<Impl>(connection, std::move(options), clock, random, std::move(log))) {}

Client::~Client() = default;

Connection& Client::connection() { return impl_->connection; }
Clock& Client::clock() { return impl_->clock; }
const Logger& Client::log() const { return impl_->log; }

Result<Answer> Client::call(const Call& call, const std::stop_token& stop) {
  const SteadyTime deadline = impl_->clock.after(call.timeout.value_or(impl_->options.timeout));
  return impl_->with_retries(call, deadline, stop, [&](std::shared_ptr<const Identity>& used) {
    return impl_->send_once(call, deadline, stop, used);
  });
}

Status Client::stream(const Call& call, Duration idle, const OnBytes& on_bytes, const std::stop_token& stop) {
  const SteadyTime deadline = impl_->clock.after(call.timeout.value_or(impl_->options.timeout));
  auto ended = impl_->with_retries(call, deadline, stop, [&](std::shared_ptr<const Identity>& used) {
    return impl_->stream_once(call, {.deadline = deadline, .idle = idle, .on_bytes = on_bytes}, stop, used);
  });
  if (!ended) {
    return tl::unexpected(std::move(ended).error());
  }
  return {};
}

}  // namespace landfall::kube
