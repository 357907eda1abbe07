#include "plugin_local/local_snapshotter.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "base/quote.h"
#include "base/strings.h"
#include "json/access.h"
#include "json/json.h"
#include "plugin_local/progress_resource.h"
#include "plugin_local/task_lock.h"
#include "plugin_local/tree.h"
#include "plugin_local/worker.h"

namespace landfall::plugin_local {
namespace {

namespace fs = std::filesystem;

constexpr Duration kWorkerStart = std::chrono::seconds(60);
constexpr Duration kWorkerEnd = std::chrono::seconds(60);
constexpr Duration kBetweenLooks = std::chrono::milliseconds(50);
// How long after its end one can still ask how a volume was made.
constexpr Duration kVolumesAreKnown = std::chrono::days(30);

Status make_directories(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return fail(Code::kInternal, "create " + path + ": " + error.message());
  return {};
}

Status make_private_directory(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return {};
  return tl::unexpected(io::errno_error("create " + path, errno));
}

// The directory of a PersistentVolume, in place.
json::Json* path_in(json::Json& volume) {
  if (json::Json* path = json::find(volume, {"spec", "local", "path"})) return path;
  return json::find(volume, {"spec", "hostPath", "path"});
}

bool is_within(const fs::path& inner, const fs::path& outer) {
  const auto [a, b] = std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end());
  return a == outer.end();
}

// A copy into itself would never end.
Status check_apart(const std::string& volume, const std::string& directory) {
  std::error_code error;
  const fs::path source = fs::weakly_canonical(volume, error);
  const fs::path target = fs::weakly_canonical(directory, error);
  if (!is_within(source, target) && !is_within(target, source)) return {};
  return fail(Code::kInvalid,
              "the volume " + volume + " and the directory of the snapshots, " + directory + ", lie within each other");
}

bool needs_worker(const Task& task) { return !task.is_final() || !task.is_reported; }

}  // namespace

LocalSnapshotter::LocalSnapshotter(Settings settings, LocalParts parts)
    : settings_(std::move(settings)), parts_(std::move(parts)), layout_(settings_.directory) {}

Result<std::unique_ptr<LocalSnapshotter>> LocalSnapshotter::open(Settings settings, LocalParts parts) {
  // NOLINTNEXTLINE(cppcoreguidelines-owning-memory): the constructor is private
  std::unique_ptr<LocalSnapshotter> opened(
      new LocalSnapshotter(std::move(settings), std::move(parts)));  // allow-call: private constructor
  TRY("", opened->make_directories());
  opened->tidy_up();
  opened->revive_all();
  return opened;
}

Status LocalSnapshotter::make_directories() const {
  TRY("", plugin_local::make_directories(settings_.directory));
  for (const std::string& path :
       {layout_.folder(TaskKind::kSnapshot), layout_.folder(TaskKind::kVolume), layout_.trash()}) {
    TRY("", make_private_directory(path));
  }
  return {};
}

// What deletions left that were cut short. Others may be at it too, and what fails is tried again some time.
void LocalSnapshotter::tidy_up() const {
  auto trash = Tree::open(layout_.trash());
  if (!trash) return;
  const auto names = trash->names_in(".");
  if (!names) return;
  for (const std::string& name : *names) {
    const Status removed = trash->remove(name);
    if (!removed) parts_.log.warning("What was deleted is still there", {LogField(removed.error())});
  }
}

void LocalSnapshotter::revive_all() const {
  for (const TaskKind kind : {TaskKind::kSnapshot, TaskKind::kVolume}) {
    for (const std::string& id : ids_in(layout_, kind)) {
      const auto looked = look_after(kind, id, {});
      if (!looked && looked.error().code() != Code::kNotFound) {
        parts_.log.warning("Cannot go on with a copy", {{"id", id}, LogField(looked.error())});
      }
      if (looked && kind == TaskKind::kVolume) forget_if_old(*looked);
    }
  }
}

// Nobody ever deletes these, as nobody tells the plugin that a volume is gone. Only the state goes: the volume itself
// is elsewhere, and its owner's.
void LocalSnapshotter::forget_if_old(const Task& volume) const {
  if (needs_worker(volume) || !volume.completed) return;
  if (parts_.clock.wall_now() - *volume.completed <= kVolumesAreKnown) return;
  const auto lock = TaskLock::take(layout_.folder(volume.kind, volume.id));
  if (!lock || !*lock) return;
  const Status gone = throw_away(volume.kind, volume.id);
  if (!gone) parts_.log.warning("A volume made long ago is still known", {{"id", volume.id}, LogField(gone.error())});
}

