#pragma once

#include <string>

#include "progress/progress.h"

namespace landfall::progress {

// For tests: holds a row of counts against the contract. Empty if it is kept, otherwise what is wrong.
class ContractCheck {
 public:
  std::string next(const ItemCounts& now) {
    std::string wrong = reconcile(now);
    if (now.done < before_.done) {
      wrong += "done went down; ";
    }
    if (before_.total && (!now.total || *now.total < *before_.total)) {
      wrong += "the total went down; ";
    }
    before_ = now;
    return wrong;
  }

 private:
  static std::string reconcile(const ItemCounts& now) {
    std::string wrong;
    std::int64_t refused = 0;
    for (const auto& [reason, count] : now.not_selected_by_reason) {
      refused += count;
      wrong += count > 0 ? "" : reason + " counts nothing; ";
    }
    wrong += refused == now.not_selected ? "" : "the reasons do not add up; ";
    wrong += now.outcomes.sum() == now.done ? "" : "the outcomes do not add up; ";
    if (!now.total) {
      return wrong + (now.done == 0 ? "" : "done before there is a total; ");
    }
    wrong += now.done <= *now.total ? "" : "more done than there is; ";
    wrong += now.not_in_backup >= 0 ? "" : "less than nothing is not in the backup; ";
    wrong +=
        now.in_backup == *now.total - now.not_in_backup + now.not_selected ? "" : "the backup does not reconcile; ";
    return wrong;
  }

  ItemCounts before_;
};

}  // namespace landfall::progress
