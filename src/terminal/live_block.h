#pragma once

#include <string>
#include <vector>

#include "terminal/styled_line.h"
#include "terminal/terminal.h"

namespace landfall::terminal {

// Some lines at the end of a terminal's output that are redrawn in place: lines in, bytes out; the caller writes them.
//
// Between two calls the cursor stands at the beginning of the block's first line. There a terminal keeps it when the
// window is resized, whether it wraps the lines anew or cuts them off; so all that is left of the old drawing is below
// the cursor and can be erased. Not thread-safe.
class LiveBlock {
 public:
  explicit LiveBlock(bool has_colors) : has_colors_(has_colors) {}

  // What turns the drawing there is into these lines, on a terminal that has this size now: only lines that differ are
  // drawn, nothing when none does; after a resize all are. A line never reaches the last column. Of more lines than
  // the window has rows the first are shown, and how many are not.
  std::string show(const std::vector<StyledLine>& lines, const Terminal& size);

  // Takes the block away, so that other output can begin where it was.
  std::string clear();

 private:
  const bool has_colors_;
  int columns_ = 0;
  int rows_ = 0;
  std::vector<std::string> drawn_;  // rendered, one row each
};

}  // namespace landfall::terminal
