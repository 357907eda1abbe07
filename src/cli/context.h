#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/environment.h"
#include "base/result.h"
#include "io/stream.h"
#include "terminal/terminal.h"

namespace landfall::cli {

// What writing to the output fails with when its reader has gone.
inline Error output_gone() { return Error(Code::kGone, "nobody reads the output any more"); }
inline bool is_output_gone(const Error& error) {
  return error.code() == Code::kGone && error.message().ends_with("nobody reads the output any more");
}

// What a command gets from the world. Made once in main; tests make their own.
struct Context {
  std::string program;  // the name it was called by, without directories
  Environment environment;
  Clock& clock;
  io::Reader& in;
  io::Writer& out;
  io::Writer& err;
  terminal::Terminal out_terminal;
  terminal::Terminal err_terminal;
  // The size of the error output's terminal as it is now: windows are resized. Without it err_terminal stays true.
  std::function<terminal::Terminal()> look_again = {};
  std::stop_token stop;  // ctrl-c

  // Called as `velero`, we print what scripts written for it depend on.
  bool called_as_velero() const { return program == "velero"; }
};

}  // namespace landfall::cli
