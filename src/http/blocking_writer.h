#pragma once

#include <memory>
#include <stop_token>

#include "base/clock.h"
#include "base/guarded.h"
#include "http/responder.h"

namespace landfall::http {

// Streams an answer from a thread that may wait, in a handler that runs on workers. Takes over the responder's
// callbacks. An answer that is not finished is cut when the writer goes away. Not thread-safe.
class BlockingWriter {
 public:
  // Begins the answer.
  BlockingWriter(std::shared_ptr<Responder> responder, ResponseHead head, Clock& clock);
  BlockingWriter(const BlockingWriter&) = delete;
  BlockingWriter& operator=(const BlockingWriter&) = delete;
  ~BlockingWriter();

  // Waits until there is room. kUnavailable when the client has gone, kCancelled on a stop, kTimeout at the deadline.
  // The server's own write time-out ends the wait for a client that does not read.
  Status write(const Chunk& chunk, const std::stop_token& stop, SteadyTime deadline = kNever);
  void finish();

 private:
  struct Room {
    bool free = true;
    bool gone = false;
  };
  const std::shared_ptr<Responder> responder_;
  Clock& clock_;
  const std::shared_ptr<Monitor<Room>> room_;
  bool finished_ = false;
};

}  // namespace landfall::http
