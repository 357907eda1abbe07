#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "http/exchange.h"
#include "http/head_writer.h"
#include "http/input_buffer.h"
#include "http/request_parser.h"
#include "http/transport.h"

namespace landfall::http {

class Shard;

// Internal to the module. One client's connection: reads a request, has it answered, writes the answer, and again.
//
// While an answer is under way only so much is read that a client that goes away is noticed; requests that a client
// sends ahead wait in the kernel. Owned by its shard and by the operations that run; belongs to the loop's thread.
class Connection final : public Transport::Events,
                         public Exchange::Link,
                         public std::enable_shared_from_this<Connection> {
 public:
  Connection(Shard& shard, std::unique_ptr<Transport> transport, Peer peer);

  void start();
  // Acts if the deadline of what is going on has passed.
  void check_deadline(SteadyTime now);
  // Ends after the answer under way, or now if there is none.
  void drain();
  void close();

  void on_handshake(Transport::Outcome outcome) override;
  void on_read(Transport::Outcome outcome) override;
  void on_write(Transport::Outcome outcome) override;
  void on_sending_closed() override;
  void on_wake() override;
  void answer_changed() override;

  std::size_t place = 0;  // in the shard's list

 private:
  enum class Phase { kHandshake, kIdle, kHead, kBody, kAnswering, kLingering, kClosed };

  void next_request();
  void read(std::size_t room);
  void read_more_of_request();
  void parse();
  bool admit();
  void send_continue();
  void dispatch();
  void run_handler(Request request);
  void refuse(const Refusal& refusal);
  void answer_without_handler(Response response);
  void begin_answer(const Request& request, bool keep_alive);
  void input_ended(const Transport::Outcome& outcome);
  void watch_client();

  void flush();
  void frame(Exchange::Batch batch);
  void frame_head(const ResponseHead& head, Exchange::Batch& batch);
  void write_out();
  void batch_written();
  void answer_out();
  void linger();
  void report(bool complete);
  void call(const Exchange::Callback& callback);

  // The answer under way.
  struct Answer {
    std::shared_ptr<Exchange> exchange;
    std::string method;
    std::string path;
    SteadyTime begun;
    int version_minor = 1;
    bool keep_alive = false;
    bool with_body = true;
    Framing framing = Framing::kNone;
    int status = 0;
    std::uint64_t received = 0;
    std::uint64_t sent = 0;
  };
  // What is being written: views into the texts and chunks, the first of them not yet out.
  struct Output {
    std::string before;
    std::vector<Chunk> chunks;
    std::string after;
    std::vector<std::string_view> pieces;
    std::size_t next = 0;
    std::size_t body_bytes = 0;
    bool last = false;
    bool interim = false;  // 100 Continue
  };

  Shard& shard_;
  const std::unique_ptr<Transport> transport_;
  Peer peer_;
  Phase phase_ = Phase::kHandshake;
  SteadyTime deadline_ = kNever;        // of the phase
  SteadyTime write_deadline_ = kNever;  // of the write under way
  RequestParser parser_;
  InputBuffer input_;
  bool reading_ = false;
  bool writing_ = false;
  bool first_request_ = true;
  bool input_over_ = false;
  std::size_t discarded_ = 0;
  Answer answer_;
  Output output_;
};

}  // namespace landfall::http
