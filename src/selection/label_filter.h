#pragma once

#include <optional>
#include <string>
#include <vector>

#include "k8s/label_selector.h"

namespace landfall::selection {

// The label selector of a backup, a restore or a policy: one that must match, or several of which one must. Without
// any it restricts nothing. An immutable value.
class LabelFilter {
 public:
  LabelFilter() = default;
  LabelFilter(std::optional<k8s::LabelSelector> all_of, std::vector<k8s::LabelSelector> any_of)
      : all_of_(std::move(all_of)), any_of_(std::move(any_of)) {}

  // A selector was given, even if it is one that matches everything.
  bool is_given() const { return all_of_ || !any_of_.empty(); }
  bool matches(const k8s::LabelSelector::Lookup& label) const;

  // The `labelSelector` parameters of the lists that together find what matches: one list each, and an empty text asks
  // for everything. None when nothing can match. An object may be found by more than one.
  std::vector<std::string> queries() const;

  // "app=web", "app=web or app=db".
  std::string to_string() const;

 private:
  std::optional<k8s::LabelSelector> all_of_;
  std::vector<k8s::LabelSelector> any_of_;
};

}  // namespace landfall::selection
