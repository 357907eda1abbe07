#pragma once

namespace landfall::terminal {

// What is at the other end of an output.
struct Terminal {
  bool is_terminal = false;
  int columns = 80;
  int rows = 24;
};

}  // namespace landfall::terminal
