#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/bytes.h"

// What restic says with --json, a line each, on both outputs.
namespace landfall::restic {

// How far a backup or a restore is.
struct StatusMessage {
  std::optional<ByteCount> total;  // so far: it grows while restic still looks for files
  std::optional<ByteCount> done;   // none as long as it only looks
  std::int64_t total_files = 0;    // so far
  std::int64_t files_done = 0;
  std::string current;  // a file that it is at

  bool operator==(const StatusMessage&) const = default;
};

// How a backup or a restore ended.
struct SummaryMessage {
  std::string snapshot;  // of a backup; releases before 0.17 shorten it
  std::optional<ByteCount> total;
  std::optional<ByteCount> added;
};

// Something went wrong with one file. What goes wrong while restic only counts what there is to do is none: the file
// may be in the snapshot all the same, and if it is not, another message says so.
struct ItemMessage {
  std::string item;
  std::string what;
};

// Why the program ends (0.17 and later).
struct ExitMessage {
  std::string what;
};

// It could not reach the repository and tries again. Text, not JSON, in all releases.
struct RetryMessage {
  std::string what;
};

// Something in a snapshot, from `ls`. A byte of its path that is not UTF-8 is a U+FFFD.
struct NodeMessage {
  std::string path;               // from the root of the snapshot
  std::optional<ByteCount> size;  // of a file
};

// Anything else.
struct OtherMessage {};

using Message =
    std::variant<OtherMessage, StatusMessage, SummaryMessage, ItemMessage, ExitMessage, RetryMessage, NodeMessage>;

// Never fails: a line that was cut, is too long or makes no sense is an OtherMessage.
Message parse_message(std::string_view line);

}  // namespace landfall::restic
