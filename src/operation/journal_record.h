#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

// What the records of a journal look like.
//
// A record is gzip over one or more sections: a line `["journal",1,START,WRITER,FIRST,COUNT]` and the COUNT lines that
// a process has written as its lines FIRST and on. Every section is a gzip member of its own, so that records are put
// together by putting their bytes together; and it says what it holds, so that it does no harm to find it twice. That
// is all there is to crashes between writing a record that holds others and removing those.
namespace landfall::operation {

// A process that writes to a journal. They sort in the order in which they have opened it.
struct JournalWriter {
  std::uint64_t start = 0;  // the sequence number that was free when it opened the journal
  std::string id;           // random
  friend auto operator<=>(const JournalWriter&, const JournalWriter&) = default;
};

// "0000000042-5f3c…": numbers go on from process to process, the writer's id keeps their names apart.
struct RecordName {
  std::uint64_t sequence = 0;
  std::string writer;
  friend auto operator<=>(const RecordName&, const RecordName&) = default;
};
std::string to_string(const RecordName& name);
// Nothing for what is no record of a journal.
std::optional<RecordName> parse_record_name(std::string_view text);

// Lines hold no line breaks; there is at least one.
std::string encode_section(const JournalWriter& writer, std::uint64_t first, const std::vector<std::string>& lines);

// Puts the lines of records in order. Not thread-safe.
class JournalReplay {
 public:
  // Whether it had anything that was not known yet. kDataLoss when it is damaged.
  Result<bool> add(std::string_view record);
  // All lines; kDataLoss when some are missing that came before others.
  Result<std::vector<std::string>> take();

 private:
  struct Section {
    std::uint64_t count = 0;
    std::string text;
  };
  std::map<JournalWriter, std::map<std::uint64_t, Section>> sections_;  // by their first lines
};

}  // namespace landfall::operation
