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
  std::string current;             // a file that it is at
};

// How a backup or a restore ended.
struct SummaryMessage {
  std::string snapshot;  // of a backup; releases before 0.17 shorten it
  std::optional<ByteCount> total;
  std::optional<ByteCount> added;
};

// Something went wrong with one file.
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

// A file of a snapshot, from `ls`.
struct FileMessage {
  std::string path;  // from the root of the snapshot
  ByteCount size;
};

// A link, a pipe, a device: neither a file nor a directory.
struct SpecialMessage {
  std::string path;  // from the root of the snapshot
};

// Anything else.
struct OtherMessage {};

using Message = std::variant<OtherMessage, StatusMessage, SummaryMessage, ItemMessage, ExitMessage, RetryMessage,
                             FileMessage, SpecialMessage>;

// Never fails: a line that was cut, is too long or makes no sense is an OtherMessage.
Message parse_message(std::string_view line);

}  // namespace landfall::restic
