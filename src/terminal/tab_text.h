#pragma once

#include <string>
#include <string_view>

namespace landfall::terminal {

// Aligns text whose cells end with tabs, as Go's text/tabwriter does with a padding of two: Velero's `describe` is made
// with it, and scripts cut its output at columns. Cells of a column are aligned within a run of consecutive lines that
// have one there; what stands behind the last tab of a line is no cell of a column.
std::string align_tabs(std::string_view text);

}  // namespace landfall::terminal
