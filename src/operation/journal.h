#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "base/result.h"
#include "operation/record_store.h"

namespace landfall::operation {

// What a run has done, line by line, so that another process can go on after a crash. Lines are one JSON text each.
//
// Lines gather in memory and are written together, as a record of their own, once a second or when somebody waits for
// them; all that wait at a time share one write. Records are put together now and then, so that a long run does not
// leave thousands. Two processes never write the same record, and what one of them half did is not there.
//
// A write that fails is tried again at the next turn, with everything since; the lines stay in memory until then,
// compressed. So does a copy of all that was written, to put it together without reading it again: some ten bytes a
// line. Thread-safe. It has a thread of its own.
class Journal {
 public:
  struct Options {
    Duration interval = std::chrono::seconds(1);
    std::size_t compact_after = 60;  // records
  };

  // Reads what there is; other records in the store than those of journals are left alone. kDataLoss for a record that
  // is damaged, and when lines are missing that came before others. The store and the clock outlive it.
  static Result<std::unique_ptr<Journal>> open(RecordStore& store, const Options& options, Clock& clock, Random& random,
                                               Logger log, const std::stop_token& stop);
  // Writes what is left, for a few seconds at most.
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  // What was there when it was opened, in the order in which it was written. May be asked for once: gives the memory
  // away.
  std::vector<std::string> take_found();

  // It will be written within the interval. Line breaks, which mean nothing in JSON, become blanks.
  void add(std::string line);
  // Returns once everything that was added so far is written; the last error when it is not by the deadline.
  Status flush(SteadyTime deadline, const std::stop_token& stop);

  // The run is over: nothing is left of it, and nothing is written any more. After an error it may be called again.
  Status remove(const std::stop_token& stop);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;

 public:
  explicit Journal(std::unique_ptr<Impl> impl);  // use open()
};

}  // namespace landfall::operation
