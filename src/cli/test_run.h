#pragma once

#include <string>
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

inline Ran run_with(const std::vector<std::string>& words, Terminal terminal = {}) {
  io::StringWriter out;
  io::StringWriter err;
  const Context context{.program = "landfall",
                        .environment = {},
                        .clock = system_clock(),
                        .out = out,
                        .err = err,
                        .out_terminal = terminal,
                        .err_terminal = terminal,
                        .stop = {}};
  const int code = run(context, words);
  return {code, out.str(), err.str()};
}

}  // namespace landfall::cli
