#include "terminal/printable_writer.h"

#include <algorithm>

#include "terminal/text_width.h"

namespace landfall::terminal {

Status PrintableWriter::write(std::string_view bytes) {
  std::string safe;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::size_t room = kLongestLine - line_.size();
    const std::size_t count = std::min({end, bytes.size(), room});
    line_.append(bytes.substr(0, count));
    bytes.remove_prefix(count);
    const bool is_whole = !bytes.empty() && bytes.front() == '\n';
    if (is_whole) bytes.remove_prefix(1);
    if (!is_whole && line_.size() < kLongestLine) break;
    safe.append(printable(line_)).append("\n");
    line_.clear();
  }
  // What cannot be waited for: a log that is followed stands still in the middle of no line.
  return safe.empty() ? Status() : to_.write(safe);
}

Status PrintableWriter::close() {
  if (line_.empty()) return {};
  const std::string last = printable(line_);
  line_.clear();
  return to_.write(last);
}

}  // namespace landfall::terminal
