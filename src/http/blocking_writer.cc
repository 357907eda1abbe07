#include "http/blocking_writer.h"

#include <utility>

namespace landfall::http {

BlockingWriter::BlockingWriter(std::shared_ptr<Responder> responder, ResponseHead head, Clock& clock)
    : responder_(std::move(responder)), clock_(clock), room_(std::make_shared<Monitor<Room>>()) {
  // The callbacks own the state that they change, never the responder.
  responder_->on_drained([room = room_] { room->update([](Room& state) { state.free = true; }); });
  responder_->on_close([room = room_] { room->update([](Room& state) { state.gone = true; }); });
  responder_->begin(std::move(head));
}

BlockingWriter::~BlockingWriter() {
  if (!finished_) responder_->abort(Error(Code::kInternal, "the writer of the answer gave up"));
}

Status BlockingWriter::write(const Chunk& chunk, const std::stop_token& stop, SteadyTime deadline) {
  while (true) {
    room_->update([](Room& state) { state.free = false; });  // before the write: room may come back during it
    switch (responder_->write(chunk)) {
      case WriteResult::kTaken:
        return {};
      case WriteResult::kClosed:
        return fail(Code::kUnavailable, "the client has gone");
      case WriteResult::kFull:
        break;
    }
    const auto ready = [](const Room& state) { return state.free || state.gone; };
    if (!room_->wait_until(clock_, stop, deadline, ready)) {
      return stop.stop_requested() ? fail(Code::kCancelled, "stopped")
                                   : fail(Code::kTimeout, "the client does not read");
    }
  }
}

void BlockingWriter::finish() {
  finished_ = true;
  responder_->finish();
}

}  // namespace landfall::http
