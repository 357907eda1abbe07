#include "operation/journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

#include "base/guarded.h"
#include "operation/journal_record.h"

namespace landfall::operation {
namespace {

constexpr auto kLastWrite = std::chrono::seconds(3);
// Longer than any store takes to notice a stop.
constexpr auto kEndOfWriter = std::chrono::seconds(30);
// How often reading starts over because another process puts records together meanwhile.
constexpr int kReadAttempts = 5;

// The names of a journal's records, newest first: one that holds others is newer than they are.
Result<std::vector<RecordName>> records_of(RecordStore& store, const std::stop_token& stop) {
  TRY_ASSIGN(const std::vector<std::string> names, "list the journal", store.list(stop));
  std::vector<RecordName> records;
  for (const std::string& name : names) {
    if (auto record = parse_record_name(name)) records.push_back(*std::move(record));
  }
  std::ranges::sort(records, std::greater<>());
  return records;
}

// What was there when a journal was opened.
struct Found {
  std::vector<std::string> lines;
  std::string bytes;  // the same as records have it
  std::set<RecordName> records;
};

Result<Found> read_records(RecordStore& store, const std::stop_token& stop) {
  TRY_ASSIGN(const std::vector<RecordName> records, "", records_of(store, stop));
  Found found;
  JournalReplay replay;
  for (const RecordName& record : records) {
    const std::string name = to_string(record);
    TRY_ASSIGN(const std::string bytes, "read journal record " + name, store.get(name, stop));
    TRY_ASSIGN(const bool is_new, "journal record " + name, replay.add(bytes));
    if (is_new) found.bytes += bytes;
    found.records.insert(record);
  }
  TRY_ASSIGN(found.lines, "journal", replay.take());
  return found;
}

Result<Found> read_journal(RecordStore& store, const std::stop_token& stop) {
  for (int attempt = 1;; ++attempt) {
    auto found = read_records(store, stop);
    // A record that was listed and is gone: its lines are in a newer one.
    if (found || found.error().code() != Code::kNotFound || attempt == kReadAttempts) return found;
  }
}

std::uint64_t next_sequence(const Found& found) {
  return found.records.empty() ? 1 : found.records.rbegin()->sequence + 1;
}

}  // namespace

struct Journal::Impl {
 public:
  Impl(RecordStore& store, const Options& options, Clock& clock, Random& random, Logger log, Found found)
      : store_(store),
        interval_(options.interval),
        compact_after_(std::max<std::size_t>(options.compact_after, 1)),
        clock_(clock),
        log_(std::move(log)),
        writer_{.start = next_sequence(found), .id = fmt::format("{:016x}", random.bits())},
        found_(std::move(found.lines)),
        sequence_(writer_.start),
        sealed_(std::move(found.bytes)),
        earlier_(std::move(found.records)),
        records_(earlier_.size()),
        thread_([this] { run(); }) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  ~Impl() {
    signal([](Shared& shared) { shared.is_closing = true; });
    if (!await_end({}, kLastWrite)) cut_.request_stop();
    thread_.join();
    const auto lost = shared_.with([](const Shared& shared) { return shared.added - shared.written; });
    if (lost > 0) log_.warning("the end of the journal could not be written", {{"lines", lost}});
  }

  std::vector<std::string> take_found() {
    return found_.with([](auto& found) { return std::exchange(found, {}); });
  }

  void add(std::string line) {
    std::ranges::replace(line, '\n', ' ');
    const SteadyTime due = clock_.after(interval_);
    // The writer has to hear of the first line only: it waits for the time from then on.
    const bool is_first = shared_.change_quietly([&](Shared& shared) {
      if (shared.is_removed) return false;
      const bool is_alone = shared.lines.empty();
      if (is_alone) {
        shared.due = due;
        ++shared.signals;
      }
      shared.lines.push_back(std::move(line));
      ++shared.added;
      return is_alone;
    });
    if (is_first) shared_.update([](Shared&) {});
  }