Result<std::string> LocalSnapshotter::volume_id(const json::Json& volume, const std::stop_token& /*stop*/) {
  if (json::string_or(volume, {"spec", "volumeMode"}, "Filesystem") != "Filesystem") return "";
  std::string path = json::string_or(volume, {"spec", "local", "path"}, "");
  if (path.empty()) path = json::string_or(volume, {"spec", "hostPath", "path"}, "");
  if (path.empty()) return "";
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  TRY("the volume's path", check_path(path));
  return path;
}

Status LocalSnapshotter::set_volume_id(json::Json& volume, const std::string& volume_id,
                                       const std::stop_token& /*stop*/) {
  TRY("volume ID", check_path(volume_id));
  json::Json* path = path_in(volume);
  if (path == nullptr) return fail(Code::kInvalid, "the volume has neither local.path nor hostPath.path");
  *path = volume_id;
  return {};
}

Result<extension::VolumeTraits> LocalSnapshotter::volume_traits(const std::string& /*volume_id*/,
                                                                const std::string& /*zone*/,
                                                                const std::stop_token& /*stop*/) {
  return extension::VolumeTraits{.type = "directory"};
}

Result<std::string> LocalSnapshotter::create_snapshot(const std::string& volume_id, const std::string& /*zone*/,
                                                      const std::map<std::string, std::string>& tags,
                                                      const std::stop_token& stop) {
  TRY("volume ID", check_path(volume_id));
  const auto source = Tree::open_in(settings_.root, volume_id);
  if (!source) return fail("the volume's directory cannot be read on this node", source.error());
  TRY("", check_apart(settings_.root + volume_id, settings_.directory));
  Task task{.kind = TaskKind::kSnapshot, .id = "local-" + uuid4(parts_.random), .volume_id = volume_id};
  task.tags = tags;
  task.settings = settings_;
  TRY("", begin(task, stop));
  return task.id;
}

Result<std::string> LocalSnapshotter::create_volume(const std::string& snapshot_id,
                                                    const extension::VolumeTraits& /*traits*/,
                                                    const std::string& /*zone*/, const std::stop_token& stop) {
  TRY_ASSIGN(const Task snapshot, "", load_task(layout_, TaskKind::kSnapshot, snapshot_id));
  if (snapshot.phase != kCompleted) {
    const std::string why = snapshot.message.empty() ? "" : ": " + snapshot.message;
    return fail(Code::kInvalid, "snapshot " + snapshot_id + " is not completed but " + snapshot.phase + why);
  }
  Task task{.kind = TaskKind::kVolume, .id = "local-" + uuid4(parts_.random)};
  task.volume_id = settings_.volumes + "/" + task.id;
  task.snapshot_id = snapshot_id;
  task.tags = snapshot.tags;
  task.settings = settings_;
  TRY("", plugin_local::make_directories(settings_.root + settings_.volumes));
  TRY("", begin(task, stop));
  return task.volume_id;
}

Status LocalSnapshotter::begin(const Task& task, const std::stop_token& stop) const {
  const std::string folder = layout_.folder(task.kind, task.id);
  if (::mkdir(folder.c_str(), 0700) != 0) return tl::unexpected(io::errno_error("create " + folder, errno));
  Status begun = save_task(layout_, task);
  if (begun) begun = start_worker(task, stop);
  if (begun) return {};
  auto parent = Tree::open(layout_.folder(task.kind));
  if (parent) static_cast<void>(parent->remove(task.id));
  return begun;
}

Status LocalSnapshotter::start_worker(const Task& task, const std::stop_token& stop) const {
  io::ProcessSpec spec;
  spec.argv = worker_arguments(layout_, task.kind, task.id);
  spec.argv.insert(spec.argv.begin(), parts_.program);
  spec.env = parts_.environment.all();
  spec.deadline = parts_.clock.after(kWorkerStart);
  TRY_ASSIGN(const io::ProcessResult result, "start a worker", parts_.processes.run(spec, stop));
  if (!result.succeeded()) return fail(Code::kInternal, "start a worker: " + io::describe(result));
  return {};
}

Result<Task> LocalSnapshotter::look_after(TaskKind kind, const std::string& id, const std::stop_token& stop) const {
  TRY_ASSIGN(Task task, "", load_task(layout_, kind, id));
  if (!needs_worker(task)) return task;
  TRY_ASSIGN(const bool is_worked_on, "", TaskLock::is_held(layout_.folder(kind, id)));
  if (is_worked_on) return task;
  // It may just have come to its end.
  TRY_ASSIGN(task, "", load_task(layout_, kind, id));
  if (!needs_worker(task)) return task;
  parts_.log.info("Goes on with a copy whose worker has died", {{"id", id}});
  TRY("", start_worker(task, stop));
  return task;
}

