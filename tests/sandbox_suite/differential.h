#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sandbox_suite/replay.h"

namespace landfall::sandbox {

// A place in which two answers to one request are not the same.
struct Difference {
  std::string request;  // "crud: reads it back"
  std::string place;    // "status", "header.Content-Type", "header.Warning", "body.metadata.labels.app"
  std::string real;     // as JSON; empty where there is nothing
  std::string sandbox;
};

// Two replays of one file, compared answer by answer.
std::vector<Difference> compare(const std::string& file, const std::vector<Exchange>& real, const std::string& real_run,
                                const std::vector<Exchange>& sandbox, const std::string& sandbox_run);

// The written list: the differences we accept, each with its reason.
class AllowedDifferences {
 public:
  // Lines of "request | place | reason"; the first two are patterns in which * stands for anything. Empty lines and
  // those that begin with # do not count.
  static Result<AllowedDifferences> read(std::string_view text);

  // Whether an entry covers it; remembers that the entry was needed.
  bool covers(const Difference& difference);
  // The entries that nothing needed.
  std::vector<std::string> unused() const;

 private:
  struct Entry {
    std::string request;
    std::string place;
    bool used = false;
  };
  std::vector<Entry> entries_;
};

// For people: the request, the place and both values on lines of their own.
std::string to_string(const Difference& difference);

}  // namespace landfall::sandbox
