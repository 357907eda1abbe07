#include "operation/run_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ranges>
#include <span>
#include <utility>

#include "base/log_format.h"
#include "io/gzip_writer.h"

namespace landfall::operation {
namespace {

std::optional<std::string> text_of(const LogEntry& entry, std::string_view key) {
  // The innermost of several counts.
  for (const LogField& field : std::views::reverse(entry.fields)) {
    if (field.key != key) continue;
    if (const auto* text = std::get_if<std::string>(&field.value)) return *text;
  }
  return std::nullopt;
}

std::string message_of(const LogEntry& entry) {
  std::string out;
  if (const auto resource = text_of(entry, "resource")) out += fmt::format(" resource: /{}", *resource);
  if (const auto name = text_of(entry, "name")) out += fmt::format(" name: /{}", *name);
  out += fmt::format(" message: /{}", entry.message);
  if (const auto error = text_of(entry, "error")) out += fmt::format(" error: /{}", *error);
  return out;
}

void collect(const LogEntry& entry, ResultList& list) {
  const auto name_space = text_of(entry, "namespace");
  if (!name_space) return list.add_to_run(message_of(entry));
  list.add_to_namespace(*name_space, message_of(entry));
}

}  // namespace

Result<std::shared_ptr<RunLog>> RunLog::create(const std::string& directory, io::LogFormat format) {
  TRY_ASSIGN(io::SpoolFile file, "log of a run", io::SpoolFile::create(directory));
  return std::make_shared<RunLog>(std::move(file), directory, format);
}

RunLog::RunLog(io::SpoolFile file, std::string directory, io::LogFormat format)
    : format_(format), directory_(std::move(directory)), state_(State{.text = std::move(file)}) {}

void RunLog::write(const LogEntry& entry) {
  const std::string line = format_ == io::LogFormat::kJson ? format_json(entry) : format_text(entry);
  // Writing under the lock: lines must not mix, and a temporary file takes them as fast as memory does.
  state_.with([&](State& state) {
    if (state.is_finished || !state.text.write(line)) {
      ++state.lost;
    }
    if (entry.level >= LogLevel::kError) collect(entry, state.results.errors);
    if (entry.level == LogLevel::kWarning) collect(entry, state.results.warnings);
  });
}

std::int64_t RunLog::errors() const {
  return state_.with([](const State& state) { return state.results.errors.count(); });
}

std::int64_t RunLog::warnings() const {
  return state_.with([](const State& state) { return state.results.warnings.count(); });
}

Results RunLog::results() const {
  return state_.with([](const State& state) { return state.results; });
}

std::int64_t RunLog::lost() const {
  return state_.with([](const State& state) { return state.lost; });
}

Result<std::string> RunLog::read(std::uint64_t offset, std::size_t limit) const {
  return state_.with([&](const State& state) -> Result<std::string> {
    if (offset >= state.text.size()) return std::string();
    std::string text(std::min<std::uint64_t>(limit, state.text.size() - offset), '\0');
    TRY("log of a run", state.text.read_at(offset, std::span(text.data(), text.size())));
    return text;
  });
}

Result<std::shared_ptr<const io::SpoolFile>> RunLog::finish() {
  const auto known = state_.with([](State& state) {
    state.is_finished = true;
    return state.compressed;
  });
  if (known) return known;
  // Nobody writes to the text any more: it can be read without the lock.
  const auto size = state_.with([](const State& state) { return state.text.size(); });
  TRY_ASSIGN(io::SpoolFile out, "log of a run", io::SpoolFile::create(directory_));
  io::GzipWriter gzip(out);
  constexpr std::size_t kPiece = 256UL * 1024;
  for (std::uint64_t offset = 0; offset < size; offset += kPiece) {
    TRY_ASSIGN(const std::string piece, "", read(offset, kPiece));
    TRY("log of a run", gzip.write(piece));
  }
  TRY("log of a run", gzip.close());
  TRY("log of a run", out.close());
  auto made = std::make_shared<const io::SpoolFile>(std::move(out));
  return state_.with([&](State& state) {
    if (!state.compressed) state.compressed = std::move(made);
    return state.compressed;
  });
}

}  // namespace landfall::operation
