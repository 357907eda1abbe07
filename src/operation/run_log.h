#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/guarded.h"
#include "base/log.h"
#include "base/result.h"
#include "io/log_sink.h"
#include "io/spool_file.h"
#include "operation/results.h"

namespace landfall::operation {

// The log of one backup or restore: every line in a temporary file without a name, to be read while the run goes on and
// stored at its end; and, since a backup is judged by its log, its errors and warnings counted and collected.
//
// Give it to Logger::also_to(). Thread-safe; entries that come after finish() are counted as lost.
class RunLog final : public LogSink {
 public:
  static Result<std::shared_ptr<RunLog>> create(const std::string& directory, io::LogFormat format);
  RunLog(io::SpoolFile file, std::string directory, io::LogFormat format);  // use create()

  void write(const LogEntry& entry) override;

  std::int64_t errors() const;
  std::int64_t warnings() const;
  // As Velero rebuilds them from its log: " resource: /pods name: /db-0 message: /… error: /…", in the namespace of the
  // entry; without a field of that name among those of the run.
  Results results() const;
  // Lines that could not be written: the disk is full.
  std::int64_t lost() const;

  // Text from an offset on, at most `limit` bytes; empty when there is no more so far.
  Result<std::string> read(std::uint64_t offset, std::size_t limit) const;

  // Ends the log and compresses it into a file of its own, once; later calls return the same.
  Result<std::shared_ptr<const io::SpoolFile>> finish();

 private:
  struct State {
    io::SpoolFile text;
    std::shared_ptr<const io::SpoolFile> compressed;
    Results results;
    std::int64_t lost = 0;
    bool is_finished = false;
  };
  const io::LogFormat format_;
  const std::string directory_;
  Guarded<State> state_;
};

}  // namespace landfall::operation