Result<extension::TransferProgress> LocalSnapshotter::progress_of(const Task& task) const {
  if (settings_.progress == ProgressWay::kResources) {
    return fail(Code::kUnsupported, "progress is told by resources only, as the setting \"progress\" says");
  }
  return extension::TransferProgress{.phase = task.phase,
                                     .message = task.message,
                                     .total_bytes = task.counts.total_bytes,
                                     .bytes_done = task.counts.bytes_done,
                                     .started = task.started,
                                     .completed = task.completed,
                                     .plugin_specific = plugin_specific(task)};
}

Result<extension::TransferProgress> LocalSnapshotter::snapshot_progress(const std::string& snapshot_id,
                                                                        const std::stop_token& stop) {
  TRY_ASSIGN(const Task task, "", look_after(TaskKind::kSnapshot, snapshot_id, stop));
  return progress_of(task);
}

Result<std::string> LocalSnapshotter::task_of_volume(const std::string& volume_id,
                                                     const std::string& snapshot_id) const {
  const auto id = strip_prefix(volume_id, settings_.volumes + "/");
  if (!id) return fail(Code::kNotFound, quote(volume_id) + " is not a volume that was made here");
  TRY_ASSIGN(const Task task, "", load_task(layout_, TaskKind::kVolume, std::string(*id)));
  if (!snapshot_id.empty() && task.snapshot_id != snapshot_id) {
    return fail(Code::kNotFound, quote(volume_id) + " was made of another snapshot");
  }
  return task.id;
}

Result<extension::TransferProgress> LocalSnapshotter::volume_progress(const std::string& volume_id,
                                                                      const std::string& snapshot_id,
                                                                      const std::stop_token& stop) {
  TRY_ASSIGN(const std::string id, "", task_of_volume(volume_id, snapshot_id));
  TRY_ASSIGN(const Task task, "", look_after(TaskKind::kVolume, id, stop));
  return progress_of(task);
}

Status LocalSnapshotter::cancel(TaskKind kind, const std::string& id, const std::stop_token& stop) const {
  TRY_ASSIGN(const Task task, "", load_task(layout_, kind, id));
  if (task.is_final()) return {};
  TRY("", ask_to_cancel(layout_, task));
  TRY("", look_after(kind, id, stop));  // nobody else would write that it is cancelled
  return {};
}

Status LocalSnapshotter::cancel_snapshot(const std::string& snapshot_id, const std::stop_token& stop) {
  return cancel(TaskKind::kSnapshot, snapshot_id, stop);
}

Status LocalSnapshotter::cancel_volume(const std::string& volume_id, const std::string& snapshot_id,
                                       const std::stop_token& stop) {
  TRY_ASSIGN(const std::string id, "", task_of_volume(volume_id, snapshot_id));
  return cancel(TaskKind::kVolume, id, stop);
}

Status LocalSnapshotter::delete_snapshot(const std::string& snapshot_id, const std::stop_token& stop) {
  TRY("", check_id(snapshot_id));
  const std::string folder = layout_.folder(TaskKind::kSnapshot, snapshot_id);
  std::error_code error;
  if (!fs::exists(folder, error)) return {};
  const Task named{.kind = TaskKind::kSnapshot, .id = snapshot_id};
  static_cast<void>(ask_to_cancel(layout_, named));
  const SteadyTime deadline = parts_.clock.after(kWorkerEnd);
  std::optional<TaskLock> lock;
  while (!lock) {
    auto taken = TaskLock::take(folder);
    if (!taken && taken.error().code() == Code::kNotFound) return {};  // somebody else deletes it
    if (!taken) return fail("delete snapshot " + snapshot_id, std::move(taken).error());
    lock = *std::move(taken);
    if (lock) break;
    if (parts_.clock.now() > deadline) {
      return fail(Code::kUnavailable, "snapshot " + snapshot_id + " is being written and its worker does not stop");
    }
    if (!parts_.clock.sleep_for(kBetweenLooks, stop)) return fail(Code::kCancelled, "stopped");
  }
  TRY("delete snapshot " + snapshot_id, throw_away(TaskKind::kSnapshot, snapshot_id));
  return {};
}

Status LocalSnapshotter::throw_away(TaskKind kind, const std::string& id) const {
  const std::string folder = layout_.folder(kind, id);
  const std::string gone = layout_.trash() + "/" + id;
  if (std::rename(folder.c_str(), gone.c_str()) != 0 && errno != ENOENT) {
    return tl::unexpected(io::errno_error("rename " + folder, errno));
  }
  TRY_ASSIGN(Tree trash, "", Tree::open(layout_.trash()));
  return trash.remove(id);
}

}  // namespace landfall::plugin_local
