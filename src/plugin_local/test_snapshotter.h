#pragma once

#include <signal.h>

#include <filesystem>
#include <memory>
#include <string>

#include "base/random.h"
#include "base/strings.h"
#include "io/file.h"
#include "io/process.h"
#include "plugin_local/local_snapshotter.h"
#include "plugin_local/task_lock.h"
#include "plugin_local/test_trees.h"
#include "testkit/temp_dir.h"

// For tests: a snapshotter with real workers, its directories in a temporary one.
namespace landfall::plugin_local {

using Config = std::map<std::string, std::string>;

class TestSnapshotter {
 public:
  explicit TestSnapshotter(const Config& more = {}, const std::string& directory = "") {
    config_ = {{"directory", directory.empty() ? (top_.path() / "snapshots").string() : directory},
               {"volumes", (top_.path() / "new").string()},
               {"progress", "polled"}};
    for (const auto& [key, value] : more) config_[key] = value;
    fs::create_directories(volume());
  }
  // No worker outlives its test.
  ~TestSnapshotter() {
    const Layout all = layout();
    for (const TaskKind kind : {TaskKind::kSnapshot, TaskKind::kVolume}) {
      for (const std::string& id : ids_in(all, kind)) {
        const std::string folder = all.folder(kind, id);
        if (TaskLock::is_held(folder).value_or(false)) kill_worker(kind, id);
      }
    }
  }
  TestSnapshotter(const TestSnapshotter&) = delete;
  TestSnapshotter& operator=(const TestSnapshotter&) = delete;

  fs::path top() const { return top_.path(); }
  fs::path volume() const { return top_.path() / "volume"; }
  Layout layout() const { return Layout(config_.at("directory")); }
  fs::path folder(const std::string& id) const { return layout().folder(TaskKind::kSnapshot, id); }
  void set(const std::string& key, const std::string& value) { config_[key] = value; }

  // As a plugin process that is started.
  std::unique_ptr<LocalSnapshotter> open() {
    LocalParts parts{.clock = system_clock(),
                     .random = system_random(),
                     .processes = *processes_,
                     .environment = Environment::of_process(),
                     .program = (fs::read_symlink("/proc/self/exe").parent_path() / "landfall-plugin-local").string(),
                     .log = Logger()};
    return LocalSnapshotter::open(read_settings(config_).value(), std::move(parts)).value();
  }

  std::string take(LocalSnapshotter& plugin) {
    return plugin.create_snapshot(volume(), "", {{"velero.io/backup", "b"}, {"velero.io/pv", "pv-1"}}, {}).value();
  }
  // Takes one and waits for its end.
  Task taken(LocalSnapshotter& plugin) { return await_end(TaskKind::kSnapshot, take(plugin)); }
  Task made(LocalSnapshotter& plugin, const std::string& snapshot) {
    const std::string path = plugin.create_volume(snapshot, {}, "", {}).value();
    return await_end(TaskKind::kVolume, fs::path(path).filename());
  }

  // Looks without asking the plugin, so that nobody is revived.
  Task state(TaskKind kind, const std::string& id) const { return load_task(layout(), kind, id).value(); }
  Task await_end(TaskKind kind, const std::string& id) const {
    return await(kind, id, [&](const Task& task) { return is_over(task); });
  }
  // The same, and sees to it that the bytes of one that is worked on never fall below these.
  Task await_rise_to_end(TaskKind kind, const std::string& id, std::int64_t bytes) const {
    return await(kind, id, [&](const Task& task) {
      if (task.is_final()) return is_over(task);
      EXPECT_GE(task.counts.bytes_done, bytes);
      EXPECT_GE(task.counts.total_bytes, task.counts.bytes_done);
      bytes = task.counts.bytes_done;
      return false;
    });
  }
  Task await(TaskKind kind, const std::string& id, const std::function<bool(const Task&)>& is_so) const {
    const SteadyTime deadline = system_clock().after(std::chrono::seconds(100));
    Task task = state(kind, id);
    while (!is_so(task) && system_clock().now() < deadline) {
      system_clock().sleep_for(std::chrono::milliseconds(5), {});
      task = state(kind, id);
    }
    EXPECT_TRUE(is_so(task)) << task.phase << " " << task.message;
    return task;
  }

  // Whoever goes on with it does so at a speed that a test can wait for.
  void quicken(TaskKind kind, const std::string& id) const {
    Task task = state(kind, id);
    task.settings.bytes_per_second = 3'000'000;
    ASSERT_TRUE(save_task(layout(), task));
  }

  void kill_worker(TaskKind kind, const std::string& id) const {
    const std::string folder = layout().folder(kind, id);
    if (!TaskLock::is_held(folder).value()) return;  // the id that is written there may be another's by now
    const auto pid = parse_int64(trim(io::read_file(folder + "/lock", 100).value()));
    ASSERT_TRUE(pid && *pid > 1);
    ::kill(static_cast<pid_t>(*pid), SIGKILL);
    const SteadyTime deadline = system_clock().after(std::chrono::seconds(100));
    while (TaskLock::is_held(folder).value() && system_clock().now() < deadline) {
      system_clock().sleep_for(std::chrono::milliseconds(5), {});
    }
  }

 private:
  bool is_over(const Task& task) const {
    return task.is_final() && task.is_reported && !TaskLock::is_held(layout().folder(task.kind, task.id)).value();
  }

  const testkit::TempDir top_;
  const std::unique_ptr<io::ProcessRunner> processes_ = io::make_system_process_runner(system_clock());
  std::map<std::string, std::string> config_;
};

}  // namespace landfall::plugin_local
