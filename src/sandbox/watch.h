#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/random.h"
#include "base/result.h"
#include "http/responder.h"
#include "http/worker_pool.h"
#include "sandbox/faults.h"
#include "sandbox/registry.h"
#include "sandbox/request.h"
#include "sandbox/selection.h"
#include "sandbox/store.h"

namespace landfall::sandbox {

class WatchHub;

// One watch: reads the store's history from where it stands and writes what matches, as fast as its client takes it. It
// holds no queue and no thread: a change, or room at the client, puts it on a worker for as long as there is something
// to send. A client that falls behind the history gets a 410 event. Made by the hub; thread-safe.
class WatchStream : public std::enable_shared_from_this<WatchStream> {
 public:
  struct Parts {
    KindPtr kind;
    std::string name_space;
    Selection selection;
    OutputFormat output;
    bool bookmarks = false;
    bool initial_bookmark = false;  // says where the initial events end
    SnapshotPtr initial;            // objects to send first; null: none
    std::uint64_t position = 0;     // changes after it
    SteadyTime deadline = kNever;
    std::optional<Error> error;  // to be sent instead of all else
  };
  WatchStream(WatchHub& hub, Parts parts, std::shared_ptr<http::Responder> responder);

  void start();
  // There may be something to send.
  void wake();
  // Looks at the time; true when the stream has ended.
  bool tick(SteadyTime now);
  // Cuts the connection, as a fault.
  void drop();

 private:
  enum class Step { kMore, kWait, kOver };

  void run();
  Step send_pending();
  Step next_initial();
  Step next_changes();
  void queue(std::string_view type, std::string object);
  void queue_bookmark(std::uint64_t revision, bool ends_initial);
  void queue_error(const Error& error);
  void queue_change(const Change& change);
  void end();

  WatchHub& hub_;
  Parts parts_;
  const std::shared_ptr<http::Responder> responder_;
  Store::Subscription subscription_;
  std::atomic<int> runs_{0};  // 0: idle; more: running, and asked for again
  std::atomic<bool> bookmark_due_{false};
  std::atomic<bool> time_is_up_{false};
  std::atomic<bool> is_over_{false};
  // Touched by run() only, which is never on two threads at once.
  std::size_t initial_next_ = 0;
  std::vector<http::Chunk> pending_;
  std::size_t pending_next_ = 0;
  std::uint64_t sent_revision_ = 0;
  bool columns_sent_ = false;
  bool ends_after_pending_ = false;
  SteadyTime next_bookmark_ = kNever;  // touched by tick() only
};

// All watches of a sandbox, and the thread that ends them in time and sends bookmarks. Thread-safe.
class WatchHub {
 public:
  WatchHub(Store& store, Faults& faults, http::WorkerPool& pool, Clock& clock, Random& random);
  ~WatchHub();
  WatchHub(const WatchHub&) = delete;
  WatchHub& operator=(const WatchHub&) = delete;

  // Answers a watch request.
  void open(const ApiRequest& request, std::shared_ptr<http::Responder> responder);
  // Ends every watch; later ones are not served. From one thread.
  void stop();
  std::size_t size() const;

 private:
  friend class WatchStream;
  struct State {
    std::vector<std::shared_ptr<WatchStream>> streams;
    bool stopped = false;
  };
  WatchStream::Parts parts_of(const ApiRequest& request);
  void tend(const std::stop_token& stop);
  void forget(const WatchStream* stream);

  Store& store_;
  Faults& faults_;
  http::WorkerPool& pool_;
  Clock& clock_;
  Random& random_;
  Monitor<State> state_;
  std::jthread thread_;  // last: it ends before the rest goes
};

}  // namespace landfall::sandbox
