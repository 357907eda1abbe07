#pragma once

#include <string_view>

namespace landfall::json {

// How a strategic merge patch treats one field of a built-in type.
struct MergeRule {
  enum class Strategy {
    kDefault,  // an object is merged, a list is replaced
    kMerge,    // a list is merged: by the merge key, or as a set where there is none
    kReplace,  // an object is replaced
  };
  Strategy strategy = Strategy::kDefault;
  std::string_view merge_key{};
  std::string_view type{};  // of the object or of the list's elements; empty where nothing below needs a rule
};

// The rule for a field of a type. A kind's own name is its type ("Pod"); the types below it are "PodSpec" and so on.
MergeRule merge_rule(std::string_view type, std::string_view field);

// True for an API group that is compiled into Kubernetes; "" is the core group.
bool is_built_in_group(std::string_view group);

}  // namespace landfall::json
