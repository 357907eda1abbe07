#include "progress/publisher_core.h"

#include <pthread.h>

#include <algorithm>
#include <utility>

namespace landfall::progress {
namespace {

// An interval of nothing would sample without a pause.
constexpr Duration kLeastInterval = std::chrono::milliseconds(1);

// For debuggers and top; the kernel keeps 15 characters.
void name_this_thread(std::string_view name) {
  pthread_setname_np(pthread_self(), std::string(name.substr(0, 15)).c_str());
}

}  // namespace

PublisherCore::PublisherCore(Clock& clock, Logger log, Same same, Sample sample)
    : clock_(clock), log_(std::move(log)), same_(same), sample_(std::move(sample)) {}

PublisherCore::~PublisherCore() {
  auto threads = threads_.with([](std::vector<std::jthread>& all) { return std::exchange(all, {}); });
  for (std::jthread& thread : threads) {
    thread.request_stop();  // all of them, before the first is waited for
  }
}

void PublisherCore::publish(Value value) {
  const bool is_awaited = board_.with([&](Board& board) {
    if (board.closed || (board.newest && same_(board.newest.get(), value.get()))) {
      return false;
    }
    board.newest = std::move(value);
    ++board.version;
    return std::exchange(board.is_awaited, false);
  });
  // Subscribers that rest between two deliveries are left alone, however often something is published.
  if (is_awaited) {
    ring();
  }
}

void PublisherCore::refresh() {
  if (sample_) {
    const std::scoped_lock in_order(sampling_);
    publish(sample_());
  }
}

void PublisherCore::subscribe(std::string name, Duration interval, Deliver deliver) {
  const SteadyTime now = clock_.now();
  Subscriber subscriber{.index = 0,
                        .name = std::move(name),
                        .interval = std::max(interval, kLeastInterval),
                        .deliver = std::move(deliver),
                        .value = nullptr,
                        .earliest = now,
                        .tick = now};
  threads_.with([&](std::vector<std::jthread>& threads) {
    subscriber.index = board_.with([&](Board& board) {
      board.subscribers.push_back({.name = subscriber.name, .error = {}});
      return board.subscribers.size() - 1;
    });
    threads.emplace_back([this, own = std::move(subscriber)](const std::stop_token& stop) mutable { run(own, stop); });
  });
}

Status PublisherCore::flush(SteadyTime deadline, const std::stop_token& stop) {
  refresh();
  const std::uint64_t version = board_.with([](Board& board) { return board.urgent = board.version; });
  ring();
  return await_taken(version, deadline, stop);
}

Status PublisherCore::close(SteadyTime deadline, const std::stop_token& stop) {
  refresh();
  const std::uint64_t version = board_.with([](Board& board) {
    board.closed = true;
    return board.urgent = board.version;
  });
  ring();
  Status status = await_taken(version, deadline, stop);
  threads_.with([](std::vector<std::jthread>& threads) {
    std::ranges::for_each(threads, [](std::jthread& thread) { thread.request_stop(); });
  });
  return status;
}

void PublisherCore::run(Subscriber& subscriber, const std::stop_token& stop) {
  name_this_thread("progress-" + subscriber.name);
  while (await_turn(subscriber, stop)) {
    refresh();
    deliver_newest(subscriber, stop);
  }
}

bool PublisherCore::await_turn(Subscriber& subscriber, const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const std::uint64_t heard = bell_.copy();  // before looking, so that nothing is missed in between
    SteadyTime wake = kNever;
    const Turn turn = board_.with([&](Board& board) { return look(board, subscriber, wake); });
    if (turn != Turn::kRest) {
      return turn == Turn::kWork;
    }
    bell_.wait_until(clock_, stop, wake, [&](std::uint64_t rings) { return rings != heard; });
  }
  return false;
}

PublisherCore::Turn PublisherCore::look(Board& board, const Subscriber& subscriber, SteadyTime& wake) const {
  const SteadyTime now = clock_.now();
  if (board.version == subscriber.taken) {
    if (board.closed) {
      return Turn::kEnd;
    }
    // Only when the first value is out do samples count: before that there may be nothing to show yet.
    wake = sample_ && board.version > 0 ? subscriber.tick : kNever;
    board.is_awaited = true;
  } else {
    const bool is_urgent = subscriber.taken < board.urgent && subscriber.failures == 0;
    wake = is_urgent ? now : subscriber.earliest;
  }
  return now >= wake ? Turn::kWork : Turn::kRest;
}

void PublisherCore::deliver_newest(Subscriber& subscriber, const std::stop_token& stop) {
  const SteadyTime next = clock_.after(subscriber.interval);
  subscriber.tick = next;
  const auto [value, version] = board_.with([](const Board& board) { return std::pair(board.newest, board.version); });
  if (version == subscriber.taken) {
    return;
  }
  // It may have changed and changed back.
  if (subscriber.value && same_(subscriber.value.get(), value.get())) {
    record(subscriber, version, {});
    return;
  }
  // No lock is held here: delivering may take its time, and nobody else is to wait for it.
  const Status status = subscriber.deliver(value.get(), stop);
  subscriber.earliest = status ? next : clock_.after(subscriber.interval);
  subscriber.value = status ? value : nullptr;  // one that failed may have taken effect all the same
  record(subscriber, version, status);
}

void PublisherCore::record(Subscriber& subscriber, std::uint64_t version, const Status& status) {
  if (!status) {
    // One line for an outage, not one a second.
    if (subscriber.failures++ == 0) {
      log_.warning("progress could not be published; it is tried again with the newest value",
                   {{"subscriber", subscriber.name}, LogField(status.error())});
    }
  } else {
    subscriber.taken = version;
    if (const auto failures = std::exchange(subscriber.failures, 0); failures > 0) {
      log_.info("progress is published again", {{"subscriber", subscriber.name}, {"failures", failures}});
    }
  }
  board_.with([&](Board& board) {
    Listed& listed = board.subscribers.at(subscriber.index);
    listed.taken = subscriber.taken;
    listed.error = status ? "" : status.error().message();
  });
  ring();
}

Status PublisherCore::await_taken(std::uint64_t version, SteadyTime deadline, const std::stop_token& stop) {
  for (bool is_time_left = true;;) {
    const std::uint64_t heard = bell_.copy();
    const std::string late = board_.with([&](const Board& board) { return names_behind(board, version); });
    if (late.empty()) {
      return {};
    }
    if (!is_time_left) {
      return stop.stop_requested() ? fail(Code::kCancelled, "stopped while waiting for progress to reach " + late)
                                   : fail(Code::kTimeout, "progress did not reach " + late + " in time");
    }
    is_time_left = bell_.wait_until(clock_, stop, deadline, [&](std::uint64_t rings) { return rings != heard; }) &&
                   clock_.now() < deadline;
  }
}

std::string PublisherCore::names_behind(const Board& board, std::uint64_t version) {
  std::string names;
  for (const Listed& listed : board.subscribers) {
    if (listed.taken < version) {
      names += (names.empty() ? "" : ", ") + listed.name;
      names += listed.error.empty() ? "" : " (" + listed.error + ")";
    }
  }
  return names;
}

void PublisherCore::ring() {
  bell_.update([](std::uint64_t& rings) { ++rings; });
}

}  // namespace landfall::progress
