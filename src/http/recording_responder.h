#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/guarded.h"
#include "http/responder.h"

namespace landfall::http {

// A Responder that keeps what it is given: for testing handlers without a server. Thread-safe.
class RecordingResponder final : public Responder {
 public:
  struct Answer {
    int status = 0;  // 0 until there is an answer
    Headers headers;
    std::string body;
    std::string route;
    bool streamed = false;
    bool finished = false;
    std::optional<Error> aborted;
  };

  // A queue that holds `room` bytes until drain() empties it.
  explicit RecordingResponder(std::size_t room = static_cast<std::size_t>(-1)) : room_(room) {}

  Answer answer() const;
  // Plays the client that has read everything so far.
  void drain();
  // Plays the client that goes away.
  void close();

  void send(Response response) override;
  void begin(ResponseHead head) override;
  WriteResult write(const Chunk& chunk) override;
  void finish() override;
  void abort(const Error& reason) override;
  void on_drained(std::function<void()> callback) override;
  void on_close(std::function<void()> callback) override;
  bool closed() const override;
  void set_route(std::string pattern) override;

 private:
  struct State {
    Answer answer;
    std::size_t queued = 0;
    bool was_full = false;
    bool gone = false;
    std::function<void()> drained;
    std::function<void()> closed;
  };
  void end(const std::function<void(Answer&)>& change);

  const std::size_t room_;
  Guarded<State> state_;
};

}  // namespace landfall::http
