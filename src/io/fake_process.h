#pragma once

#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "io/process.h"

namespace landfall::io {

// A program that a test plays: it sees what it was called with, writes output and returns an exit code.
class FakeProcess {
 public:
  struct Call {
    std::vector<std::string> argv;
    std::map<std::string, std::string> env;
    std::string directory;
    std::string input;  // all of it
  };

  // Bytes to standard output and standard error: they need not be whole lines.
  std::function<void(std::string_view)> out;
  std::function<void(std::string_view)> err;
  Call call;
  std::stop_token stop;
};

// Runs programs that are functions, for tests. The output takes the same way as that of real programs: to line handlers
// or captured with the limits of the spec. Thread-safe.
class FakeProcessRunner final : public ProcessRunner {
 public:
  // Returns the exit code, or the error that run() returns. Runs in the thread that calls run().
  using Program = std::function<Result<int>(FakeProcess&)>;

  // Adds or replaces a program by the last part of its path. A program that is not here is kNotFound, as in life.
  void add(const std::string& name, Program program);

  Result<ProcessResult> run(const ProcessSpec& spec, const std::stop_token& stop) override;

  // What was run so far, in the order in which it began.
  std::vector<FakeProcess::Call> calls() const { return calls_.copy(); }

 private:
  Guarded<std::map<std::string, Program>> programs_;
  Guarded<std::vector<FakeProcess::Call>> calls_;
};

}  // namespace landfall::io
