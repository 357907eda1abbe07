#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/log.h"
#include "base/result.h"

namespace landfall::progress {

// The part of Publisher<T> that does not depend on T; use that one.
class PublisherCore {
 public:
  using Value = std::shared_ptr<const void>;
  using Sample = std::function<Value()>;
  using Same = bool (*)(const void*, const void*);
  using Deliver = std::function<Status(const void*, const std::stop_token&)>;

  PublisherCore(Clock& clock, Logger log, Same same, Sample sample);
  ~PublisherCore();
  PublisherCore(const PublisherCore&) = delete;
  PublisherCore& operator=(const PublisherCore&) = delete;

  void publish(Value value);
  void refresh();
  void subscribe(std::string name, Duration interval, Deliver deliver);
  Status flush(SteadyTime deadline, const std::stop_token& stop);
  Status close(SteadyTime deadline, const std::stop_token& stop);

 private:
  // A subscriber as its own thread knows it.
  struct Subscriber {
    std::size_t index;  // in Board::subscribers
    std::string name;
    Duration interval;
    Deliver deliver;
    std::uint64_t taken = 0;    // the version it has
    Value value;                // what it was last given
    SteadyTime earliest;        // no delivery before this
    SteadyTime tick;            // when the sample is due again
    std::int64_t failures = 0;  // in a row
  };
  // A subscriber as the others see it.
  struct Listed {
    std::string name;
    std::uint64_t taken = 0;
    std::string error;  // of the last delivery; empty if it went well
  };
  struct Board {
    Value newest;
    std::uint64_t version = 0;  // of `newest`; 0: nothing yet
    std::uint64_t urgent = 0;   // versions up to this one go out at once
    bool closed = false;
    bool is_awaited = false;  // somebody has all there is and waits for more
    std::vector<Listed> subscribers;
  };
  enum class Turn : std::uint8_t { kWork, kRest, kEnd };

  void run(Subscriber& subscriber, const std::stop_token& stop);
  bool await_turn(Subscriber& subscriber, const std::stop_token& stop);
  Turn look(Board& board, const Subscriber& subscriber, SteadyTime& wake) const;
  void deliver_newest(Subscriber& subscriber, const std::stop_token& stop);
  void record(Subscriber& subscriber, std::uint64_t version, const Status& status);
  Status await_taken(std::uint64_t version, SteadyTime deadline, const std::stop_token& stop);
  static std::string names_behind(const Board& board, std::uint64_t version);
  void ring();

  Clock& clock_;
  const Logger log_;
  const Same same_;
  const Sample sample_;
  std::mutex sampling_;  // keeps samples in the order in which they were taken
  Guarded<Board> board_;
  Monitor<std::uint64_t> bell_;  // goes up when something on the board is worth a look
  Guarded<std::vector<std::jthread>> threads_;
};

}  // namespace landfall::progress