  Status flush(SteadyTime deadline, const std::stop_token& stop) {
    const std::uint64_t target = shared_.update([](Shared& shared) {
      if (shared.wanted < shared.added) {
        shared.wanted = shared.added;
        ++shared.signals;
      }
      return shared.added;
    });
    shared_.wait_until(clock_, stop, deadline,
                       [&](const Shared& shared) { return shared.written >= target || shared.is_removed; });
    return shared_.with([&](const Shared& shared) -> Status {
      if (shared.written >= target) return {};
      if (shared.is_removed) return fail(Code::kInvalid, "write the journal: it was removed");
      if (stop.stop_requested()) return fail(Code::kCancelled, "write the journal: stopped");
      if (shared.error) return fail("write the journal", *shared.error);
      return fail(Code::kTimeout, "write the journal: it was not done in time");
    });
  }

  Status remove(const std::stop_token& stop) {
    signal([](Shared& shared) {
      shared.is_removed = true;
      shared.lines.clear();
    });
    cut_.request_stop();
    if (!await_end(stop, kEndOfWriter)) {
      return fail(stop.stop_requested() ? Code::kCancelled : Code::kTimeout, "remove the journal: it is still written");
    }
    TRY_ASSIGN(const std::vector<RecordName> records, "remove the journal", records_of(store_, stop));
    // Newest first: what is left after a crash is a journal that ends earlier, not one with holes.
    for (const RecordName& record : records) TRY("remove the journal", store_.remove(to_string(record), stop));
    return {};
  }

 private:
  struct Shared {
    std::vector<std::string> lines;  // that the writer has not taken yet
    SteadyTime due;                  // of the first of them
    std::uint64_t added = 0;
    std::uint64_t wanted = 0;   // somebody waits for so many
    std::uint64_t written = 0;  // so many are in the store
    std::optional<Error> error;
    std::uint64_t signals = 0;  // something that the writer must know of at once
    bool is_closing = false;
    bool is_removed = false;
    bool has_ended = false;  // the writer
  };

  enum class Turn { kWrite, kTidy, kEnd };
  struct Decision {
    std::optional<Turn> turn;
    SteadyTime look_again = kNever;
    std::uint64_t signals = 0;
  };

  void signal(const std::function<void(Shared&)>& change) {
    shared_.update([&](Shared& shared) {
      change(shared);
      ++shared.signals;
    });
  }

  bool await_end(const std::stop_token& stop, Duration patience) {
    return shared_.wait_until(clock_, stop, clock_.after(patience),
                              [](const Shared& shared) { return shared.has_ended; });
  }

  // From here on: the writer's thread.

  void run() {
    for (Turn turn = next_turn(); turn != Turn::kEnd; turn = next_turn()) {
      if (turn == Turn::kWrite) {
        write();
      } else if (const Status done = tidy(); !done) {
        // Nothing depends on it.
        log_.debug("the journal's records could not be put together", {LogField(done.error())});
        tidy_after_ = clock_.after(interval_);
      }
    }
    signal([](Shared& shared) { shared.has_ended = true; });
  }

  Turn next_turn() {
    while (true) {
      const Decision decision = shared_.with([this](const Shared& shared) { return decide(shared); });
      if (decision.turn) return *decision.turn;
      shared_.wait_until(clock_, {}, decision.look_again,
                         [&](const Shared& shared) { return shared.signals != decision.signals; });
    }
  }

  Decision decide(const Shared& shared) {
    if (shared.is_removed) return {.turn = Turn::kEnd};
    const bool has_lines = !shared.lines.empty() || !unsent_.empty();
    if (shared.is_closing) {
      return {.turn = has_lines && !std::exchange(is_last_try_, true) ? Turn::kWrite : Turn::kEnd};
    }
    const SteadyTime now = clock_.now();
    SteadyTime write_at = kNever;
    if (has_lines) {
      const bool is_due = shared.wanted > shared.written || !unsent_.empty();
      write_at = std::max(is_due ? now : shared.due, retry_at_);
    }
    if (write_at <= now) return {.turn = Turn::kWrite};
    const SteadyTime tidy_at = has_to_tidy() ? tidy_after_ : kNever;
    if (tidy_at <= now) return {.turn = Turn::kTidy};
    return {.look_again = std::min(write_at, tidy_at), .signals = shared.signals};
  }

