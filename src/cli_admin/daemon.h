#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/log.h"
#include "base/result.h"
#include "cli/command.h"
#include "io/log_sink.h"
#include "io/process.h"
#include "kube/client.h"
#include "kube/connection.h"

// What the commands share that run until they are stopped: the server, and the node agent.
namespace landfall::cli {

struct DaemonFlags {
  std::string log_level = "info";
  std::string log_format = "text";
  // Flags of Velero's logging library. Accepted, so that the arguments of a Deployment go on working.
  std::array<std::optional<bool>, 7> ignored_switches;
  std::array<std::string, 8> ignored_values;
};

void add_daemon_flags(const Command& command, DaemonFlags& flags);
// What is said about a flag that is accepted and does nothing: in its help, and in the log when it was given.
inline constexpr const char* kIgnoredHelp = "Accepted for Velero's sake, without effect";
void log_ignored_flag(const Logger& log, std::string_view flag);

// A process and its cluster.
class Daemon {
  struct Made {};

 public:
  explicit Daemon(Made /*by start()*/) {}
  static Result<std::unique_ptr<Daemon>> start(const DaemonFlags& flags, const GlobalFlags& global,
                                               const Context& context, const kube::ClientOptions& client_options);
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;
  ~Daemon() = default;

  LogLevel log_level() const { return log_level_; }
  io::LogFormat log_format() const { return log_format_; }
  const Logger& log() const { return log_; }
  io::ProcessRunner& processes() { return *processes_; }
  kube::Client& client() { return *client_; }
  // Ends the process at once, and says so.
  std::function<void()> end_process() const;

 private:
  LogLevel log_level_ = LogLevel::kInfo;
  io::LogFormat log_format_ = io::LogFormat::kText;
  Logger log_;
  std::unique_ptr<io::ProcessRunner> processes_;
  std::unique_ptr<kube::Connection> connection_;
  std::unique_ptr<kube::Client> client_;
};

// By which a machine is known.
std::string host_name();

}  // namespace landfall::cli
