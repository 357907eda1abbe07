#include "http/exchange.h"

#include <fmt/format.h>

#include <utility>

namespace landfall::http {

Exchange::Exchange(Link& link, std::size_t queue_bytes, bool without_body)
    : queue_bytes_(queue_bytes), without_body_(without_body), link_(&link) {}

std::shared_ptr<Responder> Exchange::handle() {
  return {static_cast<Responder*>(this), [self = shared_from_this()](Responder*) { self->dropped(); }};
}

void Exchange::announce() {
  if (link_ == nullptr || held_ || std::exchange(announced_, true)) return;
  link_->answer_changed();
}

void Exchange::abort_for(const Error& reason) {
  phase_ = Phase::kAborted;
  problem_ = reason;
  queue_.clear();
  announce();
}

bool Exchange::has_body() const { return !without_body_ && status_ >= 200 && status_ != 204 && status_ != 304; }

void Exchange::send(Response response) {
  const std::scoped_lock lock(mutex_);
  if (phase_ != Phase::kOpen) return;
  phase_ = Phase::kFinished;
  status_ = response.status;
  head_ = ResponseHead{response.status, std::move(response.headers), response.body.size()};
  if (has_body() && !response.body.empty()) {
    waiting_bytes_ += response.body.size();
    queue_.emplace_back(std::move(response.body));
  }
  announce();
}

void Exchange::begin(ResponseHead head) {
  const std::scoped_lock lock(mutex_);
  if (phase_ != Phase::kOpen) return;
  phase_ = Phase::kStreaming;
  status_ = head.status;
  length_ = head.content_length;
  head_ = std::move(head);
  announce();
}

WriteResult Exchange::write(const Chunk& chunk) {
  const std::scoped_lock lock(mutex_);
  if (link_ == nullptr || phase_ != Phase::kStreaming || !has_body()) return WriteResult::kClosed;
  if (chunk.size() == 0) return WriteResult::kTaken;  // in chunked framing it would mean the end
  if (waiting_bytes_ > 0 && waiting_bytes_ + chunk.size() > queue_bytes_) {
    was_full_ = true;
    return WriteResult::kFull;
  }
  if (length_ && accepted_ + chunk.size() > *length_) {
    abort_for(Error(Code::kInternal, fmt::format("the body is longer than its announced {} bytes", *length_)));
    return WriteResult::kClosed;
  }
  accepted_ += chunk.size();
  waiting_bytes_ += chunk.size();
  queue_.push_back(chunk);
  announce();
  return WriteResult::kTaken;
}

void Exchange::finish() {
  const std::scoped_lock lock(mutex_);
  if (phase_ != Phase::kStreaming) return;
  if (has_body() && length_ && accepted_ != *length_) {
    abort_for(Error(Code::kInternal, fmt::format("the body ends after {} of {} bytes", accepted_, *length_)));
    return;
  }
  phase_ = Phase::kFinished;
  announce();
}

void Exchange::abort(const Error& reason) {
  const std::scoped_lock lock(mutex_);
  if (phase_ == Phase::kOpen || phase_ == Phase::kStreaming) abort_for(reason);
}

void Exchange::dropped() {
  {
    const std::scoped_lock lock(mutex_);
    if (phase_ == Phase::kFinished || phase_ == Phase::kAborted) return;
    if (phase_ == Phase::kStreaming) {
      if (has_body()) {
        // A client that has gone is the usual reason to give up a stream.
        abort_for(Error(gone_ ? Code::kCancelled : Code::kInternal, "the handler left a streamed answer unfinished"));
      } else {
        phase_ = Phase::kFinished;
        announce();
      }
      return;
    }
    problem_ = Error(Code::kInternal, "the handler gave no answer");
  }
  send(error_answer(500, "internal error"));
}

void Exchange::on_drained(Callback callback) {
  const std::scoped_lock lock(mutex_);
  if (link_ != nullptr) drained_.swap(callback);  // the old one ends after the lock: it may own the responder
}

void Exchange::on_close(Callback callback) {
  {
    const std::scoped_lock lock(mutex_);
    if (!gone_) {
      if (link_ != nullptr) close_.swap(callback);
      return;
    }
  }
  callback();
}

bool Exchange::closed() const {
  const std::scoped_lock lock(mutex_);
  return link_ == nullptr;
}

void Exchange::set_route(std::string pattern) {
  const std::scoped_lock lock(mutex_);
  route_ = std::move(pattern);
}

Exchange::Batch Exchange::take(std::size_t at_most_chunks, std::size_t at_most_bytes) {
  const std::scoped_lock lock(mutex_);
  Batch batch;
  announced_ = false;
  batch.problem = std::exchange(problem_, std::nullopt);
  batch.aborted = phase_ == Phase::kAborted;
  batch.unfinished = phase_ == Phase::kStreaming;
  if (batch.aborted || last_taken_) return batch;
  batch.head = std::exchange(head_, std::nullopt);
  while (!queue_.empty() && batch.chunks.size() < at_most_chunks && batch.bytes < at_most_bytes) {
    batch.bytes += queue_.front().size();
    batch.chunks.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  batch.last = last_taken_ = phase_ == Phase::kFinished && queue_.empty();
  return batch;
}

void Exchange::hold() {
  const std::scoped_lock lock(mutex_);
  held_ = true;
}

void Exchange::release() {
  const std::scoped_lock lock(mutex_);
  held_ = false;
}

Exchange::Callback Exchange::written(std::size_t bytes) {
  const std::scoped_lock lock(mutex_);
  waiting_bytes_ -= bytes;
  if (!was_full_ || phase_ != Phase::kStreaming || waiting_bytes_ > queue_bytes_ / 2) return nullptr;
  was_full_ = false;
  return drained_;
}

Exchange::Callback Exchange::client_gone() {
  const std::scoped_lock lock(mutex_);
  gone_ = true;
  return std::exchange(close_, nullptr);
}

Exchange::Callback Exchange::detach(bool answer_is_out) {
  Callback drained;  // both may own the responder, whose end comes back here: not under the lock
  Callback close;
  std::deque<Chunk> rest;
  const std::scoped_lock lock(mutex_);
  link_ = nullptr;
  gone_ = gone_ || !answer_is_out;
  drained.swap(drained_);
  close.swap(close_);
  rest.swap(queue_);
  return answer_is_out ? nullptr : std::move(close);
}

std::string Exchange::route() const {
  const std::scoped_lock lock(mutex_);
  return route_;
}

}  // namespace landfall::http
