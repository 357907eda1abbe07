#include "selection/label_filter.h"

#include <algorithm>

namespace landfall::selection {

bool LabelFilter::matches(const k8s::LabelSelector::Lookup& label) const {
  if (all_of_ && !all_of_->matches(label)) {
    return false;
  }
  return any_of_.empty() ||
         std::ranges::any_of(any_of_, [&](const k8s::LabelSelector& selector) { return selector.matches(label); });
}

std::vector<std::string> LabelFilter::queries() const {
  if (all_of_) {
    // Both kinds together are refused before anything is listed; if they come, the server narrows by the first.
    return all_of_->is_nothing() ? std::vector<std::string>{} : std::vector<std::string>{all_of_->to_string()};
  }
  if (any_of_.empty()) {
    return {""};
  }
  std::vector<std::string> found;
  for (const k8s::LabelSelector& selector : any_of_) {
    if (selector.empty()) {
      return {""};
    }
    const std::string query = selector.to_string();
    if (!selector.is_nothing() && std::ranges::find(found, query) == found.end()) {
      found.push_back(query);
    }
  }
  return found;
}

std::string LabelFilter::to_string() const {
  std::string text = all_of_ ? all_of_->to_string() : "";
  for (const k8s::LabelSelector& selector : any_of_) {
    text += (text.empty() ? "" : " or ") + selector.to_string();
  }
  return text;
}

}  // namespace landfall::selection
