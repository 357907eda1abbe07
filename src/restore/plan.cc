#include "restore/plan.h"

#include <numeric>

namespace landfall::restore {
namespace {

template <class List, class Count>
std::int64_t sum(const List& list, const Count& count) {
  return std::accumulate(list.begin(), list.end(), std::int64_t{0},
                         [&](std::int64_t total, const auto& one) { return total + count(one); });
}

std::int64_t size_of(const std::vector<std::string>& names) { return static_cast<std::int64_t>(names.size()); }

}  // namespace

std::string_view to_string(Prediction prediction) {
  switch (prediction) {
    case Prediction::kCreate:
      return "create";
    case Prediction::kUpdate:
      return "update";
    case Prediction::kUnchanged:
      return "unchanged";
    case Prediction::kConflict:
      return "conflict";
    case Prediction::kSkip:
      return "skip";
    case Prediction::kFail:
      return "fail";
  }
  return "";
}

std::int64_t PlannedResource::total() const {
  return sum(groups, [](const PlannedGroup& group) { return size_of(group.names); });
}

std::int64_t Plan::total() const {
  return static_cast<std::int64_t>(namespaces.size()) +
         sum(resources, [](const PlannedResource& resource) { return resource.total(); });
}

std::int64_t Plan::not_selected_total() const {
  return sum(not_selected, [](const NotSelected& one) { return size_of(one.names); });
}

}  // namespace landfall::restore
