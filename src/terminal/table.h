#pragma once

#include <string>
#include <vector>

namespace landfall::terminal {

// A table as kubectl and Velero print it: upper-case headers, columns three spaces apart and at least six wide.
class Table {
 public:
  explicit Table(std::vector<std::string> headers) : headers_(std::move(headers)) {}

  // A row shorter than the headers is filled with empty cells. Control characters are replaced: a cell is never a way
  // to reach into the user's terminal.
  void add(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }

  // Every line ends with a newline; a table without rows is no text at all, as in Velero.
  std::string text() const;

 private:
  std::vector<std::string> headers_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace landfall::terminal
