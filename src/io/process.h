#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "io/stream.h"

namespace landfall::io {

// Called with one line at a time, without its line end, in the thread that runs the process.
using LineHandler = std::function<void(std::string_view line)>;

struct ProcessSpec {
  // The program and its arguments; there is no shell. A program without a slash is looked for in the absolute entries
  // of the PATH in `env`, by default /usr/local/bin, /usr/bin and /bin. A relative path counts from `directory`.
  std::vector<std::string> argv{};
  // All that the program sees.
  std::map<std::string, std::string> env{};
  std::string directory{};  // empty: ours

  // Nothing, these bytes, or what this reader has; it is read in a thread of its own and must outlive the run. A reader
  // that fails ends the run with its error: the program never takes half its input for all of it.
  std::variant<std::monostate, std::string, Reader*> input{};

  // Without a handler the output is captured: of standard output at most so much, or the run fails with kTooLarge; of
  // standard error the last so much.
  LineHandler on_stdout_line{};
  LineHandler on_stderr_line{};
  std::size_t stdout_limit = 1UL << 20U;
  std::size_t stderr_limit = 1UL << 16U;
  // A handler gets this much of a line; the rest of a longer one is dropped.
  std::size_t line_limit = 1UL << 20U;

  // Called about so often while it runs, in the thread that runs the process: until then the id is the program's.
  std::function<void(int pid)> on_tick{};
  Duration tick = std::chrono::seconds(1);

  // At the deadline, and when a stop is asked for, everything that the program has started as well is asked to end
  // (SIGTERM), and killed after the grace.
  SteadyTime deadline = kNever;
  Duration grace = std::chrono::seconds(10);
};

struct ProcessResult {
  int exit_code = 0;  // when signal is 0
  int signal = 0;     // the one that ended it
  std::string out;
  std::string err;

  bool succeeded() const { return exit_code == 0 && signal == 0; }
};

// "exit status 1: unable to open config file": how it ended and, when there is one, the last line of its standard
// error.
std::string describe(const ProcessResult& result);

// Runs programs. Thread-safe: many can run at once.
class ProcessRunner {
 public:
  virtual ~ProcessRunner() = default;
  // Runs to the end. A program that ran and failed is a result, not an error. Errors: kNotFound (no such program or
  // directory), kForbidden (may not be run), kTimeout, kCancelled, kTooLarge, the reader's own. They name the program,
  // never its arguments or environment, which may hold secrets.
  //
  // What the program leaves running in the background is not waited for, even when it holds the outputs open.
  virtual Result<ProcessResult> run(const ProcessSpec& spec, const std::stop_token& stop) = 0;
};

// Runs real programs. The child gets no descriptor but its three streams, default signals, and a session of its own: no
// terminal to ask a password on, and one process group to end. The clock must outlive the runner.
std::unique_ptr<ProcessRunner> make_system_process_runner(Clock& clock);

}  // namespace landfall::io