  std::string next_name() { return to_string(RecordName{sequence_++, writer_.id}); }

  // Every attempt has a name of its own: one that was given up may still come to pass, and must not replace a later
  // one that holds more.
  void write() {
    std::vector<std::string> lines;
    const std::uint64_t end = shared_.update([&](Shared& shared) {
      lines.swap(shared.lines);
      return shared.added;
    });
    if (!lines.empty()) unsent_ += encode_section(writer_, end - lines.size(), lines);
    const Status put = store_.put(next_name(), unsent_, cut_.get_token());
    if (put) {
      sealed_ += unsent_;
      unsent_.clear();
      ++records_;
    }
    retry_at_ = put ? SteadyTime::min() : clock_.after(interval_);
    report(put);
    shared_.update([&](Shared& shared) {
      if (put) shared.written = end;
      shared.error = put ? std::nullopt : std::optional(put.error());
    });
  }

  void report(const Status& put) {
    if (put.has_value() != is_failing_) return;
    is_failing_ = !put;
    if (put) return log_.info("the journal can be written again");
    log_.warning("the journal cannot be written, it is tried again and again", {LogField(put.error())});
  }

  bool has_to_tidy() const { return records_ > compact_after_ || must_look_ || !covered_.empty(); }

  // One step, so that nobody waits for more than one call.
  Status tidy() {
    if (records_ > compact_after_) return compact();
    if (must_look_) return find_covered();
    TRY("", store_.remove(to_string(covered_.back()), cut_.get_token()));
    earlier_.erase(covered_.back());
    covered_.pop_back();
    return {};
  }

  Status compact() {
    const std::uint64_t sequence = sequence_;
    TRY("", store_.put(next_name(), sealed_, cut_.get_token()));
    compacted_ = sequence;
    records_ = 1;
    must_look_ = true;
    return {};
  }

  // What the record that holds all has made superfluous: what was found at first, and everything that we wrote before,
  // those among it that seemed to fail. What another process writes, which should not, is left alone.
  Status find_covered() {
    TRY_ASSIGN(covered_, "", records_of(store_, cut_.get_token()));
    std::erase_if(covered_, [this](const RecordName& name) {
      const bool is_ours = name.writer == writer_.id && name.sequence < compacted_;
      return !is_ours && !earlier_.contains(name);
    });
    must_look_ = false;
    return {};
  }

  RecordStore& store_;
  const Duration interval_;
  const std::size_t compact_after_;
  Clock& clock_;
  const Logger log_;
  const JournalWriter writer_;
  Guarded<std::vector<std::string>> found_;
  Monitor<Shared> shared_;
  std::stop_source cut_;  // ends calls to the store

  // The writer's own.
  std::uint64_t sequence_;
  std::string unsent_;            // sections that no put has taken yet
  std::string sealed_;            // all sections in the store
  std::set<RecordName> earlier_;  // records of earlier processes, which sealed_ holds
  std::size_t records_;           // about as many are in the store
  std::uint64_t compacted_ = 0;   // the number of the last record that held all
  bool must_look_ = false;        // for what it covers
  std::vector<RecordName> covered_;
  SteadyTime retry_at_ = SteadyTime::min();
  SteadyTime tidy_after_ = SteadyTime::min();
  bool is_failing_ = false;
  bool is_last_try_ = false;

  std::thread thread_;  // last: it uses all of the above
};

Result<std::unique_ptr<Journal>> Journal::open(RecordStore& store, const Options& options, Clock& clock, Random& random,
                                               Logger log, const std::stop_token& stop) {
  TRY_ASSIGN(Found found, "", read_journal(store, stop));
  return std::make_unique<Journal>(
      std::make_unique<Impl>(store, options, clock, random, std::move(log), std::move(found)));
}

Journal::Journal(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Journal::~Journal() = default;

std::vector<std::string> Journal::take_found() { return impl_->take_found(); }
void Journal::add(std::string line) { impl_->add(std::move(line)); }
Status Journal::flush(SteadyTime deadline, const std::stop_token& stop) { return impl_->flush(deadline, stop); }
Status Journal::remove(const std::stop_token& stop) { return impl_->remove(stop); }

}  // namespace landfall::operation
