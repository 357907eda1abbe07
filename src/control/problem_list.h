#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace landfall::control {

// What went wrong, for a status: the first few, and how many more, since an object has a limit and a backup may have a
// hundred thousand items.
class ProblemList {
 public:
  static constexpr std::size_t kMax = 20;

  void add(std::string problem) {
    if (problems_.size() < kMax) {
      problems_.push_back(std::move(problem));
    } else {
      ++more_;
    }
  }
  bool empty() const { return problems_.empty(); }
  std::vector<std::string> texts() const {
    std::vector<std::string> texts = problems_;
    if (more_ > 0) texts.push_back("and " + std::to_string(more_) + " more");
    return texts;
  }

 private:
  std::vector<std::string> problems_;
  std::size_t more_ = 0;
};

}  // namespace landfall::control
