#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/environment.h"
#include "base/guarded.h"
#include "base/log.h"
#include "io/process.h"
#include "plugin/plugin_host.h"
#include "testkit/temp_dir.h"

namespace landfall::plugin {

// Keeps what is logged.
class LogKeeper final : public LogSink {
 public:
  void write(const LogEntry& entry) override {
    entries_.update([&](std::vector<LogEntry>& entries) { entries.push_back(entry); });
  }
  std::vector<LogEntry> entries() const { return entries_.copy(); }

  // Waits for a line with this message: what a plugin logs comes when it comes.
  LogEntry wait_for(const std::string& message) {
    LogEntry found;
    const auto look = [&](const std::vector<LogEntry>& entries) {
      for (const LogEntry& entry : entries) {
        if (entry.message != message) continue;
        found = entry;
        return true;
      }
      return false;
    };
    entries_.wait_until(system_clock(), {}, system_clock().after(std::chrono::minutes(1)), look);
    return found;
  }

 private:
  Monitor<std::vector<LogEntry>> entries_;
};

// A directory of plugins, all of them the one program under several names, and a host for it.
class TestHost {
 public:
  explicit TestHost(const std::vector<std::string>& names, HostOptions options = {})
      : host_(with_environment(std::move(options)), system_clock(), *processes_) {
    for (const std::string& name : names) add(name);
  }

  void add(const std::string& name) {
    const auto program = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "fault_plugin";
    std::filesystem::create_symlink(program, directory_.path() / name);
  }

  const testkit::TempDir& directory() const { return directory_; }
  const Host& host() const { return host_; }
  HostOptions options() const { return with_environment({}); }
  io::ProcessRunner& processes() { return *processes_; }
  LogKeeper& log() { return *log_; }
  Logger logger() const { return {system_clock(), log_, LogLevel::kDebug}; }
  std::string path(const std::string& name) const { return (directory_.path() / name).string(); }
  // What processes have left behind. The directory of all of them, with its lock, is the host's.
  std::vector<std::string> left_sockets() const {
    std::vector<std::string> left;
    for (const auto& home : std::filesystem::directory_iterator(sockets_.path())) {
      for (const auto& entry : std::filesystem::directory_iterator(home)) {
        if (entry.path().filename() != "lock") left.push_back(entry.path());
      }
    }
    return left;
  }

  Registry discover() { return host_.discover(directory_.path().string(), logger(), {}); }
  Session session() { return host_.session(discover(), logger()); }

 private:
  HostOptions with_environment(HostOptions options) const {
    options.environment = Environment::of_process().all();
    options.temp_dir = sockets_.path().string();
    return options;
  }

  testkit::TempDir directory_;
  testkit::TempDir sockets_;
  std::shared_ptr<LogKeeper> log_ = std::make_shared<LogKeeper>();
  std::unique_ptr<io::ProcessRunner> processes_ = io::make_system_process_runner(system_clock());
  Host host_;
};

}  // namespace landfall::plugin
