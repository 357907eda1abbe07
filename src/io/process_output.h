#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"

// What becomes of the bytes that a process writes; shared by the real and the fake runner.
namespace landfall::io {

// Cuts a stream into lines. Ends of line are "\n" and "\r\n"; a line that is overwritten ("\r" and more) is one, too.
// Memory is bounded by the limit: of a longer line the rest is dropped.
class LineSplitter {
 public:
  LineSplitter(std::function<void(std::string_view)> handler, std::size_t limit)
      : handler_(std::move(handler)), limit_(limit) {}

  void add(std::string_view bytes);
  // Hands out a last line without a line end.
  void finish();

 private:
  void keep(std::string_view piece);
  void hand_out(std::string_view line) const;

  std::function<void(std::string_view)> handler_;
  std::size_t limit_;
  std::string partial_;
  bool has_partial_ = false;  // an empty piece is one too
};

// Keeps the last `limit` bytes.
class Tail {
 public:
  explicit Tail(std::size_t limit) : limit_(limit) {}
  void add(std::string_view bytes);
  std::string take();

 private:
  std::size_t limit_;
  std::string kept_;  // up to twice the limit, so that cutting is rare
};

// Lines to a handler where there is one; else kept up to the limit: the first bytes, with an error past them, or the
// last.
class OutputCollector {
 public:
  enum class Keep { kAllOrFail, kLast };
  OutputCollector(std::function<void(std::string_view)> on_line, std::size_t line_limit, Keep keep, std::size_t limit);

  // False when there was more than may be kept.
  bool add(std::string_view bytes);
  // What was kept; a last line is handed out first.
  std::string finish();

 private:
  bool by_line_;
  Keep keep_;
  std::size_t limit_;
  LineSplitter lines_;
  Tail tail_;
  std::string all_;
};

}  // namespace landfall::io
