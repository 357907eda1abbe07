#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/log.h"
#include "progress/in_flight.h"
#include "progress/item_tracker.h"
#include "progress/pace.h"
#include "progress/publisher.h"

namespace landfall::progress {

// What an engine talks to: it says what it plans, starts and has done, and everyone who subscribed hears how far it is.
//
// Life: subscribe; say what was done before (a resumed restore replays its plan and journal here, and none of it counts
// into the rate); start(); work; finish(). Thread-safe: workers call it from their threads, each call is a short lock.
class ItemReporter {
 public:
  ItemReporter(Clock& clock, Logger log, const Pace::Options& pace = {});

  void subscribe(std::string name, Publisher<ItemProgress>::Deliver deliver, Duration interval = kPublishInterval) {
    publisher_.subscribe(std::move(name), std::move(deliver), interval);
  }

  // The first publish: goes out at once. A second call does nothing.
  void start();

  // What ItemTracker says; see there.
  void seen(const ItemId& source);
  void planned(const ItemId& target, const ItemId& source);
  void planned(const ItemId& id) { planned(id, id); }
  void not_selected(const ItemId& source, std::string_view reason);
  void added(const ItemId& target, const ItemId& source);
  void added(const ItemId& id) { added(id, id); }

  // Collection is final: publishes the total.
  void collected();

  // The operation enters a step. Rates and estimates begin anew; they exist where items are what is being done.
  void step(ItemStep step);

  // A worker takes up an item; it ends with done(), or with given_up() when it was cancelled and has no outcome.
  void started(const ItemId& target);
  void done(const ItemId& target, Outcome outcome);
  void given_up(const ItemId& target);

  // What is being done where that is not an item: "waiting for pod volumes". Until the next step.
  void doing(std::string what);
  // Work goes on although no count moves: a volume has moved, a hook has answered.
  void alive();
  // Why nothing moves, from whoever knows; shown once it counts as stalled, forgotten when something moves.
  void blame(std::string reason, std::string item = {});

  ItemProgress snapshot();

  // Everyone gets the present value now, for example before the phase changes.
  Status flush(SteadyTime deadline, const std::stop_token& stop) { return publisher_.flush(deadline, stop); }
  // The operation has ended, well or not: the last publish, exact, without rate, estimate, stall or current item.
  Status finish(SteadyTime deadline, const std::stop_token& stop);

 private:
  struct State {
    explicit State(const Pace::Options& options) : pace(options) {}
    ItemTracker tracker;
    InFlight in_flight;
    Pace pace;
    ItemStep step = ItemStep::kCollecting;
    std::string doing;
    bool is_started = false;
    bool is_finished = false;
  };
  ItemProgress read(State& state) const;

  Clock& clock_;
  Guarded<State> state_;
  Publisher<ItemProgress> publisher_;
};

}  // namespace landfall::progress
