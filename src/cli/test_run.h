#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "cli/app.h"
#include "io/stream.h"

namespace landfall::cli {

// For tests: what a command line printed, and how it ended.
struct Ran {
  int code;
  std::string out;
  std::string err;
};

// For tests: what is around a command line.
struct Surroundings {
  std::string program = "landfall";
  Environment environment = {};
  Clock* clock = &system_clock();
  std::string input = {};
  terminal::Terminal terminal = {};
  std::stop_token stop = {};
};

using AddCommands = std::function<void(const Command& root)>;

inline Ran run_with(const AddCommands& add_commands, const std::vector<std::string>& words, Surroundings around = {}) {
  io::StringReader in(around.input);
  io::StringWriter out;
  io::StringWriter err;
  const Context context{.program = std::move(around.program),
                        .environment = std::move(around.environment),
                        .clock = *around.clock,
                        .in = in,
                        .out = out,
                        .err = err,
                        .out_terminal = around.terminal,
                        .err_terminal = around.terminal,
                        .stop = std::move(around.stop)};
  const int code = run(context, words, add_commands);
  return {code, out.str(), err.str()};
}

}  // namespace landfall::cli
