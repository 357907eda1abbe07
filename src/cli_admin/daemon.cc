#include "cli_admin/daemon.h"

#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "base/random.h"
#include "cli/build_info.h"
#include "kube/config.h"

namespace landfall::cli {
namespace {

constexpr std::array<const char*, 7> kIgnoredSwitches = {
    "--add_dir_header", "--alsologtostderr", "--legacy_stderr_threshold_behavior", "--logtostderr", "--one_output",
    "--skip_headers",   "--skip_log_headers"};
constexpr std::array<const char*, 8> kIgnoredValues = {
    "--alsologtostderrthreshold", "--log_backtrace_at", "--log_dir", "--log_file",
    "--log_file_max_size",        "--stderrthreshold",  "-v,--v",    "--vmodule"};

void log_ignored_flags(const DaemonFlags& flags, const Logger& log) {
  for (std::size_t i = 0; i < kIgnoredSwitches.size(); ++i) {
    if (flags.ignored_switches.at(i)) log_ignored_flag(log, kIgnoredSwitches.at(i));
  }
  for (std::size_t i = 0; i < kIgnoredValues.size(); ++i) {
    if (!flags.ignored_values.at(i).empty()) log_ignored_flag(log, kIgnoredValues.at(i));
  }
}

}  // namespace

void add_daemon_flags(const Command& command, DaemonFlags& flags) {
  command.choice("--log-level", flags.log_level, {"trace", "debug", "info", "warning", "error", "fatal", "panic"},
                 "What to log (info)");
  command.choice("--log-format", flags.log_format, {"text", "json"}, "How to log (text)");
  for (std::size_t i = 0; i < kIgnoredSwitches.size(); ++i) {
    command.flag(kIgnoredSwitches.at(i), flags.ignored_switches.at(i), kIgnoredHelp);
  }
  for (std::size_t i = 0; i < kIgnoredValues.size(); ++i) {
    command.flag(kIgnoredValues.at(i), flags.ignored_values.at(i), kIgnoredHelp);
  }
}

void log_ignored_flag(const Logger& log, std::string_view flag) {
  log.info("this flag is accepted for Velero's sake and has no effect", {{"flag", flag}});
}

Result<std::unique_ptr<Daemon>> Daemon::start(const DaemonFlags& flags, const GlobalFlags& global,
                                              const Context& context, const kube::ClientOptions& client_options) {
  auto daemon = std::make_unique<Daemon>(Made());
  TRY_ASSIGN(daemon->log_level_, "--log-level",
             flags.log_level == "panic" ? Result<LogLevel>(LogLevel::kFatal) : parse_log_level(flags.log_level));
  daemon->log_format_ = flags.log_format == "json" ? io::LogFormat::kJson : io::LogFormat::kText;
  // On the standard output, as Velero, so that collectors of logs do not take it for errors.
  daemon->log_ =
      Logger(context.clock, std::make_shared<io::LineLogSink>(context.out, daemon->log_format_), daemon->log_level_);
  TRY_ASSIGN(kube::Config config, "",
             kube::load_config({.kubeconfig = global.kubeconfig, .context = global.kubecontext}, context.environment));
  daemon->processes_ = io::make_system_process_runner(context.clock);
  TRY_ASSIGN(daemon->connection_, "",
             kube::Connection::create(std::move(config), context.environment, *daemon->processes_, context.clock,
                                      daemon->log_));
  daemon->client_ = std::make_unique<kube::Client>(*daemon->connection_, client_options, context.clock, system_random(),
                                                   daemon->log_);
  log_ignored_flags(flags, daemon->log_);
  return daemon;
}

std::function<void()> Daemon::end_process() const {
  return [log = log_] {
    log.error("ending the process: what still runs must not go on");
    std::_Exit(1);
  };
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : "localhost";
}

}  // namespace landfall::cli
