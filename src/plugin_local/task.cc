#include "plugin_local/task.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "base/quote.h"
#include "base/rfc3339.h"
#include "io/file.h"
#include "json/access.h"
#include "json/json.h"
#include "json/parse.h"

namespace landfall::plugin_local {
namespace {

using json::Json;

constexpr std::size_t kLargestState = std::size_t{1} << 20U;
constexpr std::int64_t kFormat = 1;

Json json_of(const Counts& counts) {
  return {{"totalBytes", counts.total_bytes},
          {"bytesDone", counts.bytes_done},
          {"changedBytes", counts.changed_bytes},
          {"sharedBytes", counts.shared_bytes},
          {"files", counts.files}};
}

Counts counts_in(const Json& document) {
  return {.total_bytes = json::int_or(document, {"totalBytes"}, 0),
          .bytes_done = json::int_or(document, {"bytesDone"}, 0),
          .changed_bytes = json::int_or(document, {"changedBytes"}, 0),
          .shared_bytes = json::int_or(document, {"sharedBytes"}, 0),
          .files = json::int_or(document, {"files"}, 0)};
}

std::optional<WallTime> time_in(const Json& document, std::string_view key) {
  const auto time = parse_rfc3339(json::string_or(document, {key}, ""));
  if (!time) return std::nullopt;
  return *time;
}

Json json_of(const Task& task) {
  Json document = {{"format", kFormat},
                   {"kind", task.kind == TaskKind::kSnapshot ? "snapshot" : "volume"},
                   {"id", task.id},
                   {"volumeID", task.volume_id},
                   {"tags", task.tags},
                   {"settings",
                    {{"root", task.settings.root},
                     {"volumes", task.settings.volumes},
                     {"progress", to_string(task.settings.progress)},
                     {"bytesPerSecond", task.settings.bytes_per_second}}},
                   {"phase", task.phase},
                   {"message", task.message},
                   {"counts", json_of(task.counts)},
                   {"worker", {{"boot", task.boot}, {"attempts", task.attempts}, {"entries", task.entries}}},
                   {"resource", task.resource},
                   {"isReported", task.is_reported}};
  if (!task.snapshot_id.empty()) document["snapshotID"] = task.snapshot_id;
  if (!task.previous.empty()) document["previous"] = task.previous;
  if (!task.manifest_sha256.empty()) document["manifestSHA256"] = task.manifest_sha256;
  if (task.started) document["started"] = format_rfc3339_nano(*task.started);
  if (task.completed) document["completed"] = format_rfc3339_nano(*task.completed);
  return document;
}

Result<Task> task_in(const Json& document, const std::string& directory) {
  if (json::int_or(document, {"format"}, 0) != kFormat) {
    return fail(Code::kUnsupported, "written by another release: its format is not " + std::to_string(kFormat));
  }
  Task task;
  task.kind = json::string_or(document, {"kind"}, "") == "volume" ? TaskKind::kVolume : TaskKind::kSnapshot;
  TRY_ASSIGN(task.id, "", json::string_at(document, {"id"}));
  TRY_ASSIGN(task.volume_id, "", json::string_at(document, {"volumeID"}));
  TRY("volumeID", check_path(task.volume_id));
  TRY_ASSIGN(task.tags, "", json::string_map_at(document, {"tags"}));
  TRY_ASSIGN(task.phase, "", json::string_at(document, {"phase"}));
  task.snapshot_id = json::string_or(document, {"snapshotID"}, "");
  if (!task.snapshot_id.empty()) TRY("snapshotID", check_id(task.snapshot_id));
  task.settings.directory = directory;
  task.settings.root = json::string_or(document, {"settings", "root"}, "");
  task.settings.volumes = json::string_or(document, {"settings", "volumes"}, "");
  TRY_ASSIGN(task.settings.progress, "",
             parse_progress_way(json::string_or(document, {"settings", "progress"}, "auto")));
  task.settings.bytes_per_second = json::int_or(document, {"settings", "bytesPerSecond"}, 0);
  task.message = json::string_or(document, {"message"}, "");
  task.started = time_in(document, "started");
  task.completed = time_in(document, "completed");
  if (const Json* counts = json::find(document, {"counts"})) task.counts = counts_in(*counts);
  task.previous = json::string_or(document, {"previous"}, "");
  task.manifest_sha256 = json::string_or(document, {"manifestSHA256"}, "");
  task.boot = json::string_or(document, {"worker", "boot"}, "");
  task.attempts = json::int_or(document, {"worker", "attempts"}, 0);
  task.entries = json::int_or(document, {"worker", "entries"}, 0);
  task.resource = json::string_or(document, {"resource"}, "");
  task.is_reported = json::bool_or(document, {"isReported"}, false);
  return task;
}

}  // namespace

std::string Layout::folder(TaskKind kind) const {
  return directory_ + (kind == TaskKind::kSnapshot ? "/snapshots" : "/volumes");
}

Status check_id(std::string_view id) {
  constexpr std::size_t kLongest = 63;
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  if (id.empty() || id.size() > kLongest || id.front() == '-' || !std::ranges::all_of(id, fits)) {
    return fail(Code::kInvalid, quote(std::string(id.substr(0, kLongest))) + " is not an ID of this plugin");
  }
  return {};
}

std::vector<std::string> ids_in(const Layout& layout, TaskKind kind) {
  std::vector<std::string> ids;
  std::error_code error;
  for (std::filesystem::directory_iterator one(layout.folder(kind), error), end; !error && one != end;
       one.increment(error)) {
    std::string id = one->path().filename().string();
    if (check_id(id)) ids.push_back(std::move(id));
  }
  std::ranges::sort(ids);
  return ids;
}

Result<Task> load_task(const Layout& layout, TaskKind kind, const std::string& id) {
  TRY("", check_id(id));
  const std::string folder = layout.folder(kind, id);
  auto text = io::read_file(folder + "/state.json", kLargestState);
  if (!text && text.error().code() == Code::kNotFound) {
    return fail(Code::kNotFound, (kind == TaskKind::kSnapshot ? "no snapshot " : "no volume ") + id);
  }
  if (!text) return tl::unexpected(std::move(text).error());
  const auto context = [&] { return folder + "/state.json"; };
  TRY_ASSIGN(const Json document, context(), json::parse(*text));
  TRY_ASSIGN(Task task, context(), task_in(document, layout.directory()));
  if (task.id != id || task.kind != kind) return fail(Code::kDataLoss, context() + ": is of another one: " + task.id);
  if (task.is_final()) return task;
  const auto counted = io::read_file(folder + "/progress.json", kLargestState);
  if (!counted) return task;
  const auto counts = json::parse(*counted);
  if (counts) task.counts = counts_in(*counts);
  return task;
}

Status save_task(const Layout& layout, const Task& task) {
  return io::write_file(layout.file(task, "state.json"), json::dump_pretty(json_of(task)) + "\n");
}

Status save_counts(const Layout& layout, const Task& task, const Counts& counts) {
  const std::string path = layout.file(task, "progress.json");
  const std::string next = path + ".next";
  // NOLINTNEXTLINE(*-vararg): it is how it is
  const io::Descriptor file(::open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return tl::unexpected(io::errno_error("create " + next, errno));
  TRY("write " + next, io::write_descriptor(file.get(), json::dump(json_of(counts))));
  if (std::rename(next.c_str(), path.c_str()) != 0) return tl::unexpected(io::errno_error("rename " + next, errno));
  return {};
}

Status ask_to_cancel(const Layout& layout, const Task& task) { return io::write_file(layout.file(task, "cancel"), ""); }

bool is_asked_to_cancel(const Layout& layout, const Task& task) {
  return ::access(layout.file(task, "cancel").c_str(), F_OK) == 0;
}

std::map<std::string, std::string> plugin_specific(const Task& task) {
  std::map<std::string, std::string> told = {{"files", std::to_string(task.counts.files)},
                                             {"directory", task.volume_id},
                                             {"reflinkedBytes", std::to_string(task.counts.shared_bytes)}};
  if (task.kind == TaskKind::kSnapshot) {
    told["incrementalBytes"] = std::to_string(task.counts.changed_bytes);
    if (!task.previous.empty()) told["previousSnapshot"] = task.previous;
  }
  return told;
}

}  // namespace landfall::plugin_local
