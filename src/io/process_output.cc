#include "io/process_output.h"

#include <utility>

namespace landfall::io {

void LineSplitter::add(std::string_view bytes) {
  while (!bytes.empty()) {
    if (partial_.ends_with('\r') && bytes.front() != '\n') {  // the line is overwritten
      hand_out(std::exchange(partial_, {}));
      has_partial_ = false;
    }
    const std::size_t end = bytes.find_first_of("\r\n");
    if (end == std::string_view::npos) {
      keep(bytes);
      return;
    }
    if (bytes[end] == '\r') {
      keep(bytes.substr(0, end + 1));
    } else if (has_partial_) {
      keep(bytes.substr(0, end));
      hand_out(std::exchange(partial_, {}));
      has_partial_ = false;
    } else {
      hand_out(bytes.substr(0, end));
    }
    bytes.remove_prefix(end + 1);
  }
}

void LineSplitter::finish() {
  if (has_partial_) {
    hand_out(std::exchange(partial_, {}));
    has_partial_ = false;
  }
}

void LineSplitter::keep(std::string_view piece) {
  has_partial_ = true;
  partial_.append(piece.substr(0, limit_ - partial_.size()));
}

void LineSplitter::hand_out(std::string_view line) const {
  line = line.substr(0, limit_);
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  handler_(line);
}

void Tail::add(std::string_view bytes) {
  if (bytes.size() >= limit_) {
    kept_ = bytes.substr(bytes.size() - limit_);
    return;
  }
  kept_.append(bytes);
  if (kept_.size() > 2 * limit_) {
    kept_.erase(0, kept_.size() - limit_);
  }
}

std::string Tail::take() {
  if (kept_.size() > limit_) {
    kept_.erase(0, kept_.size() - limit_);
  }
  return std::exchange(kept_, {});
}

OutputCollector::OutputCollector(std::function<void(std::string_view)> on_line, std::size_t line_limit, Keep keep,
                                 std::size_t limit)
    : by_line_(static_cast<bool>(on_line)),
      keep_(keep),
      limit_(limit),
      lines_(std::move(on_line), line_limit),
      tail_(limit) {}

bool OutputCollector::add(std::string_view bytes) {
  if (by_line_) {
    lines_.add(bytes);
    return true;
  }
  if (keep_ == Keep::kLast) {
    tail_.add(bytes);
    return true;
  }
  const bool fits = bytes.size() <= limit_ - all_.size();
  all_.append(bytes.substr(0, limit_ - all_.size()));
  return fits;
}

std::string OutputCollector::finish() {
  if (by_line_) {
    lines_.finish();
    return {};
  }
  return keep_ == Keep::kLast ? tail_.take() : std::exchange(all_, {});
}

}  // namespace landfall::io
