#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>

#include "base/environment.h"
#include "base/guarded.h"
#include "base/log.h"
#include "base/result.h"
#include "io/log_sink.h"
#include "io/process.h"

namespace landfall::stories {

// A program that runs until it is stopped, in a thread of this process, from construction to destruction.
class RunningProgram {
 public:
  struct Surroundings {
    const Environment& environment;
    io::ProcessRunner& processes;
    Logger log;
    std::function<void()> end_process;
  };
  using Program = std::function<Status(const Surroundings& surroundings, const std::stop_token& stop)>;
  explicit RunningProgram(Program program, Environment environment = {});
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;
  ~RunningProgram() = default;

  std::string log() const { return log_->text(); }
  // Empty while it runs; what it ended with otherwise.
  std::string error() const { return error_.copy(); }

 private:
  const Environment environment_;
  const std::unique_ptr<io::ProcessRunner> processes_;
  const std::shared_ptr<io::MemoryLogSink> log_ = std::make_shared<io::MemoryLogSink>();
  Guarded<std::string> error_;
  std::jthread thread_;  // last: ends before what it uses
};

}  // namespace landfall::stories
