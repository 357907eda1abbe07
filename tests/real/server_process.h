#pragma once

#include <poll.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/environment.h"
#include "io/process_spawn.h"

namespace landfall {

// The program: what LANDFALL_PROGRAM says, or `landfall` beside the test.
inline std::string landfall_program() {
  const auto beside = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "landfall";
  return Environment::of_process().get_or("LANDFALL_PROGRAM", beside.string());
}

// `landfall server` as a process of its own, which can be killed without warning. Ends with this object, and with the
// test if that dies. Its output is added to a file. Throws when it cannot be started.
class ServerProcess {
 public:
  ServerProcess(const std::vector<std::string>& arguments, std::map<std::string, std::string> environment,
                const std::string& output)
      : child_(start(arguments, std::move(environment), output)) {}
  ~ServerProcess() { kill(); }
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  bool is_running() const {
    pollfd ended{.fd = child_.exited.get(), .events = POLLIN, .revents = 0};
    return !is_reaped_ && ::poll(&ended, 1, 0) == 0;
  }

  // SIGKILL to this one process, and waits for its end.
  void kill() {
    if (std::exchange(is_reaped_, true)) return;
    ::kill(child_.pid, SIGKILL);  // its id is taken until it is reaped
    io::ProcessResult result;
    if (const Status reaped = io::reap(child_.pid, result); !reaped) result.signal = -1;
  }

  // As a pod is stopped: SIGTERM, and SIGKILL when that has not ended it in time; then it is false.
  bool stop() {
    constexpr int kGrace = 30'000;  // milliseconds
    pollfd ended{.fd = child_.exited.get(), .events = POLLIN, .revents = 0};
    if (!is_reaped_) ::kill(child_.pid, SIGTERM);
    const bool has_ended = is_reaped_ || ::poll(&ended, 1, kGrace) > 0;
    kill();
    return has_ended;
  }

 private:
  // The shell and setpriv are replaced by the program: it has the id of the child.
  static io::Child start(const std::vector<std::string>& arguments, std::map<std::string, std::string> environment,
                         const std::string& output) {
    io::ProcessSpec spec{.argv = {"/bin/sh", "-c", "exec setpriv --pdeathsig KILL \"$@\" >> \"$0\" 2>&1", output,
                                  landfall_program(), "server"},
                         .env = std::move(environment)};
    spec.argv.insert(spec.argv.end(), arguments.begin(), arguments.end());
    auto child = io::spawn(spec);
    if (!child) throw std::runtime_error(child.error().message());
    return *std::move(child);
  }

  io::Child child_;
  bool is_reaped_ = false;
};

}  // namespace landfall
