#include "http/connection.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "http/shard.h"

namespace landfall::http {
namespace {

constexpr std::size_t kReadBytes = std::size_t{4} * 1024;
constexpr std::size_t kBodyReadBytes = std::size_t{64} * 1024;
// While an answer is under way: enough to notice that the client has gone, little for thousands that watch.
constexpr std::size_t kWatchBytes = 512;
// What a client may send ahead before we stop reading from it.
constexpr std::size_t kPipelinedBytes = std::size_t{16} * 1024;
constexpr std::size_t kBatchChunks = 60;  // the transport takes 64 pieces at once
constexpr std::size_t kBatchBytes = std::size_t{256} * 1024;
// What a client may still send to an answer that ends the connection.
constexpr std::size_t kLingerBytes = std::size_t{4} * 1024 * 1024;

}  // namespace

Connection::Connection(Shard& shard, std::unique_ptr<Transport> transport, Peer peer)
    : shard_(shard),
      transport_(std::move(transport)),
      peer_(std::move(peer)),
      parser_({shard.core().options.limits.header_bytes, shard.core().options.limits.header_count}) {}

void Connection::start() {
  deadline_ = shard_.core().clock.after(shard_.core().options.timeouts.header);
  transport_->handshake(shared_from_this());
}

void Connection::on_handshake(Transport::Outcome outcome) {
  if (phase_ == Phase::kClosed) return;
  if (outcome.end != Transport::End::kNone) {
    shard_.core().log.info("TLS handshake failed", {{"client", peer_.address}, {"error", outcome.error.message()}});
    return close();
  }
  peer_.identity = transport_->identity();
  if (shard_.draining()) return close();
  phase_ = Phase::kIdle;
  read_more_of_request();  // the header time-out that began with the connection goes on
}

void Connection::next_request() {
  parser_.reset();
  phase_ = Phase::kIdle;
  if (input_.empty()) {
    if (shard_.draining()) return close();
    deadline_ = shard_.core().clock.after(shard_.core().options.timeouts.idle);
    first_request_ = false;
  }
  parse();
}

void Connection::read(std::size_t room) {
  if (reading_) return;
  if (input_over_) return close();
  reading_ = true;
  transport_->read(shared_from_this(), input_.prepare(room));
}

void Connection::read_more_of_request() {
  std::size_t room = kReadBytes;
  if (phase_ == Phase::kBody) {
    const std::uint64_t left = parser_.body_remaining().value_or(kBodyReadBytes);
    room = static_cast<std::size_t>(std::clamp<std::uint64_t>(left, kReadBytes, kBodyReadBytes));
  }
  read(room);
}

void Connection::on_read(Transport::Outcome outcome) {
  reading_ = false;
  if (phase_ == Phase::kClosed) return;
  if (outcome.end != Transport::End::kNone) return input_ended(outcome);
  input_.commit(outcome.bytes);
  switch (phase_) {
    case Phase::kAnswering:
      if (input_.size() < kPipelinedBytes) read(kWatchBytes);
      break;
    case Phase::kLingering:
      discarded_ += outcome.bytes;
      input_.clear();
      if (discarded_ > kLingerBytes) return close();
      read(kReadBytes);
      break;
    default:
      parse();
  }
}

void Connection::input_ended(const Transport::Outcome& outcome) {
  input_over_ = true;
  // A client that has closed its side may still wait for the answer; one that has gone is noticed by the next write.
  if (phase_ != Phase::kAnswering || outcome.end == Transport::End::kFailed) return close();
  answer_.exchange->hold();
  call(answer_.exchange->client_gone());
  answer_.exchange->release();
  flush();
}

void Connection::parse() {
  while (!input_.empty()) {
    if (phase_ == Phase::kIdle) {
      phase_ = Phase::kHead;
      if (!first_request_) deadline_ = shard_.core().clock.after(shard_.core().options.timeouts.header);
    }
    const auto step = parser_.feed(input_.view());
    if (!step) return refuse(step.error());
    input_.consume(step->consumed);
    if (step->progress == RequestParser::Progress::kDone) return dispatch();
    if (step->progress == RequestParser::Progress::kHead) {
      first_request_ = false;
      if (!admit()) return;
    } else if (step->consumed == 0 || input_.empty()) {
      break;
    }
  }
  read_more_of_request();
}

// False when the request is on its way already: refused, or complete without a body.
bool Connection::admit() {
  const ServerOptions& options = shard_.core().options;
  Request& head = parser_.request();
  head.peer = peer_;
  Admission admission{.body_bytes = options.limits.body_bytes, .refusal = {}};
  if (options.admit) {
    try {
      admission = options.admit(head);
    } catch (const std::exception& e) {
      shard_.core().log.error("the admission of a request threw", {{"path", head.path}, {"error", e.what()}});
      admission.refusal = error_answer(500, "internal error");
    }
  }
  if (admission.refusal) {
    answer_without_handler(std::move(*admission.refusal));
    return false;
  }
  const auto allowed = parser_.allow_body(admission.body_bytes);
  if (!allowed) {
    refuse(allowed.error());
    return false;
  }
  if (*allowed == RequestParser::Progress::kDone) {
    dispatch();
    return false;
  }
  phase_ = Phase::kBody;
  deadline_ = shard_.core().clock.after(options.timeouts.body);
  if (parser_.expects_continue() && input_.empty()) send_continue();
  return true;
}

void Connection::send_continue() {
  output_ = Output{};
  output_.before = "HTTP/1.1 100 Continue\r\n\r\n";
  output_.interim = true;
  output_.pieces.emplace_back(output_.before);
  write_out();
}

void Connection::begin_answer(const Request& request, bool keep_alive) {
  const ServerCore& core = shard_.core();
  phase_ = Phase::kAnswering;
  deadline_ = kNever;
  answer_ = Answer{};
  answer_.method = request.method;
  answer_.path = request.path;
  answer_.begun = core.clock.now();
  answer_.version_minor = request.version_minor;
  answer_.keep_alive = keep_alive;
  answer_.with_body = request.method != "HEAD";
  answer_.received = request.body.size();
  answer_.exchange = std::make_shared<Exchange>(*this, core.options.limits.queue_bytes, !answer_.with_body);
}

void Connection::dispatch() {
  Request request = std::move(parser_.request());
  begin_answer(request, parser_.keep_alive());
  const std::shared_ptr<Exchange> exchange = answer_.exchange;
  run_handler(std::move(request));
  exchange->release();
  flush();
  watch_client();
}

void Connection::run_handler(Request request) {
  const ServerCore& core = shard_.core();
  const std::shared_ptr<Responder> handle = answer_.exchange->handle();
  const auto failed = [&](const char* what) {
    core.log.error("a handler threw", {{"method", answer_.method}, {"path", answer_.path}, {"error", what}});
    handle->send(error_answer(500, "internal error"));
    handle->abort(Error(Code::kInternal, "the handler threw"));  // only an answer that had begun already is cut
  };
  try {
    core.handler(std::move(request), handle);
  } catch (const std::exception& e) {
    failed(e.what());
  } catch (...) {
    failed("something that is not an exception");
  }
}

void Connection::refuse(const Refusal& refusal) {
  answer_without_handler(error_answer(refusal.status, refusal.sentence));
}

// Where the next request begins is not known any more, or does not matter: the connection ends with this answer.
void Connection::answer_without_handler(Response response) {
  begin_answer(parser_.request(), false);
  answer_.exchange->send(std::move(response));
  answer_.exchange->release();
  flush();
}

// The answer takes its time: meanwhile a read is all that tells us when the client goes.
void Connection::watch_client() {
  if (phase_ != Phase::kAnswering || output_.last || reading_ || input_over_) return;
  if (input_.size() >= kPipelinedBytes) return;
  input_.trim();
  read(kWatchBytes);
}

void Connection::answer_changed() { transport_->wake(shared_from_this()); }

void Connection::on_wake() { flush(); }

void Connection::flush() {
  if (writing_ || phase_ != Phase::kAnswering) return;
  Exchange::Batch batch = answer_.exchange->take(kBatchChunks, kBatchBytes);
  if (batch.problem && batch.problem->code() != Code::kCancelled) {
    shard_.core().log.error("an answer went wrong",
                            {{"method", answer_.method}, {"path", answer_.path}, LogField(*batch.problem)});
  }
  if (batch.aborted) return close();
  if (batch.empty()) {
    // The client has closed its side, hence probably both; only a write could tell, and the stream is silent.
    if (input_over_ && batch.unfinished && deadline_ == kNever) {
      deadline_ = shard_.core().clock.after(shard_.core().options.timeouts.linger);
    }
    return;
  }
  deadline_ = kNever;
  frame(std::move(batch));
  if (output_.pieces.empty()) return batch_written();
  write_out();
}

void Connection::frame(Exchange::Batch batch) {
  output_ = Output{};
  if (batch.head) frame_head(*batch.head, batch);
  if (answer_.framing == Framing::kChunked && answer_.with_body) {
    if (batch.bytes > 0) {
      fmt::format_to(std::back_inserter(output_.before), "{:x}\r\n", batch.bytes);
      output_.after = "\r\n";
    }
    if (batch.last) output_.after += "0\r\n\r\n";
  }
  output_.chunks = std::move(batch.chunks);
  output_.body_bytes = batch.bytes;
  output_.last = batch.last;
  if (!output_.before.empty()) output_.pieces.emplace_back(output_.before);
  for (const Chunk& chunk : output_.chunks) output_.pieces.push_back(chunk.view());
  if (!output_.after.empty()) output_.pieces.emplace_back(output_.after);
}

void Connection::frame_head(const ResponseHead& head, Exchange::Batch& batch) {
  answer_.status = head.status;
  answer_.framing = framing_of(head, answer_.version_minor);
  answer_.keep_alive = answer_.keep_alive && answer_.framing != Framing::kUntilClose && !shard_.draining() &&
                       !head.headers.has_word("Connection", "close");
  HeadContext context{answer_.version_minor, answer_.keep_alive, shard_.date()};
  Result<std::string> text = write_head(head, answer_.framing, context);
  if (!text) {
    shard_.core().log.error("a handler's answer cannot be sent",
                            {{"method", answer_.method}, {"path", answer_.path}, LogField(text.error())});
    // Its body belongs to the head that was refused.
    batch = Exchange::Batch{};
    batch.last = true;
    context.keep_alive = answer_.keep_alive = false;
    answer_.status = 500;
    answer_.framing = Framing::kLength;
    text = write_head({.status = 500, .headers = {}, .content_length = 0}, answer_.framing, context);
  }
  output_.before = std::move(*text);
}

void Connection::write_out() {
  writing_ = true;
  write_deadline_ = shard_.core().clock.after(shard_.core().options.timeouts.write);
  transport_->write(shared_from_this(), std::span<const std::string_view>(output_.pieces).subspan(output_.next));
}

void Connection::on_write(Transport::Outcome outcome) {
  writing_ = false;
  write_deadline_ = kNever;
  if (phase_ == Phase::kClosed) return;
  if (outcome.end != Transport::End::kNone) return close();
  answer_.sent += outcome.bytes;
  std::size_t out = outcome.bytes;
  while (out > 0) {
    std::string_view& piece = output_.pieces[output_.next];
    const std::size_t part = std::min(out, piece.size());
    piece.remove_prefix(part);
    out -= part;
    if (piece.empty()) ++output_.next;
  }
  if (output_.next < output_.pieces.size()) return write_out();
  batch_written();
}

void Connection::batch_written() {
  const Output done = std::exchange(output_, Output{});
  if (done.interim) return flush();
  answer_.exchange->hold();
  call(answer_.exchange->written(done.body_bytes));
  answer_.exchange->release();
  if (done.last) return answer_out();
  flush();
}

void Connection::answer_out() {
  report(true);
  answer_.exchange->detach(true);
  const bool keep_alive = answer_.keep_alive;
  answer_ = Answer{};
  if (keep_alive) return next_request();
  linger();
}

// Closing with unread bytes makes the kernel reset the connection, and the client may lose the answer: so we stop
// sending, and read what is still coming until the client has closed too.
void Connection::linger() {
  phase_ = Phase::kLingering;
  deadline_ = shard_.core().clock.after(shard_.core().options.timeouts.linger);
  if (input_over_) return close();
  if (!reading_) input_.clear();
  transport_->close_sending(shared_from_this());
}

void Connection::on_sending_closed() {
  if (phase_ == Phase::kLingering) read(kReadBytes);
}

void Connection::check_deadline(SteadyTime now) {
  if (now >= write_deadline_) {
    shard_.core().log.debug("a client does not read", {{"client", peer_.address}, {"path", answer_.path}});
    return close();
  }
  if (now < deadline_) return;
  if (phase_ == Phase::kHead) return refuse({408, "the request's head did not arrive in time"});
  if (phase_ == Phase::kBody) return refuse({408, "the request's body did not arrive in time"});
  close();
}

void Connection::drain() {
  if (phase_ == Phase::kHandshake || phase_ == Phase::kIdle) close();
}

void Connection::close() {
  if (std::exchange(phase_, Phase::kClosed) == Phase::kClosed) return;
  deadline_ = write_deadline_ = kNever;
  transport_->close();
  if (answer_.exchange) {
    report(false);
    call(answer_.exchange->detach(false));
    answer_ = Answer{};
  }
  shard_.forget(*this);
}

void Connection::report(bool complete) {
  const ServerCore& core = shard_.core();
  FinishedRequest finished{.method = answer_.method,
                           .route = answer_.exchange->route(),
                           .status = answer_.status,
                           .duration = core.clock.now() - answer_.begun,
                           .bytes_received = answer_.received,
                           .bytes_sent = answer_.sent,
                           .complete = complete};
  core.log.debug("request", {{"method", finished.method},
                             {"path", answer_.path},
                             {"status", finished.status},
                             {"client", peer_.address},
                             {"bytes", finished.bytes_sent},
                             {"seconds", std::chrono::duration<double>(finished.duration).count()},
                             {"complete", complete}});
  if (core.options.on_finished) call([&] { core.options.on_finished(finished); });
}

void Connection::call(const Exchange::Callback& callback) {
  if (!callback) return;
  try {
    callback();
  } catch (const std::exception& e) {
    shard_.core().log.error("a callback threw", {{"path", answer_.path}, {"error", e.what()}});
  } catch (...) {
    shard_.core().log.error("a callback threw something that is not an exception", {{"path", answer_.path}});
  }
}

}  // namespace landfall::http
