#pragma once

#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/environment.h"
#include "io/stream.h"

namespace landfall::cli {

// Where text goes, and what is at the other end.
struct Terminal {
  bool is_terminal = false;
  int columns = 80;
};

// What a command gets from the world. Made once in main; tests make their own.
struct Context {
  std::string program;  // the name it was called by, without directories
  Environment environment;
  Clock& clock;
  io::Writer& out;
  io::Writer& err;
  Terminal out_terminal;
  Terminal err_terminal;
  std::stop_token stop;  // ctrl-c

  // Called as `velero`, we print what scripts written for it depend on.
  bool called_as_velero() const { return program == "velero"; }
};

}  // namespace landfall::cli
