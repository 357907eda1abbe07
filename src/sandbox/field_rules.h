#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox_kinds/kind_info.h"

namespace landfall::sandbox {

// How server-side apply and managedFields treat one value of a document.
struct FieldRule {
  enum class Type {
    kGranular,  // an object: member by member
    kAtomic,    // owned as a whole
    kSet,       // a list of scalars, by value
    kMap,       // a list of objects, by their keys
  };
  Type type = Type::kGranular;
  std::vector<std::string> keys;  // of kMap
  bool has_atomic_items = false;  // the elements of a kMap are owned as a whole
  // A part of a Go struct that is always there: nobody owns the mere fact that it exists.
  bool always_there = false;
};

// The rule for the value at a path of a kind, without list indices: {"spec", "template", "spec", "containers"}. Lists
// that are not known are atomic, objects granular, as in Kubernetes. Pure.
FieldRule field_rule(const KindInfo& kind, std::span<const std::string> path, bool is_list);

}  // namespace landfall::sandbox
