#include "http/streaming.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/guarded.h"
#include "http/worker_pool.h"

namespace landfall::http {
namespace {

constexpr std::size_t kPiece = std::size_t{64} * 1024;

// Moves pieces from the producer to the responder whenever there is room. Runs on one thread at a time: a run ends by
// waiting for room, and only room starts the next.
class Pump : public std::enable_shared_from_this<Pump> {
 public:
  Pump(std::shared_ptr<Responder> responder, Producer producer, WorkerPool* pool)
      : responder_(std::move(responder)), producer_(std::move(producer)), pool_(pool) {}

  void start(ResponseHead head) {
    // The responder keeps the pump and the pump the responder, until the answer is over: then the responder forgets its
    // callbacks, and the pump ends with them.
    responder_->on_drained([self = shared_from_this()] { self->room_again(); });
    responder_->begin(std::move(head));
    schedule();
  }

 private:
  // Room can come back while the run that found the queue full is still on its way out: that run goes on instead.
  enum class State { kRunning, kRunningAndRoom, kWaiting };

  void room_again() {
    const bool wake = state_.with([](State& state) {
      const bool waiting = state == State::kWaiting;
      state = waiting ? State::kRunning : State::kRunningAndRoom;
      return waiting;
    });
    if (wake) schedule();
  }

  void schedule() {
    if (pool_ == nullptr) {
      run();
    } else {
      pool_->resume([self = shared_from_this()](const std::stop_token&) { self->run(); });
    }
  }

  void run() {
    try {
      while (step()) {
      }
    } catch (...) {
      responder_->abort(Error(Code::kInternal, "the producer threw"));
      throw;  // whoever runs us logs it
    }
  }

  // False when there is nothing to do before the next wake-up.
  bool step() {
    if (!piece_) {
      Result<std::optional<std::string>> next = producer_();
      if (!next) {
        responder_->abort(next.error());
        return false;
      }
      if (!*next) {
        responder_->finish();
        return false;
      }
      piece_ = Chunk(std::move(**next));
    }
    switch (responder_->write(*piece_)) {
      case WriteResult::kTaken:
        piece_.reset();
        return true;
      case WriteResult::kClosed:
        // Nothing to add for a HEAD request; a client that is gone does not mind.
        responder_->finish();
        return false;
      case WriteResult::kFull:
        break;
    }
    return state_.with([](State& state) {
      const bool go_on = state == State::kRunningAndRoom;
      state = go_on ? State::kRunning : State::kWaiting;
      return go_on;
    });
  }

  const std::shared_ptr<Responder> responder_;
  const Producer producer_;
  WorkerPool* const pool_;
  std::optional<Chunk> piece_;  // refused by a full queue
  Guarded<State> state_{State::kRunning};
};

}  // namespace

void stream(std::shared_ptr<Responder> responder, ResponseHead head, Producer producer, WorkerPool* pool) {
  std::make_shared<Pump>(std::move(responder), std::move(producer), pool)->start(std::move(head));
}

FileRange::~FileRange() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<std::optional<std::string>> FileRange::next(std::size_t at_most) {
  if (length_ == 0) return std::nullopt;
  std::string piece(static_cast<std::size_t>(std::min<std::uint64_t>(at_most, length_)), '\0');
  ssize_t got = 0;
  do {
    got = ::pread(descriptor_, piece.data(), piece.size(), static_cast<off_t>(offset_));
  } while (got < 0 && errno == EINTR);
  if (got < 0) {
    return fail(Code::kInternal, fmt::format("read at offset {}: {}", offset_, std::generic_category().message(errno)));
  }
  if (got == 0)
    return fail(Code::kDataLoss, fmt::format("the file ends at offset {}, {} bytes early", offset_, length_));
  piece.resize(static_cast<std::size_t>(got));
  offset_ += piece.size();
  length_ -= piece.size();
  return piece;
}

void stream_file(std::shared_ptr<Responder> responder, ResponseHead head, FileRange range, WorkerPool& pool) {
  head.content_length = range.remaining();
  const auto file = std::make_shared<FileRange>(std::move(range));
  stream(std::move(responder), std::move(head), [file] { return file->next(kPiece); }, &pool);
}

}  // namespace landfall::http
