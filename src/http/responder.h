#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "http/request.h"
#include "http/response.h"

namespace landfall::http {

// Bytes that are not changed any more. Copies share them, so that one event can go to thousands of watchers.
class Chunk {
 public:
  Chunk() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): write("…") should read as what it is.
  Chunk(std::string bytes) : bytes_(std::make_shared<const std::string>(std::move(bytes))) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  Chunk(const char* bytes) : Chunk(std::string(bytes)) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  Chunk(std::shared_ptr<const std::string> bytes) : bytes_(std::move(bytes)) {}

  std::string_view view() const { return bytes_ ? std::string_view(*bytes_) : std::string_view(); }
  std::size_t size() const { return view().size(); }

 private:
  std::shared_ptr<const std::string> bytes_;
};

enum class [[nodiscard]] WriteResult {
  kTaken,   // queued
  kFull,    // not taken: offer it again when drained
  kClosed,  // nobody reads any more: stop producing
};

// The answer to one request. Give it now or later, from any thread; no call blocks and a waiting answer holds no
// thread. Either send() once, or begin(), then write() as often as needed, then finish(). Calls that come too late (a
// second answer, a write after finish()) do nothing. When the last reference goes away a request without an answer gets
// a 500 and an unfinished stream is cut, so a callback that is kept in the responder must not own it, unless something
// else is sure to finish the answer.
class Responder {
 public:
  Responder() = default;
  Responder(const Responder&) = delete;
  Responder& operator=(const Responder&) = delete;
  virtual ~Responder() = default;

  virtual void send(Response response) = 0;

  virtual void begin(ResponseHead head) = 0;
  // Takes the chunk unless the queue is full; a chunk of any size fits into an empty queue. The answer to a HEAD
  // request has no body: kClosed from the start.
  virtual WriteResult write(const Chunk& chunk) = 0;
  virtual void finish() = 0;
  // Cuts the connection: the client must not take what it got for the whole. The reason is for the log.
  virtual void abort(const Error& reason) = 0;

  // Called each time there is room again after write() returned kFull. Set it before the first write.
  // Callbacks run on the connection's thread: they must not block.
  virtual void on_drained(std::function<void()> callback) = 0;
  // Called once if the client closes its side, or is cut by a time-out or the server's stop, before the answer is out.
  // If that has happened already it is called right here. A client that closed only its side still gets what is written
  // to it; a stream that then stays silent is cut.
  virtual void on_close(std::function<void()> callback) = 0;
  // True once the answer is out or the client gone.
  virtual bool closed() const = 0;

  // The route's pattern, as a label for metrics: a bounded set of names, unlike the paths.
  virtual void set_route(std::string pattern) = 0;
};

// Answers requests. Runs on an I/O thread that serves many connections: it must not block (see on_workers()).
using Handler = std::function<void(Request, std::shared_ptr<Responder>)>;

}  // namespace landfall::http
