#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "plugin_local/settings.h"

namespace landfall::plugin_local {

inline constexpr std::string_view kNew = "New";
inline constexpr std::string_view kInProgress = "InProgress";
inline constexpr std::string_view kCompleted = "Completed";
inline constexpr std::string_view kFailed = "Failed";
inline constexpr std::string_view kCanceled = "Canceled";

enum class TaskKind { kSnapshot, kVolume };

struct Counts {
  std::int64_t total_bytes = 0;
  std::int64_t bytes_done = 0;
  std::int64_t changed_bytes = 0;  // that differ from the snapshot before it
  std::int64_t shared_bytes = 0;   // in files that took no space, being reflinks
  std::int64_t files = 0;

  friend bool operator==(const Counts&, const Counts&) = default;
};

// A snapshot, or a volume that is made of one, as state.json has it. Whoever registers it writes it once; from then on
// only the worker that holds the lock does.
struct Task {
  TaskKind kind = TaskKind::kSnapshot;
  std::string id;
  std::string volume_id;                    // the directory on the node that is read, or made
  std::string snapshot_id;                  // what a volume is made of
  std::map<std::string, std::string> tags;  // of the snapshot
  Settings settings;                        // as they were when it began; the directory is where it is found

  std::string phase{kNew};
  std::string message;
  std::optional<WallTime> started;
  std::optional<WallTime> completed;
  Counts counts;
  std::string previous;         // the snapshot that it is compared with
  std::string manifest_sha256;  // once it is completed

  std::string boot;           // of the machine on which the last worker began
  std::int64_t attempts = 0;  // workers in a row that got nothing done
  std::int64_t entries = 0;   // that were done when the last of them began
  std::string resource;       // the name of its VolumePluginBackup or -Restore
  bool is_reported = false;   // nobody has to write its end into that any more

  bool is_final() const { return phase == kCompleted || phase == kFailed || phase == kCanceled; }
};

// Where everything is below one directory of snapshots; format.md describes it.
class Layout {
 public:
  explicit Layout(std::string directory) : directory_(std::move(directory)) {}

  const std::string& directory() const { return directory_; }
  std::string folder(TaskKind kind) const;
  std::string folder(TaskKind kind, const std::string& id) const { return folder(kind) + "/" + id; }
  std::string file(const Task& task, std::string_view name) const {
    return folder(task.kind, task.id) + "/" + std::string(name);
  }
  std::string trash() const { return directory_ + "/trash"; }

 private:
  std::string directory_;
};

// IDs come from outside: only what can be a name of ours may become a part of a path. kInvalid otherwise.
Status check_id(std::string_view id);
std::vector<std::string> ids_in(const Layout& layout, TaskKind kind);

// kNotFound when there is none. With what the worker has counted last.
Result<Task> load_task(const Layout& layout, TaskKind kind, const std::string& id);
// On the disk, whole, when it returns.
Status save_task(const Layout& layout, const Task& task);
// Whole, but on the disk some time later: a machine that falls over loses a little of what has been counted.
Status save_counts(const Layout& layout, const Task& task, const Counts& counts);

// A mark that a worker looks for.
Status ask_to_cancel(const Layout& layout, const Task& task);
bool is_asked_to_cancel(const Layout& layout, const Task& task);

// What users should know: VolumePluginBackup.spec.pluginSpecific.
std::map<std::string, std::string> plugin_specific(const Task& task);

}  // namespace landfall::plugin_local
