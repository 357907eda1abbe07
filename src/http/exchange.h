#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "http/responder.h"

namespace landfall::http {

// Internal to the module. One request's answer on its way from the handler, on any thread, to the connection, on its
// own. The handler's side is the Responder; the methods after it are the connection's side, for the loop's thread only.
// What lies between the two is under one lock. Callbacks run without it: the connection is given them to call.
class Exchange final : public Responder, public std::enable_shared_from_this<Exchange> {
 public:
  using Callback = std::function<void()>;

  // The connection, seen from here. Called under the lock, from any thread, until detach().
  class Link {
   public:
    virtual ~Link() = default;
    virtual void answer_changed() = 0;
  };

  // Begins held. Without a body: the answer to HEAD.
  Exchange(Link& link, std::size_t queue_bytes, bool without_body);

  // The handler's reference. When its last copy goes away an answer that was not given is replaced by a 500.
  std::shared_ptr<Responder> handle();

  void send(Response response) override;
  void begin(ResponseHead head) override;
  WriteResult write(const Chunk& chunk) override;
  void finish() override;
  void abort(const Error& reason) override;
  void on_drained(Callback callback) override;
  void on_close(Callback callback) override;
  bool closed() const override;
  void set_route(std::string pattern) override;

  // What is ready to go out.
  struct Batch {
    std::optional<ResponseHead> head;  // in the first batch
    std::vector<Chunk> chunks;
    std::size_t bytes = 0;
    bool last = false;
    bool unfinished = false;  // a stream that has begun
    bool aborted = false;
    std::optional<Error> problem;  // for the log

    bool empty() const { return !head && chunks.empty() && !last && !aborted; }
  };
  Batch take(std::size_t at_most_chunks, std::size_t at_most_bytes);

  // While held, changes are not announced: the connection looks by itself once it has released.
  void hold();
  void release();
  // A batch with that many bytes is out. Returns what to call when there is room again.
  Callback written(std::size_t bytes);
  // The client has closed its side; it may still read. Returns what to call.
  Callback client_gone();
  // Ends the handler's influence. Returns what to call if the answer was not out.
  Callback detach(bool answer_is_out);
  std::string route() const;

 private:
  enum class Phase { kOpen, kStreaming, kFinished, kAborted };

  void dropped();
  // With the lock held:
  void announce();
  void abort_for(const Error& reason);
  bool has_body() const;

  const std::size_t queue_bytes_;
  const bool without_body_;
  mutable std::mutex mutex_;
  Link* link_;
  Phase phase_ = Phase::kOpen;
  bool held_ = true;
  bool announced_ = false;
  bool gone_ = false;
  bool was_full_ = false;
  bool last_taken_ = false;
  int status_ = 0;
  std::optional<ResponseHead> head_;
  std::optional<std::uint64_t> length_;
  std::uint64_t accepted_ = 0;
  std::deque<Chunk> queue_;
  std::size_t waiting_bytes_ = 0;  // in the queue and being written
  std::optional<Error> problem_;
  Callback drained_;
  Callback close_;
  std::string route_;
};

}  // namespace landfall::http
