#include "restic/restic_messages.h"

#include <cstring>

#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"

namespace landfall::restic {
namespace {

using json::Json;

std::optional<ByteCount> bytes_at(const Json& message, std::string_view field) {
  const auto count = json::int_at(message, {field});
  if (!count || *count < 0) return std::nullopt;
  return ByteCount(*count);
}

std::string current_of(const Json& message) {
  const Json* files = json::find(message, {"current_files"});
  if (files == nullptr || !files->is_array() || files->empty()) return "";
  return json::string_or(files->front(), {}, "");
}

StatusMessage status_of(const Json& message) {
  // A backup says bytes_done, a restore bytes_restored; either is left out while it is 0.
  auto done = bytes_at(message, "bytes_done");
  if (!done) done = bytes_at(message, "bytes_restored");
  return {.total = bytes_at(message, "total_bytes"),
          .done = done,
          .total_files = json::int_or(message, {"total_files"}, 0),
          .files_done = json::int_or(message, {"files_done"}, 0),
          .current = current_of(message)};
}

SummaryMessage summary_of(const Json& message) {
  auto total = bytes_at(message, "total_bytes_processed");
  if (!total) total = bytes_at(message, "total_bytes");
  auto added = bytes_at(message, "data_added_packed");
  if (!added) added = bytes_at(message, "data_added");
  return {.snapshot = json::string_or(message, {"snapshot_id"}, ""), .total = total, .added = added};
}

// Since 0.15 a text; before, what Go made of the error: {"Op":"open","Path":"f2","Err":13}, or {} where it shows
// nothing.
std::string cause_of(const Json& message) {
  if (std::string text = json::string_or(message, {"error", "message"}, ""); !text.empty()) return text;
  const auto number = json::int_at(message, {"error", "Err"});
  const std::string operation = json::string_or(message, {"error", "Op"}, "");
  if (!number) return operation.empty() ? "could not be read" : operation;
  const char* name = strerrordesc_np(static_cast<int>(*number));
  const std::string reason = name != nullptr ? name : "error " + std::to_string(*number);
  return operation.empty() ? reason : operation + ": " + reason;
}

// "Save(<data/adeed1842c>) returned error, retrying after 552ms: why", since 0.17 "Save(<data/adeed1842c>) failed:
// why". What is about no file names a kind instead: "List(lock)".
Message retry_of(std::string_view line) {
  const std::size_t name = line.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
  if (name == 0 || name == std::string_view::npos || line[name] != '(') return OtherMessage{};
  for (const std::string_view words : {") returned error, retrying after ", ") failed"}) {
    const std::size_t at = line.find(words);
    if (at == std::string_view::npos) continue;
    const auto parts = cut(line.substr(at + words.size()), ':');
    return RetryMessage{.what = std::string(parts ? trim(parts->second) : line)};
  }
  return OtherMessage{};
}

Message node_of(const Json& node) {
  const bool is_file = json::string_or(node, {"type"}, "") == "file";
  return NodeMessage{.path = json::string_or(node, {"path"}, ""),
                     .size = is_file ? bytes_at(node, "size") : std::nullopt};
}

Message item_of(const Json& message) {
  if (json::string_or(message, {"during"}, "") == "scan") return OtherMessage{};
  return ItemMessage{.item = json::string_or(message, {"item"}, ""), .what = cause_of(message)};
}

}  // namespace

Message parse_message(std::string_view line) {
  if (!line.starts_with('{')) return retry_of(line);
  const auto parsed = json::parse(line);
  if (!parsed) return OtherMessage{};
  const std::string type = json::string_or(*parsed, {"message_type"}, "");
  if (type == "status") return status_of(*parsed);
  if (type == "summary") return summary_of(*parsed);
  if (type == "error") return item_of(*parsed);
  if (type == "exit_error") return ExitMessage{.what = json::string_or(*parsed, {"message"}, "")};
  if (json::string_or(*parsed, {"struct_type"}, "") == "node") return node_of(*parsed);
  return OtherMessage{};
}

}  // namespace landfall::restic
