#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "io/descriptor.h"
#include "plugin_local/entry.h"

namespace landfall::plugin_local {

// A file of entries, one a line, in the order in which they were finished. The manifest of a snapshot is one that is
// whole; that of a worker which was killed may end within a line, and then holds what stands before it.
class JournalWriter {
 public:
  static Result<JournalWriter> create(const std::string& path);

  // In the file when it returns, so that the death of the process does not take it away.
  Status add(const Entry& entry);
  // On the disk when it returns.
  Status sync();

 private:
  JournalWriter(std::string path, io::Descriptor file) : path_(std::move(path)), file_(std::move(file)) {}
  std::string path_;
  io::Descriptor file_;
};

enum class Ending { kMustBeWhole, kMayBeTorn };

// Visits the entries. No such file is kNotFound; a line that cannot be read is kDataLoss.
Status read_journal(const std::string& path, Ending ending, const std::function<Status(Entry)>& visit);

// The digest of a whole file, in hex.
Result<std::string> digest_of(const std::string& path);

}  // namespace landfall::plugin_local
